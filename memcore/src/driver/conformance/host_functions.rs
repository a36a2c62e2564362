//! Host functions: when they are called, and what they may call.

use core::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use super::program;
use crate::driver::ffi::{CUstream, Handle, STREAM_NON_BLOCKING};
use crate::driver::sim::tests::rig::{Program, call, ok};
use crate::error::Status;

type Body = Box<dyn FnOnce() + Send>;

/// Queues a call of `body`.
fn launch(program: &Program, stream: CUstream, body: impl FnOnce() + Send + 'static) {
    unsafe extern "C" fn run(data: *mut c_void) {
        // SAFETY: `launch` made it, for this one call.
        let body = unsafe { Box::from_raw(data.cast::<Body>()) };
        body();
    }
    let body: Body = Box::new(body);
    ok!(program, launch_host_function(stream, Some(run), Box::into_raw(Box::new(body)).cast()));
}

#[test]
fn they_keep_their_place_in_the_stream() {
    let program = program();
    let stream = program.stream(STREAM_NON_BLOCKING);
    let (seen, locked, dev) = (Arc::new(Mutex::new(Vec::new())), program.locked(1), program.alloc(1));
    for value in 1..=4_u8 {
        ok!(program, memset_d8_async(dev, value, 1, stream));
        ok!(program, memcpy_dtoh_async(locked.pointer, dev, 1, stream));
        let (seen, address) = (Arc::clone(&seen), locked.pointer.expose_provenance());
        launch(&program, stream, move || {
            let byte = core::ptr::with_exposed_provenance::<u8>(address);
            // SAFETY: the memory lives, and nothing behind this in the stream has begun.
            seen.lock().unwrap().push(unsafe { byte.read_volatile() });
        });
    }
    ok!(program, stream_synchronize(stream));
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4]);
    ok!(program, mem_free(dev));
    ok!(program, mem_free_host(locked.pointer));
    ok!(program, stream_destroy(stream));
}

#[test]
fn work_behind_one_waits_for_it_and_nothing_else_does() {
    let program = program();
    let (stream, other, event) =
        (program.stream(STREAM_NON_BLOCKING), program.stream(STREAM_NON_BLOCKING), program.event());
    let (go, may_go) = mpsc::channel::<()>();
    let passed = Arc::new(AtomicU32::new(0));
    let dev = program.alloc(4);
    let of = Arc::clone(&passed);
    launch(&program, stream, move || {
        may_go.recv().unwrap();
        of.store(1, Ordering::SeqCst);
    });
    ok!(program, memset_d8_async(dev, 1, 4, stream));
    ok!(program, event_record(event, stream));
    for _ in 0..20 {
        assert_eq!(call!(program, stream_query(stream)), Status::NOT_READY);
        assert_eq!(call!(program, event_query(event)), Status::NOT_READY);
    }
    ok!(program, memset_d8_async(dev, 2, 4, other));
    ok!(program, stream_synchronize(other));
    assert_eq!(passed.load(Ordering::SeqCst), 0);
    go.send(()).unwrap();
    ok!(program, event_synchronize(event));
    assert_eq!(passed.load(Ordering::SeqCst), 1);
    ok!(program, stream_query(stream));
    ok!(program, mem_free(dev));
    ok!(program, event_destroy(event));
    ok!(program, stream_destroy(stream));
    ok!(program, stream_destroy(other));
}

#[test]
fn calls_in_one_are_refused() {
    let program = program();
    let stream = program.stream(STREAM_NON_BLOCKING);
    let (other, event, dev) = (program.stream(STREAM_NON_BLOCKING), program.event(), program.alloc(4));
    let (send, receive) = mpsc::channel();
    let driver = Arc::clone(&program.driver);
    let handles = (Handle(other), Handle(event));
    launch(&program, stream, move || {
        let (other, event) = { handles };
        let (other, event) = (other.0, event.0);
        let (mut address, mut context, mut version, mut mode, mut count) = (0, core::ptr::null_mut(), 0, 0, 0);
        let program = Program::new(driver);
        let codes = [
            call!(program, mem_alloc(&raw mut address, 4)),
            call!(program, context_current(&raw mut context)),
            call!(program, stream_synchronize(core::ptr::null_mut())),
            call!(program, context_synchronize()),
            call!(program, device_count(&raw mut count)),
            call!(program, mem_free(dev)),
            call!(program, memset_d8_async(dev, 1, 4, core::ptr::null_mut())),
            call!(program, memcpy_dtod_async(dev, dev, 4, other)),
        ];
        let fine = [
            call!(program, driver_version(&raw mut version)),
            call!(program, exchange_capture_mode(&raw mut mode)),
            // What goes by its own handle needs no context.
            call!(program, memset_d8_async(dev, 1, 4, other)),
            call!(program, event_record(event, other)),
            call!(program, stream_wait_event(other, event, 0)),
            call!(program, stream_synchronize(other)),
            call!(program, event_query(event)),
        ];
        send.send((codes, fine)).unwrap();
    });
    let (codes, fine) = receive.recv().unwrap();
    assert_eq!(codes, [Status::NOT_PERMITTED; 8]);
    assert_eq!(fine, [Status::SUCCESS; 7]);
    ok!(program, stream_synchronize(stream));
    ok!(program, mem_free(dev));
    ok!(program, event_destroy(event));
    ok!(program, stream_destroy(other));
    ok!(program, stream_destroy(stream));
}

#[test]
fn no_function_is_no_function() {
    let program = program();
    let stream = program.stream(STREAM_NON_BLOCKING);
    assert_eq!(call!(program, launch_host_function(stream, None, core::ptr::null_mut())), Status::INVALID_VALUE);
    ok!(program, stream_destroy(stream));
}
