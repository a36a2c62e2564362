//! The tracer around a simulator: what the program sees is what it sees without.

use core::ffi::c_void;
use core::ptr;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::thread;

use super::TraceDriver;
use super::file::TraceFile;
use crate::driver::Driver;
use crate::driver::ffi::{CUcontext, CUevent, CUgraph, STREAM_NON_BLOCKING};
use crate::driver::sim::tests::rig::{Program, call, ok};
use crate::driver::sim::{Fault, Sim, SimOptions, ViolationKind};
use crate::error::Status;

/// A program on a simulator, traced.
struct Traced {
    sim: Sim,
    program: Program,
    path: PathBuf,
}

impl Traced {
    fn new(name: &str, options: SimOptions) -> Self {
        let path = env::temp_dir().join(format!("memcore-{}-{name}.json", process::id()));
        let file = TraceFile::create(path.to_str().unwrap()).unwrap();
        let sim = Sim::new(options);
        let driver: Arc<dyn Driver> = Arc::new(TraceDriver::new(sim.driver(), Box::leak(Box::new(file))));
        Self { sim, program: Program::in_context(driver), path }
    }

    /// How often the simulator was called so, by the program or the tracer.
    fn calls(&self, symbol: &str) -> usize {
        self.sim.calls().iter().filter(|call| **call == symbol).count()
    }

