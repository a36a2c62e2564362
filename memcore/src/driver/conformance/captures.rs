//! What calls answer while a stream is being captured, and whether the capture survives them.

use core::ptr;
use std::sync::{Arc, mpsc};
use std::thread;

use super::program;
use crate::driver::ffi::{
    ARRAY_FORMAT_U8, CAPTURE_MODE_GLOBAL as GLOBAL, CAPTURE_MODE_RELAXED as RELAXED,
    CAPTURE_MODE_THREAD_LOCAL as THREAD_LOCAL, CUDA_ARRAY_DESCRIPTOR, CUarray, CUdeviceptr, CUevent, CUstream, Handle,
    STREAM_NON_BLOCKING,
};
use crate::driver::sim::tests::parts::{Part, copy_2d};
use crate::driver::sim::tests::rig::{Locked, Program, call, ok};
use crate::error::Status;

const FINE: (Status, Status) = (Status::SUCCESS, Status::SUCCESS);
const FORBIDDEN: (Status, Status) = (Status::STREAM_CAPTURE_UNSUPPORTED, Status::STREAM_CAPTURE_INVALIDATED);

/// What a call can be made with.
struct Things {
    captured: CUstream,
    other: CUstream,
    recorded: CUevent,
    fresh: CUevent,
    dev: CUdeviceptr,
    pooled: CUdeviceptr,
    managed: CUdeviceptr,
    locked: Locked,
}

type Call = fn(&Program, &Things) -> Status;

impl Things {
    fn new(program: &Program, captured: CUstream) -> Self {
        let (other, recorded, mut pooled) = (program.stream(STREAM_NON_BLOCKING), program.event(), 0);
        ok!(program, event_record(recorded, other));
        ok!(program, mem_alloc_async(&raw mut pooled, 4096, other));
        let (dev, managed, locked) = (program.alloc(4096), program.managed(4096), program.locked(4096));
        ok!(program, stream_synchronize(other));
        Self { captured, other, recorded, fresh: program.event(), dev, pooled, managed, locked }
    }

    /// Frees what the call has not freed.
    fn end(self, program: &Program) {
        let _ = call!(program, stream_synchronize(self.other));
        let _ = call!(program, mem_free(self.dev));
        let _ = call!(program, mem_free_async(self.pooled, self.other));
        let _ = call!(program, mem_free(self.managed));
        let _ = call!(program, mem_free_host(self.locked.pointer));
        for stream in [self.captured, self.other] {
            ok!(program, stream_destroy(stream));
        }
        for event in [self.recorded, self.fresh] {
            ok!(program, event_destroy(event));
        }
    }
}

fn set_mode(program: &Program, mut mode: u32) {
    ok!(program, exchange_capture_mode(&raw mut mode));
}

fn end_capture(program: &Program, stream: CUstream) -> Status {
    let mut graph = ptr::null_mut();
    let status = call!(program, stream_end_capture(stream, &raw mut graph));
    if status.is_success() {
        ok!(program, graph_destroy(graph));
    }
    status
}

/// Does something that no capture forbids then.
fn relaxed<R>(program: &Program, run: impl FnOnce() -> R) -> R {
    let mut mode = RELAXED;
    ok!(program, exchange_capture_mode(&raw mut mode));
    let result = run();
    set_mode(program, mode);
    result
}

static IMAGE: CUDA_ARRAY_DESCRIPTOR =
    CUDA_ARRAY_DESCRIPTOR { width: 16, height: 4, format: ARRAY_FORMAT_U8, channels: 1 };

fn image(program: &Program) -> CUarray {
    let mut array = ptr::null_mut();
    ok!(program, array_create(&raw mut array, &raw const IMAGE));
    array
}

/// Makes a call with an array, which lives as long.
fn with_image(program: &Program, call: impl FnOnce(CUarray) -> Status) -> Status {
    let array = relaxed(program, || image(program));
    let status = call(array);
    relaxed(program, || ok!(program, array_destroy(array)));
    status
}

