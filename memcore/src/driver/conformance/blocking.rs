//! Which calls wait for work that is queued, and which return at once: asked while a host function keeps a stream busy.

use core::ffi::c_void;
use core::ptr;
use core::time::Duration;
use std::sync::{Arc, mpsc};
use std::thread;

use super::program;
use crate::driver::ffi::{CUdeviceptr, CUevent, CUstream, Handle, STREAM_NON_BLOCKING};
use crate::driver::sim::tests::rig::{Locked, Program, call, ok};
use crate::error::Status;

/// What a call can be made with. The stream is busy.
struct Things {
    busy: CUstream,
    idle: CUstream,
    event: CUevent,
    dev: CUdeviceptr,
    other: CUdeviceptr,
    pooled: CUdeviceptr,
    locked: Locked,
    pageable: Vec<u8>,
}

// SAFETY: handles and addresses, which the driver takes from any thread; the test's two threads take turns.
unsafe impl Send for Things {}

type Call = fn(&Program, &mut Things) -> Status;

/// What becomes of a call while the stream is busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// It returned this.
    Returned(Status),
    /// It returned when the stream went on, this.
    Blocked(Status),
}

unsafe extern "C" fn hold(gate: *mut c_void) {
    // SAFETY: `see` made it, for this one call.
    let gate = unsafe { Box::from_raw(gate.cast::<mpsc::Receiver<()>>()) };
    let _ = gate.recv();
}

/// Makes a call while a stream of these flags is busy, and watches it for so long before the stream goes on.
fn see(flags: u32, watched: Duration, make: Call) -> Seen {
    let program = program();
    let (busy, idle, mut pooled) = (program.stream(flags), program.stream(STREAM_NON_BLOCKING), 0);
    ok!(program, mem_alloc_async(&raw mut pooled, 4096, idle));
    let (dev, other, locked) = (program.alloc(4096), program.alloc(4096), program.locked(4096));
    let event = program.event();
    ok!(program, memset_d8(dev, 1, 4096));
    ok!(program, memset_d8(other, 1, 4096));
    ok!(program, context_synchronize());
    let (open, gate) = mpsc::channel::<()>();
    let gate = Box::into_raw(Box::new(gate));
    ok!(program, launch_host_function(busy, Some(hold), gate.cast()));
    ok!(program, event_record(event, busy));
    let mut things = Things { busy, idle, event, dev, other, pooled, locked, pageable: vec![0; 4096] };
    let (driver, context) = (Arc::clone(&program.driver), Handle(program.context));
    let (send, receive) = mpsc::channel();
    let calling = thread::spawn(move || {
        let program = Program::new(driver);
        ok!(program, context_set_current({ context }.0));
        let status = make(&program, &mut things);
        send.send(status).unwrap();
        things
    });
    let at_once = receive.recv_timeout(watched);
    open.send(()).unwrap();
    let seen = match at_once {
        Ok(status) => Seen::Returned(status),
        Err(_) => Seen::Blocked(receive.recv().unwrap()),
    };
    end(&program, &calling.join().unwrap());
    seen
}

/// Frees what the call has not freed.
fn end(program: &Program, things: &Things) {
    ok!(program, context_synchronize());
    let _ = call!(program, mem_free(things.dev));
    let _ = call!(program, mem_free(things.other));
    let _ = call!(program, mem_free(things.pooled));
    let _ = call!(program, mem_free_host(things.locked.pointer));
    ok!(program, event_destroy(things.event));
    for stream in [things.busy, things.idle] {
        ok!(program, stream_destroy(stream));
    }
    ok!(program, primary_context_release(0));
}

/// How long a call is watched that must not return: a slow machine makes it no longer.
const BRIEFLY: Duration = Duration::from_millis(100);
/// How long a call is waited for that must return.
const LONG: Duration = Duration::from_secs(20);

const DONE: Status = Status::SUCCESS;
const NULL: CUstream = ptr::null_mut();

