//! What only a GPU can show: kernels, faults and captures beside memcore's own work. Without a GPU every test here is ignored,
//! visibly; `docs/gpu.md` says what ran.

#![allow(clippy::print_stdout, reason = "the suite says what it ran on")]

#[path = "support/everything.rs"]
mod everything;

use std::env;
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::process::{Command, ExitCode};
use std::ptr;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use everything::everything;
use libloading::Library;
use libtest_mimic::{Arguments, Failed, Trial};
use memcore::prelude::*;

type Outcome = Result<(), Box<dyn Error>>;

type Test = (&'static str, fn() -> Outcome);

/// Adds 1 to each of `n` words, and one that traps.
const PTX: &CStr = cr#"
.version 7.0
.target sm_50
.address_size 64

.visible .entry add_one(.param .u64 words, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [words];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    setp.ge.u32 %p, %r4, %r0;
    @%p bra done;
    cvta.to.global.u64 %d0, %d0;
    mul.wide.u32 %d1, %r4, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.u32 %r5, [%d2];
    add.u32 %r5, %r5, 1;
    st.global.u32 [%d2], %r5;
done:
    ret;
}

.visible .entry fault()
{
    trap;
}
"#;

/// Another library on the same driver, in the same primary context: modules, kernels and captures.
struct Neighbour {
    library: Library,
}

impl Neighbour {
    fn new() -> Result<Self, Box<dyn Error>> {
        // SAFETY: memcore has loaded and initialised the driver already.
        Ok(Self { library: unsafe { Library::new("libcuda.so.1") }? })
    }

    /// The driver function of this name as a `F`.
    ///
    /// # Safety
    ///
    /// `F` is its type.
    unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, Box<dyn Error>> {
        // SAFETY: the caller's contract.
        Ok(*unsafe { self.library.get::<F>(name.as_bytes()) }?)
    }

    /// A kernel of [`PTX`], in the current context.
    fn kernel(&self, name: &CStr) -> Result<*mut c_void, Box<dyn Error>> {
        let (mut module, mut kernel) = (ptr::null_mut::<c_void>(), ptr::null_mut::<c_void>());
        // SAFETY: the driver's signature.
        let load: unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> u32 =
            unsafe { self.function("cuModuleLoadData") }?;
        // SAFETY: a NUL-terminated text of PTX, and a place for the handle.
        ok("cuModuleLoadData", unsafe { load(&raw mut module, PTX.as_ptr().cast()) })?;
        type Get = unsafe extern "C" fn(*mut *mut c_void, *mut c_void, *const core::ffi::c_char) -> u32;
        // SAFETY: the driver's signature.
        let get: Get = unsafe { self.function("cuModuleGetFunction") }?;
        // SAFETY: a live module, a name, and a place for the handle.
        ok("cuModuleGetFunction", unsafe { get(&raw mut kernel, module, name.as_ptr()) })?;
        Ok(kernel)
    }

    /// Queues a kernel.
    ///
    /// # Safety
    ///
    /// The parameters are the kernel's, and what it touches is its own until it is done.
    unsafe fn launch(
        &self,
        kernel: *mut c_void,
        blocks: u32,
        threads: u32,
        stream: *mut c_void,
        parameters: &mut [*mut c_void],
    ) -> Outcome {
        type Launch = unsafe extern "C" fn(
            *mut c_void,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            *mut c_void,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> u32;
        // SAFETY: the driver's signature.
        let launch: Launch = unsafe { self.function("cuLaunchKernel") }?;
        let parameters = parameters.as_mut_ptr();
        // SAFETY: the caller's contract.
        let code = unsafe { launch(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, ptr::null_mut()) };
        ok("cuLaunchKernel", code)
    }

    /// Begins a capture of the stream in the global mode.
    fn begin_capture(&self, stream: *mut c_void) -> Outcome {
        // SAFETY: the driver's signature.
        let begin: unsafe extern "C" fn(*mut c_void, u32) -> u32 = unsafe { self.function("cuStreamBeginCapture_v2") }?;
        // SAFETY: a live stream, and the global mode.
        ok("cuStreamBeginCapture_v2", unsafe { begin(stream, 0) })
    }

    /// Ends it; an error if anything invalidated it.
    fn end_capture(&self, stream: *mut c_void) -> Outcome {
        let mut graph = ptr::null_mut::<c_void>();
        // SAFETY: the driver's signature.
        let end: unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> u32 =
            unsafe { self.function("cuStreamEndCapture") }?;
        // SAFETY: a live stream, and a place for the handle.
        ok("cuStreamEndCapture", unsafe { end(stream, &raw mut graph) })
    }
}

fn ok(what: &str, code: u32) -> Outcome {
    if code == 0 { Ok(()) } else { Err(format!("{what}: {code}").into()) }
}

fn a_kernel_of_another_library_runs_in_a_scope() -> Outcome {
    let context = Context::current()?;
    let _entered = context.enter();
    let neighbour = Neighbour::new()?;
    let kernel = neighbour.kernel(c"add_one")?;
    let stream = Stream::new()?;
    let host: Vec<u32> = (0..1_000_000).collect();
    let source = LockedBuffer::from_slice(&host)?;
    let mut back = locked_vec![0_u32; host.len()]?;
    let mut dev = device_vec![0_u32; host.len()]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)?;
        let (mut pointer, mut n) = (dev.as_device_ptr(), dev.len() as u32);
        let mut parameters = [(&raw mut pointer).cast(), (&raw mut n).cast()];
        // SAFETY: the kernel's two parameters; it works on `dev` alone, which is lent to this scope, in its stream's order.
        unsafe { neighbour.launch(kernel, n.div_ceil(256), 256, s.as_raw(), &mut parameters)? };
        copy!(back <- dev, s)?;
        Ok::<_, Box<dyn Error>>(())
    })?;
    assert!(back.iter().zip(&host).all(|(back, host)| *back == host + 1));
    Ok(())
}