/// Makes a call while a stream is captured, on another thread or the same; its status, and that of the capture's end.
fn beside(capture: u32, caller: u32, same_thread: bool, flags: u32, make: Call) -> (Status, Status) {
    let program = program();
    let captured = program.stream(flags);
    let things = Things::new(&program, captured);
    let make = |program: &Program| {
        set_mode(program, caller);
        let status = make(program, &things);
        set_mode(program, GLOBAL);
        status
    };
    let outcome = if same_thread {
        ok!(program, stream_begin_capture(captured, capture));
        (make(&program), end_capture(&program, captured))
    } else {
        let (began, has_begun) = mpsc::channel();
        let (made, has_made) = mpsc::channel::<()>();
        let (driver, captured) = (Arc::clone(&program.driver), Handle(captured));
        let capturing = thread::spawn(move || {
            let (captured, program) = ({ captured }.0, Program::in_context(driver));
            ok!(program, stream_begin_capture(captured, capture));
            began.send(()).unwrap();
            has_made.recv().unwrap();
            let ended = end_capture(&program, captured);
            ok!(program, primary_context_release(0));
            ended
        });
        has_begun.recv().unwrap();
        let status = make(&program);
        made.send(()).unwrap();
        (status, capturing.join().unwrap())
    };
    things.end(&program);
    ok!(program, primary_context_release(0));
    outcome
}

/// Every combination of modes and threads; whether the capture forbids an unsafe call there.
fn cases() -> impl Iterator<Item = (u32, u32, bool, bool)> {
    let modes = [GLOBAL, THREAD_LOCAL, RELAXED];
    let all = modes.into_iter().flat_map(move |capture| modes.into_iter().map(move |caller| (capture, caller)));
    all.flat_map(|(capture, caller)| {
        let own = capture != RELAXED && caller != RELAXED;
        [(capture, caller, true, own), (capture, caller, false, capture == GLOBAL && caller == GLOBAL)]
    })
}

#[test]
fn waits_allocations_and_frees_need_the_right_mode() {
    let calls: [(&str, Call); 19] = [
        ("stream_synchronize", |p, t| call!(p, stream_synchronize(t.other))),
        ("stream_query", |p, t| call!(p, stream_query(t.other))),
        ("event_synchronize", |p, t| call!(p, event_synchronize(t.recorded))),
        ("event_query", |p, t| call!(p, event_query(t.recorded))),
        ("event_query of none", |p, t| call!(p, event_query(t.fresh))),
        ("mem_alloc", |p, _| {
            let mut address = 0;
            let status = call!(p, mem_alloc(&raw mut address, 4096));
            set_mode(p, RELAXED);
            ok!(p, mem_free(address));
            status
        }),
        ("mem_free", |p, t| call!(p, mem_free(t.dev))),
        ("mem_free_async", |p, t| call!(p, mem_free_async(t.pooled, t.other))),
        ("mem_free of managed", |p, t| call!(p, mem_free(t.managed))),
        ("mem_host_alloc", |p, _| {
            let mut pointer = ptr::null_mut();
            let status = call!(p, mem_host_alloc(&raw mut pointer, 4096, 0));
            set_mode(p, RELAXED);
            ok!(p, mem_free_host(pointer));
            status
        }),
        ("mem_free_host", |p, t| call!(p, mem_free_host(t.locked.pointer))),
        ("mem_advise", |p, t| call!(p, mem_advise(t.managed, 4096, 1, 0))),
        ("mem_alloc_async", |p, t| {
            let mut address = 0;
            let status = call!(p, mem_alloc_async(&raw mut address, 4096, t.other));
            set_mode(p, RELAXED);
            ok!(p, mem_free_async(address, t.other));
            status
        }),
        ("mem_host_register", |p, _| {
            let mut memory = vec![0_u8; 8192];
            let pointer = memory.as_mut_ptr().cast();
            let status = call!(p, mem_host_register(pointer, memory.len(), 0));
            if status.is_success() {
                relaxed(p, || ok!(p, mem_host_unregister(pointer)));
            }
            status
        }),
        ("mem_host_unregister", |p, _| {
            let mut memory = vec![0_u8; 8192];
            let pointer = memory.as_mut_ptr().cast();
            relaxed(p, || ok!(p, mem_host_register(pointer, memory.len(), 0)));
            let status = call!(p, mem_host_unregister(pointer));
            if !status.is_success() {
                relaxed(p, || ok!(p, mem_host_unregister(pointer)));
            }
            status
        }),
        ("stream_attach_memory", |p, t| call!(p, stream_attach_memory(t.other, t.managed, 0, 1))),
        ("array_create", |p, _| {
            let mut array = ptr::null_mut();
            let status = call!(p, array_create(&raw mut array, &raw const IMAGE));
            if status.is_success() {
                relaxed(p, || ok!(p, array_destroy(array)));
            }
            status
        }),
        ("array_destroy", |p, _| {
            let array = relaxed(p, || image(p));
            let status = call!(p, array_destroy(array));
            if !status.is_success() {
                relaxed(p, || ok!(p, array_destroy(array)));
            }
            status
        }),
        ("mem_alloc_managed", |p, _| {
            let mut address = 0;
            let status = call!(p, mem_alloc_managed(&raw mut address, 4096, 1));
            set_mode(p, RELAXED);
            ok!(p, mem_free(address));
            status
        }),
    ];
    for (name, make) in calls {
        for (capture, caller, same_thread, is_forbidden) in cases() {
            let expected = if is_forbidden { FORBIDDEN } else { FINE };
            let seen = beside(capture, caller, same_thread, STREAM_NON_BLOCKING, make);
            assert_eq!(seen, expected, "{name}, capture {capture}, caller {caller}, same thread {same_thread}");
        }
    }
}