#[test]
fn these_return_at_once() {
    let calls: [(&str, Call); 13] = [
        ("memcpy_htod_async, page-locked", |p, t| call!(p, memcpy_htod_async(t.dev, t.locked.pointer, 4096, t.busy))),
        ("memcpy_dtoh_async, page-locked", |p, t| call!(p, memcpy_dtoh_async(t.locked.pointer, t.dev, 4096, t.busy))),
        ("memcpy_htod_async, pageable", |p, t| {
            call!(p, memcpy_htod_async(t.dev, t.pageable.as_ptr().cast(), 4096, t.busy))
        }),
        ("memcpy_dtod_async", |p, t| call!(p, memcpy_dtod_async(t.dev, t.other, 4096, t.busy))),
        ("memset_d8_async", |p, t| call!(p, memset_d8_async(t.dev, 1, 4096, t.busy))),
        ("memset_d8", |p, t| call!(p, memset_d8(t.dev, 1, 4096))),
        ("memcpy_dtod", |p, t| call!(p, memcpy_dtod(t.dev, t.other, 4096))),
        ("stream_synchronize of another", |p, t| call!(p, stream_synchronize(t.idle))),
        ("mem_alloc", |p, t| {
            ok!(p, mem_free_async(t.pooled, t.idle));
            call!(p, mem_alloc_async(&raw mut t.pooled, 4096, t.idle))
        }),
        ("stream_wait_event", |p, t| call!(p, stream_wait_event(t.idle, t.event, 0))),
        ("event_destroy", |p, t| call!(p, event_destroy(core::mem::replace(&mut t.event, p.event())))),
        ("stream_destroy", |p, t| {
            let another = p.stream(STREAM_NON_BLOCKING);
            call!(p, stream_destroy(core::mem::replace(&mut t.busy, another)))
        }),
        ("mem_free of pool memory", |p, t| call!(p, mem_free(t.pooled))),
    ];
    for (name, make) in calls {
        assert_eq!(see(0, LONG, make), Seen::Returned(DONE), "{name}");
    }
}

#[test]
fn these_wait() {
    let calls: [(&str, Call); 7] = [
        ("stream_synchronize", |p, t| call!(p, stream_synchronize(t.busy))),
        ("event_synchronize", |p, t| call!(p, event_synchronize(t.event))),
        ("context_synchronize", |p, _| call!(p, context_synchronize())),
        ("stream_synchronize of the legacy stream", |p, _| call!(p, stream_synchronize(NULL))),
        ("memcpy_dtoh", |p, t| call!(p, memcpy_dtoh(t.pageable.as_mut_ptr().cast(), t.dev, 4096))),
        ("memcpy_htod, page-locked", |p, t| call!(p, memcpy_htod(t.dev, t.locked.pointer, 4096))),
        ("memcpy_dtoh_async, pageable", |p, t| {
            call!(p, memcpy_dtoh_async(t.pageable.as_mut_ptr().cast(), t.dev, 4096, t.busy))
        }),
    ];
    for (name, make) in calls {
        assert_eq!(see(0, BRIEFLY, make), Seen::Blocked(DONE), "{name}");
    }
}

#[test]
fn the_legacy_stream_does_not_wait_for_non_blocking_ones() {
    let calls: [(&str, Call); 3] = [
        ("stream_synchronize of the legacy stream", |p, _| call!(p, stream_synchronize(NULL))),
        ("stream_query of the legacy stream", |p, _| call!(p, stream_query(NULL))),
        ("memcpy_dtoh", |p, t| call!(p, memcpy_dtoh(t.pageable.as_mut_ptr().cast(), t.dev, 4096))),
    ];
    for (name, make) in calls {
        assert_eq!(see(STREAM_NON_BLOCKING, LONG, make), Seen::Returned(DONE), "{name}");
    }
}

#[test]
fn queries_say_that_work_is_pending() {
    let calls: [(&str, Call); 3] = [
        ("stream_query", |p, t| call!(p, stream_query(t.busy))),
        ("event_query", |p, t| call!(p, event_query(t.event))),
        ("stream_query of the legacy stream", |p, _| call!(p, stream_query(NULL))),
    ];
    for (name, make) in calls {
        assert_eq!(see(0, LONG, make), Seen::Returned(Status::NOT_READY), "{name}");
    }
}