fn captures_of_other_threads_survive() -> Outcome {
    let context = Context::current()?;
    let _entered = context.enter();
    let (to_main, from_thread) = mpsc::channel();
    let (to_thread, from_main) = mpsc::channel::<()>();
    let made_before = device_vec![0_u8; 16]?;
    thread::scope(|scope| {
        let context = &context;
        let capturing = scope.spawn(move || {
            let _entered = context.enter();
            let (neighbour, stream) = (Neighbour::new().unwrap(), Stream::new().unwrap());
            neighbour.begin_capture(stream.as_raw()).unwrap();
            // memcore's safe calls refuse a stream that is being captured, and leave the capture alone.
            let mut dev = made_before;
            assert_eq!(fill!(dev <- 1_u8, stream), Err(memcore::Error::StreamCapturing));
            assert_eq!(stream.synchronize(), Err(memcore::Error::StreamCapturing));
            let scoped: memcore::Result<()> = stream.scope(|_| panic!("the scope was entered"));
            assert_eq!(scoped, Err(memcore::Error::StreamCapturing));
            to_main.send(()).unwrap();
            from_main.recv().unwrap();
            neighbour.end_capture(stream.as_raw()).map_err(|error| error.to_string())
        });
        let worked = if from_thread.recv().is_ok() { everything(context) } else { Ok(()) };
        let _ = to_thread.send(());
        let captured = capturing.join().expect("the capturing thread panicked");
        worked.map_err(|error| error.to_string()).and(captured)
    })?;
    Ok(())
}

/// A kernel traps while a long download into page-locked memory runs on another stream: the scope returns only when no byte
/// moves any more. In a process of its own, whose context is dead afterwards.
fn nothing_moves_after_a_fault() -> Outcome {
    let context = Context::current()?;
    let _entered = context.enter();
    let neighbour = Neighbour::new()?;
    let kernel = neighbour.kernel(c"fault")?;
    let len = 8_usize << 30;
    let dev = device_vec![0xAB_u8; len]?;
    // SAFETY: all of it is written by the copy, or compared as the bytes that it has.
    let mut locked = LockedBuffer::<u8>::zeroed(len)?;
    let (copying, faulting) = (Stream::new()?, Stream::new()?);
    let started = std::time::Instant::now();
    let result = copying.scope(|s| {
        copy!(locked <- dev, s)?;
        // SAFETY: no parameters, and it touches nothing.
        unsafe { neighbour.launch(kernel, 1, 1, faulting.as_raw(), &mut []) }
            .map_err(|_| memcore::Error::Unsupported { what: "the launch" })
    });
    let waited = started.elapsed();
    let landed = |locked: &[u8]| locked.iter().step_by(4096).filter(|byte| **byte == 0xAB).count();
    let at_once = landed(&locked);
    thread::sleep(Duration::from_millis(1500));
    let later = landed(&locked);
    println!("the scope returned {result:?} after {waited:?}, {at_once} of {} pages landed, {later} later", len / 4096);
    assert!(result.is_err(), "the trap was not seen");
    assert_eq!(at_once, later, "bytes moved after the scope had returned");
    // What is left cannot be freed: it leaks, and the process ends.
    std::mem::forget((dev, locked));
    Ok(())
}