#[test]
fn work_on_other_streams_goes_on() {
    let calls: [(&str, Call); 10] = [
        ("memset", |p, t| call!(p, memset_d8_async(t.dev, 1, 64, t.other))),
        ("event_record", |p, t| call!(p, event_record(t.fresh, t.other))),
        ("stream_wait_event", |p, t| call!(p, stream_wait_event(t.other, t.recorded, 0))),
        ("memcpy_htod", |p, t| p.upload(t.dev, &[1; 64])),
        ("memset_d8", |p, t| call!(p, memset_d8(t.dev, 1, 64))),
        ("mem_prefetch", |p, t| call!(p, mem_prefetch(t.managed, 4096, 0, t.other))),
        ("mem_host_device_pointer", |p, t| {
            let mut address = 0;
            call!(p, mem_host_device_pointer(&raw mut address, t.locked.pointer, 0))
        }),
        ("mem_range_attribute", |p, t| {
            let mut value = 0_u32;
            call!(p, mem_range_attribute((&raw mut value).cast(), 4, 1, t.managed, 4096))
        }),
        ("array_descriptor", |p, _| {
            let mut descriptor = IMAGE;
            with_image(p, |array| call!(p, array_descriptor(&raw mut descriptor, array)))
        }),
        ("a copy to an array", |p, t| {
            with_image(p, |array| {
                let copy = copy_2d(Part::array(array), Part::host(t.locked.pointer, 16), [16, 4]);
                call!(p, memcpy_2d_async(&raw const copy, t.other))
            })
        }),
    ];
    for (name, make) in calls {
        for (capture, caller, same_thread, _) in cases() {
            let seen = beside(capture, caller, same_thread, STREAM_NON_BLOCKING, make);
            assert_eq!(seen, FINE, "{name}, capture {capture}, caller {caller}, same thread {same_thread}");
        }
    }
}