    /// The lines of the file that have a text in them.
    fn lines(&self, text: &str) -> usize {
        let trace = fs::read_to_string(&self.path).unwrap();
        assert!(trace.starts_with("[\n{") && trace.ends_with("}\n]\n"), "{trace}");
        trace.lines().filter(|line| line.contains(text)).count()
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

const DEVICE: &str = "\"cat\":\"device\"";

#[test]
fn events_are_destroyed_and_nothing_is_waited_for() {
    let traced = Traced::new("destroyed", SimOptions::default());
    let program = &traced.program;
    let (address, streams) = (program.alloc(4096), [(); 2].map(|()| program.stream(STREAM_NON_BLOCKING)));
    for stream in streams {
        for _ in 0..10 {
            ok!(program, memset_d8_async(address, 1, 4096, stream));
        }
        ok!(program, stream_synchronize(stream));
    }
    assert_eq!(traced.lines(DEVICE), 20);
    assert_eq!(traced.lines("\"bytes\":4096"), 41); // the allocation, and each set on both sides
    assert_eq!(traced.calls("cuStreamSynchronize"), 2);
    assert_eq!(traced.calls("cuEventSynchronize") + traced.calls("cuCtxSynchronize"), 0);
    // What the times are measured from is left.
    assert_eq!(traced.calls("cuEventCreate"), traced.calls("cuEventDestroy_v2") + 1);

    // Queued and never waited for: what is left ends with the context.
    ok!(program, memset_d32_async(address, 1, 1024, streams[0]));
    ok!(program, stream_destroy(streams[0]));
    ok!(program, mem_free(address));
    ok!(program, primary_context_release(0));
    assert_eq!(traced.calls("cuEventCreate"), traced.calls("cuEventDestroy_v2"));
}

#[test]
fn a_stream_that_is_destroyed_keeps_its_row() {
    let traced = Traced::new("row", SimOptions::default());
    let program = &traced.program;
    let address = program.alloc(16);
    for _ in 0..3 {
        let stream = program.stream(STREAM_NON_BLOCKING);
        ok!(program, memset_d8_async(address, 1, 16, stream));
        ok!(program, stream_destroy(stream));
    }
    assert_eq!(traced.lines(DEVICE), 0);
    ok!(program, context_synchronize());
    assert_eq!(traced.lines(DEVICE), 3);
    assert_eq!(traced.lines("\"name\":\"stream 0x"), 3);
}

#[test]
fn captures_are_left_alone() {
    let traced = Traced::new("captures", SimOptions::default());
    let program = &traced.program;
    let address = program.alloc(4096);
    let (captured, other) = (program.stream(STREAM_NON_BLOCKING), program.stream(STREAM_NON_BLOCKING));
    for mode in 0..3 {
        ok!(program, stream_begin_capture(captured, mode));
        ok!(program, memset_d8_async(address, 1, 4096, captured));
        // Measured, on a stream that is not captured; the program's own mode forbids nothing of this.
        ok!(program, memset_d8_async(address, 1, 4096, other));
        let mut graph: CUgraph = ptr::null_mut();
        ok!(program, stream_end_capture(captured, &raw mut graph));
        ok!(program, graph_destroy(graph));
        let mut mode = 0;
        ok!(program, exchange_capture_mode(&raw mut mode));
        assert_eq!(mode, 0);
    }
    ok!(program, stream_synchronize(other));
    ok!(program, stream_synchronize(captured));
    assert_eq!(traced.lines(DEVICE), 3);
    // Once for the context, twice for each operation beside the captures, and never in one.
    assert_eq!(traced.calls("cuEventRecord"), 1 + 3 * 2);

    // With the legacy stream beside it, a capture would be drawn in: the program's call is refused, not the tracer's.
    let blocking = program.stream(0);
    ok!(program, stream_begin_capture(blocking, 2));
    assert_eq!(call!(program, memset_d8_async(address, 1, 16, ptr::null_mut())), Status::STREAM_CAPTURE_IMPLICIT);
    assert_eq!(traced.lines(DEVICE), 3);
}

#[test]
fn another_context_is_begun_beside_a_capture() {
    let traced = Traced::new("beside", SimOptions::default().devices(2));
    let program = &traced.program;
    let captured = program.stream(STREAM_NON_BLOCKING);
    ok!(program, stream_begin_capture(captured, 0));
    let mut context: CUcontext = ptr::null_mut();
    ok!(program, primary_context_retain(&raw mut context, 1));
    ok!(program, context_set_current(context));
    // Its first event is asked for, which the capture would forbid the program.
    let stream = program.stream(STREAM_NON_BLOCKING);
    assert!(traced.calls("cuEventQuery") > 0);
    let mut graph: CUgraph = ptr::null_mut();
    ok!(program, stream_end_capture(captured, &raw mut graph));
    ok!(program, launch_host_function(stream, Some(nothing), ptr::null_mut()));
    ok!(program, context_synchronize());
    assert_eq!((traced.lines(DEVICE), traced.lines("\"name\":\"device 1\"")), (1, 1));
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

#[test]
fn faults_are_the_programs_to_see() {
    let fault = Fault::sticky("cuMemcpyHtoDAsync_v2", 2, Status::LAUNCH_FAILED);
    let traced = Traced::new("faults", SimOptions::default().fail(fault));
    let program = &traced.program;
    let (address, stream) = (program.alloc(16), program.stream(STREAM_NON_BLOCKING));
    let host = [7_u8; 16];
    let upload = || call!(program, memcpy_htod_async(address, host.as_ptr().cast(), 16, stream));
    assert_eq!(upload(), Status::SUCCESS);
    for _ in 0..3 {
        assert_eq!(upload(), Status::LAUNCH_FAILED);
        assert_eq!(call!(program, stream_synchronize(stream)), Status::LAUNCH_FAILED);
    }
    ok!(program, primary_context_release(0));
    assert_eq!(traced.lines("CUDA_ERROR_LAUNCH_FAILED (719)"), 6);
}

#[test]
fn without_events_there_are_the_hosts_rows() {
    let traced = Traced::new("events", SimOptions::default().without_symbol("cuEventCreate"));
    let program = &traced.program;
    let (address, stream) = (program.alloc(16), program.stream(STREAM_NON_BLOCKING));
    ok!(program, memset_d8_async(address, 1, 16, stream));
    ok!(program, stream_synchronize(stream));
    assert_eq!((traced.lines(DEVICE), traced.lines("\"name\":\"cuMemsetD8Async\"")), (0, 1));
}

#[test]
fn missing_waits_show_all_the_same() {
    let traced = Traced::new("waits", SimOptions::default());
    let program = &traced.program;
    let (address, stream) = (program.alloc(16), program.stream(STREAM_NON_BLOCKING));
    let mut host: *mut c_void = ptr::null_mut();
    ok!(program, mem_host_alloc(&raw mut host, 16, 0));
    let first = || {
        // SAFETY: the memory is alive, was written by the device or is as it was made, and the copy has not begun.
        unsafe { host.cast::<u8>().read_volatile() }
    };
    let before = first();
    ok!(program, memset_d8_async(address, 1, 16, stream));
    ok!(program, memcpy_dtoh_async(host, address, 16, stream));
    assert_eq!(first(), before);
    ok!(program, stream_synchronize(stream));
    assert_eq!(first(), 1);
}

#[test]
fn races_are_found_all_the_same() {
    let traced = Traced::new("races", SimOptions::default());
    let program = &traced.program;
    let address = program.alloc(16);
    let [first, second] = [(); 2].map(|()| program.stream(STREAM_NON_BLOCKING));
    let line = line!() + 2;
    ok!(program, memset_d8_async(address, 1, 16, first));
    ok!(program, memset_d8_async(address, 2, 16, second));
    let violations = traced.sim.violations();
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].kind(), ViolationKind::WriteAfterWrite);
    assert_eq!(violations[0].place(), (file!(), line));
    ok!(program, stream_synchronize(first));
    assert_eq!(traced.lines(&format!("{}:{}:", file!(), line)), 1); // the call: its work may not be done yet
    ok!(program, stream_synchronize(second));
    assert_eq!(traced.lines(&format!("{}:{}:", file!(), line)), 2);
}

#[test]
fn host_functions_and_threads_have_rows() {
    let traced = Traced::new("threads", SimOptions::default());
    let program = &traced.program;
    let (address, stream) = (program.alloc(16), program.stream(STREAM_NON_BLOCKING));
    ok!(program, memset_d8_async(address, 1, 16, stream));
    ok!(program, launch_host_function(stream, Some(nothing), ptr::null_mut()));
    ok!(program, stream_synchronize(stream));
    assert_eq!((traced.lines(DEVICE), traced.lines("\"name\":\"host function\"")), (2, 1));
    let driver = Arc::clone(&program.driver);
    let work = move || {
        let program = Program::in_context(driver);
        let mut event: CUevent = ptr::null_mut();
        ok!(program, event_create(&raw mut event, 0));
        ok!(program, context_synchronize());
    };
    thread::Builder::new().name("the \"other\" one".to_owned()).spawn(work).unwrap().join().unwrap();
    assert_eq!(traced.lines(r#""name":"the \"other\" one""#), 1);
}