/// Transfers that are forgotten in flight: what they still write is their own memory, which nobody gets again. (On the
/// simulated device `tests/transfer.rs` does this; there it is a leak to be found.)
fn forgotten_transfers_land_in_their_own_memory() -> Outcome {
    const LEN: usize = 1 << 30;
    let stream = Stream::new()?;
    let (dev, source) = (device_vec![0x55_u8; LEN]?, locked_vec![0x55_u8; LEN]?);
    let (up_to, down_to) = (device_vec![0_u8; LEN]?, locked_vec![0_u8; LEN]?);
    std::mem::forget(stream.download(dev, down_to)?);
    std::mem::forget(stream.upload(source, up_to)?);
    let in_flight = !stream.query()?;
    let (host, dev) = (locked_vec![0xEE_u8; LEN]?, device_vec![0xEE_u8; LEN]?);
    stream.synchronize()?;
    assert!(host.iter().all(|byte| *byte == 0xEE) && dev.to_vec()? == *host, "bytes landed in other memory");
    assert!(in_flight, "the copies were done before they were forgotten");
    Ok(())
}

const CHILD: &str = "MEMCORE_TEST_FAULT";

/// Large page-locked memory is what it is meant to be on a GPU's machine: registered, of huge pages, and used again.
fn large_page_locked_memory_is_mapped_and_kept() -> Outcome {
    const LEN: usize = 64 << 20;
    let context = Context::current()?;
    context.trim(0)?;
    let before = context.locked_statistics();
    let mut places = Vec::new();
    for turn in 0..3_u8 {
        let mut locked = LockedBuffer::<u8>::zeroed(LEN)?;
        assert!(locked.iter().all(|byte| *byte == 0), "{turn}");
        locked.fill(turn + 1);
        let dev = DeviceBuffer::from_slice(&locked)?;
        locked.fill(0);
        copy!(locked <- dev)?;
        assert!(locked.iter().all(|byte| *byte == turn + 1), "{turn}");
        assert_eq!(locked.device_ptr()?.as_raw(), locked.as_ptr().expose_provenance() as u64);
        places.push(locked.as_ptr());
    }
    let after = context.locked_statistics();
    println!("{after:?}");
    assert_eq!((after.mapped, after.reused, after.refused), (before.mapped + 1, before.reused + 2, before.refused));
    assert_eq!((after.without_huge_pages, after.kept_bytes), (before.without_huge_pages, LEN as u64));
    assert_eq!(places, [places[0]; 3]);
    context.trim(0)?;
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    Ok(())
}

fn nothing_moves_after_a_fault_in_a_child() -> Outcome {
    let output = Command::new(env::current_exe()?).env(CHILD, "1").output()?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned().into()) }
}

fn main() -> ExitCode {
    if env::var_os(CHILD).is_some() {
        return match nothing_moves_after_a_fault() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let device = Device::new(0);
    let has_gpu = device.as_ref().is_ok_and(|device| !device.is_simulated());
    let tests: [Test; 5] = [
        ("a_kernel_of_another_library_runs_in_a_scope", a_kernel_of_another_library_runs_in_a_scope),
        ("captures_of_other_threads_survive", captures_of_other_threads_survive),
        ("forgotten_transfers_land_in_their_own_memory", forgotten_transfers_land_in_their_own_memory),
        ("large_page_locked_memory_is_mapped_and_kept", large_page_locked_memory_is_mapped_and_kept),
        ("nothing_moves_after_a_fault", nothing_moves_after_a_fault_in_a_child),
    ];
    let trials = tests.map(|(name, test)| {
        Trial::test(name, move || test().map_err(|error| Failed::from(error.to_string()))).with_ignored_flag(!has_gpu)
    });
    println!(
        "memcore on hardware: {} tests, {}",
        tests.len(),
        if has_gpu { "on a GPU" } else { "ignored: no GPU here" }
    );
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}