#[test]
fn the_captured_stream_takes_work_and_no_waits() {
    let invalid = |status| (status, Status::STREAM_CAPTURE_INVALIDATED);
    let calls: [(&str, Call, (Status, Status)); 12] = [
        ("stream_synchronize", |p, t| call!(p, stream_synchronize(t.captured)), FORBIDDEN),
        ("stream_query", |p, t| call!(p, stream_query(t.captured)), FORBIDDEN),
        ("context_synchronize", |p, _| call!(p, context_synchronize()), FORBIDDEN),
        ("memset", |p, t| call!(p, memset_d8_async(t.dev, 1, 64, t.captured)), FINE),
        ("a download", |p, t| call!(p, memcpy_dtoh_async(t.locked.pointer, t.dev, 64, t.captured)), FINE),
        (
            "a copy to an array",
            |p, t| {
                with_image(p, |array| {
                    let copy = copy_2d(Part::array(array), Part::host(t.locked.pointer, 16), [16, 4]);
                    call!(p, memcpy_2d_async(&raw const copy, t.captured))
                })
            },
            FINE,
        ),
        ("event_record", |p, t| call!(p, event_record(t.fresh, t.captured)), FINE),
        (
            "a query of what was recorded",
            |p, t| {
                ok!(p, event_record(t.fresh, t.captured));
                call!(p, event_query(t.fresh))
            },
            invalid(Status::CAPTURED_EVENT),
        ),
        (
            "an event from outside",
            |p, t| call!(p, stream_wait_event(t.captured, t.recorded, 0)),
            invalid(Status::STREAM_CAPTURE_ISOLATION),
        ),
        (
            "a free of outside memory",
            |p, t| call!(p, mem_free_async(t.pooled, t.captured)),
            (Status::INVALID_VALUE, Status::SUCCESS),
        ),
        ("mem_prefetch", |p, t| call!(p, mem_prefetch(t.managed, 4096, 0, t.captured)), FORBIDDEN),
        (
            "a second capture",
            |p, t| call!(p, stream_begin_capture(t.captured, GLOBAL)),
            (Status::ILLEGAL_STATE, Status::SUCCESS),
        ),
    ];
    for (name, make, expected) in calls {
        for same_thread in [true, false] {
            let seen = beside(RELAXED, RELAXED, same_thread, STREAM_NON_BLOCKING, make);
            assert_eq!(seen, expected, "{name}, same thread {same_thread}");
        }
    }
}

#[test]
fn the_legacy_stream_is_not_drawn_in() {
    let implicit = (Status::STREAM_CAPTURE_IMPLICIT, Status::STREAM_CAPTURE_INVALIDATED);
    let calls: [(&str, Call, (Status, Status)); 4] = [
        ("memset", |p, t| call!(p, memset_d8_async(t.dev, 1, 64, ptr::null_mut())), implicit),
        ("memcpy_htod", |p, t| p.upload(t.dev, &[1; 64]), implicit),
        ("stream_synchronize", |p, _| call!(p, stream_synchronize(ptr::null_mut())), implicit),
        (
            "stream_is_capturing",
            |p, _| {
                let mut is_capturing = 0;
                call!(p, stream_is_capturing(ptr::null_mut(), &raw mut is_capturing))
            },
            (Status::STREAM_CAPTURE_IMPLICIT, Status::SUCCESS),
        ),
    ];
    for (name, make, expected) in calls {
        assert_eq!(beside(RELAXED, RELAXED, true, 0, make), expected, "{name}");
        assert_eq!(beside(GLOBAL, RELAXED, false, 0, make), expected, "{name}");
    }
}

#[test]
fn a_stream_that_waits_for_a_captured_event_joins_the_capture() {
    let forks: Call = |p, t| {
        ok!(p, event_record(t.fresh, t.captured));
        ok!(p, stream_wait_event(t.other, t.fresh, 0));
        ok!(p, memset_d8_async(t.dev, 1, 64, t.other));
        Status::SUCCESS
    };
    let unjoined = (Status::SUCCESS, Status::STREAM_CAPTURE_UNJOINED);
    assert_eq!(beside(RELAXED, RELAXED, true, STREAM_NON_BLOCKING, forks), unjoined);
    let forks_and_joins: Call = |p, t| {
        ok!(p, event_record(t.fresh, t.captured));
        ok!(p, stream_wait_event(t.other, t.fresh, 0));
        ok!(p, memset_d8_async(t.dev, 1, 64, t.other));
        ok!(p, event_record(t.fresh, t.other));
        call!(p, stream_wait_event(t.captured, t.fresh, 0))
    };
    assert_eq!(beside(RELAXED, RELAXED, true, STREAM_NON_BLOCKING, forks_and_joins), FINE);
}

#[test]
fn what_is_captured_does_not_run() {
    let program = program();
    let (stream, dev) = (program.stream(STREAM_NON_BLOCKING), program.alloc(4));
    ok!(program, memset_d8(dev, 7, 4));
    ok!(program, stream_begin_capture(stream, RELAXED));
    ok!(program, memset_d8_async(dev, 9, 4, stream));
    assert_eq!(end_capture(&program, stream), Status::SUCCESS);
    assert_eq!(program.bytes(dev, 4), [7; 4]);
    assert_eq!(end_capture(&program, stream), Status::ILLEGAL_STATE);
    ok!(program, mem_free(dev));
    ok!(program, stream_destroy(stream));
}
