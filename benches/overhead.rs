//! What the typed layer adds to a driver call: the same work through memcore and through the driver's own functions, in
//! turns, medians of many rounds. `cargo bench --bench overhead`; it needs a GPU, since a simulated call costs nothing
//! that would compare.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, reason = "a program that prints a table")]

use std::ffi::c_void;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use libloading::Library;
use memcore::prelude::*;

type Copy = unsafe extern "C" fn(u64, *const c_void, usize, *mut c_void) -> u32;
type CopyBack = unsafe extern "C" fn(*mut c_void, u64, usize, *mut c_void) -> u32;
type Set = unsafe extern "C" fn(u64, u8, usize, *mut c_void) -> u32;
type Wait = unsafe extern "C" fn(*mut c_void) -> u32;
type Ask = unsafe extern "C" fn(*mut c_void, u32, u64) -> u32;

/// The driver's functions, from the library that memcore loaded already.
struct Raw {
    htod: Copy,
    dtoh: CopyBack,
    dtod: unsafe extern "C" fn(u64, u64, usize, *mut c_void) -> u32,
    memset: Set,
    wait: Wait,
    ask: Ask,
}

impl Raw {
    fn load() -> Result<Self, libloading::Error> {
        // SAFETY: the driver is loaded already, so that nothing runs.
        let library: &'static Library = Box::leak(Box::new(unsafe { Library::new("libcuda.so.1") }?));
        macro_rules! get {
            ($name:literal) => {
                // SAFETY: the driver's function of this name has the signature of the field.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }?
            };
        }
        Ok(Self {
            htod: get!("cuMemcpyHtoDAsync_v2"),
            dtoh: get!("cuMemcpyDtoHAsync_v2"),
            dtod: get!("cuMemcpyDtoDAsync_v2"),
            memset: get!("cuMemsetD8Async"),
            wait: get!("cuStreamSynchronize"),
            ask: get!("cuPointerGetAttribute"),
        })
    }
}

/// Nanoseconds of one call, over `batch` calls and what waits for them.
fn time(batch: usize, mut call: impl FnMut(), wait: impl FnOnce()) -> (f64, f64) {
    let start = Instant::now();
    for _ in 0..batch {
        call();
    }
    let submitted = start.elapsed().as_nanos() as f64 / batch as f64;
    wait();
    (submitted, start.elapsed().as_nanos() as f64 / batch as f64)
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// How many calls of one kind follow each other.
const TURN: usize = 8;

/// Prints the medians of both, taken in turns so that the machine's moods meet both.
fn compare(what: &str, rounds: usize, mut raw: impl FnMut() -> f64, mut typed: impl FnMut() -> f64) {
    let (mut raws, mut typeds, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds / 10 {
        raw();
        typed();
    }
    for _ in 0..rounds / TURN {
        // The first call after a change of streams takes a device longer: it is not counted.
        for (turn, samples) in [&mut raws, &mut typeds, &mut again].into_iter().enumerate() {
            let call: &mut dyn FnMut() -> f64 = if turn == 1 { &mut typed } else { &mut raw };
            call();
            samples.extend((0..TURN).map(|_| call()));
        }
    }
    let (raw, typed, again) = (median(raws), median(typeds), median(again));
    println!(
        "{what:44} raw {raw:10.0} ns   typed {typed:10.0} ns   {:+8.0} ns   ratio {:.3}   raw against itself {:.3}",
        typed - raw.min(again),
        typed / raw.min(again),
        again.max(raw) / again.min(raw)
    );
}

/// The driver's functions on buffers and a stream that live as long as the program measures.
struct Direct {
    raw: Raw,
    stream: *mut c_void,
    dev: u64,
    other: u64,
}

impl Direct {
    fn upload(&self, host: &[u8]) {
        // SAFETY: the device buffers are as large as any slice used here; all live until the stream has been waited for.
        check(unsafe { (self.raw.htod)(self.dev, host.as_ptr().cast(), host.len(), self.stream) });
    }

    fn download(&self, host: &mut [u8]) {
        // SAFETY: as for `upload`.
        check(unsafe { (self.raw.dtoh)(host.as_mut_ptr().cast(), self.dev, host.len(), self.stream) });
    }

    fn between(&self, bytes: usize) {
        // SAFETY: as for `upload`.
        check(unsafe { (self.raw.dtod)(self.dev, self.other, bytes, self.stream) });
    }

    fn set(&self, bytes: usize) {
        // SAFETY: as for `upload`.
        check(unsafe { (self.raw.memset)(self.dev, 7, bytes, self.stream) });
    }

    fn wait(&self) {
        // SAFETY: the stream is alive.
        check(unsafe { (self.raw.wait)(self.stream) });
    }

    fn ask(&self, pointer: *const u8) {
        let mut kind = 0_u32;
        // SAFETY: `kind` has room for the attribute (2, the memory type); the address is only looked up.
        unsafe { (self.raw.ask)((&raw mut kind).cast(), 2, pointer.addr() as u64) };
    }
}

fn check(status: u32) {
    assert_eq!(status, 0, "the driver failed");
}

/// Submissions of 4 B to 64 KiB, without their wait.
fn submissions(direct: &Direct, stream: &Stream, dev: &mut DeviceSlice<u8>, other: &DeviceSlice<u8>, locked: &[u8]) {
    for bytes in [4, 4096, 65_536] {
        compare(
            &format!("submit HtoD page-locked, {bytes} B"),
            400,
            || time(200, || direct.upload(&locked[..bytes]), || direct.wait()).0,
            || {
                let upload = || {
                    // SAFETY: both live, used by nothing else, until the wait.
                    unsafe { copy!(dev[..bytes] <- locked[..bytes], async stream) }.unwrap();
                };
                time(200, upload, || stream.synchronize().unwrap()).0
            },
        );
    }
    compare(
        "submit DtoD, 4096 B",
        400,
        || time(200, || direct.between(4096), || direct.wait()).0,
        || {
            let between = || {
                // SAFETY: both live, used by nothing else, until the wait.
                unsafe { copy!(dev[..4096] <- other[..4096], async stream) }.unwrap();
            };
            time(200, between, || stream.synchronize().unwrap()).0
        },
    );
}

/// Copies and fills of 4 B to 1 MiB, with their wait.
fn complete(direct: &Direct, dev: &mut DeviceSlice<u8>, locked: &mut LockedBuffer<u8>, pageable: &mut [u8]) {
    let rounds = 2000;
    for bytes in [4, 4096, 1 << 20] {
        let both = |call: &mut dyn FnMut()| {
            time(
                1,
                || {
                    call();
                    direct.wait();
                },
                || (),
            )
            .1
        };
        compare(
            &format!("copy and wait HtoD page-locked, {bytes} B"),
            rounds,
            || both(&mut || direct.upload(&locked[..bytes])),
            || time(1, || copy!(dev[..bytes] <- locked[..bytes]).unwrap(), || ()).1,
        );
        let cell = std::cell::RefCell::new(&mut *locked);
        compare(
            &format!("copy and wait DtoH page-locked, {bytes} B"),
            rounds,
            || both(&mut || direct.download(&mut cell.borrow_mut()[..bytes])),
            || time(1, || copy!(cell.borrow_mut()[..bytes] <- dev[..bytes]).unwrap(), || ()).1,
        );
        let cell = std::cell::RefCell::new(&mut *pageable);
        compare(
            &format!("copy and wait DtoH pageable, {bytes} B"),
            rounds,
            || both(&mut || direct.download(&mut cell.borrow_mut()[..bytes])),
            || time(1, || copy!(cell.borrow_mut()[..bytes] <- dev[..bytes]).unwrap(), || ()).1,
        );
        compare(
            &format!("memset and wait, {bytes} B"),
            rounds,
            || both(&mut || direct.set(bytes)),
            || time(1, || fill!(dev[..bytes] <- 7).unwrap(), || ()).1,
        );
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::new(0)?;
    println!("{} ({} GPUs), CUDA {:?}", device.name()?, Device::count()?, device.driver_version()?);
    let contexts = Device::all()?.iter().map(Context::new).collect::<memcore::Result<Vec<_>>>()?;
    let found_by = if contexts.len() == 1 { "two atomic loads" } else { "cuPointerGetAttribute" };
    println!("{} contexts open: slices find theirs by {found_by}", contexts.len());
    let _entered = contexts[0].enter();
    let stream = Stream::new()?;
    let (mut dev, other) = (device_vec![0_u8; 1 << 20]?, device_vec![1_u8; 1 << 20]?);
    let (mut locked, mut pageable) = (locked_vec![3_u8; 1 << 20]?, vec![5_u8; 1 << 20]);
    let (address, from) = (dev.as_device_ptr().as_raw(), other.as_device_ptr().as_raw());
    let direct = Direct { raw: Raw::load()?, stream: stream.as_raw(), dev: address, other: from };

    submissions(&direct, &stream, &mut dev, &other, &locked);
    complete(&direct, &mut dev, &mut locked, &mut pageable);
    for (what, pointer) in [("page-locked", locked.as_ptr()), ("pageable", pageable.as_ptr())] {
        let nanoseconds = time(100_000, || direct.ask(pointer), || ()).0;
        println!("cuPointerGetAttribute of {what} memory: {nanoseconds:.0} ns");
    }
    for bytes in [4, 1 << 20, 64 << 20, 1 << 30] {
        // SAFETY: nothing reads the memory.
        let allocate = || drop(unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.unwrap());
        let samples = (0..300).map(|_| time(1, allocate, || ()).1).collect();
        println!("allocate, wait and free {bytes} B: {:.1} us", median(samples) / 1e3);
    }
    zeroed(&contexts[0]);
    Ok(())
}

/// Zeroed memory; and allocations beside a thread that zeroes.
fn zeroed(context: &Context) {
    let zero = |bytes: usize| drop(DeviceBuffer::<u8>::zeroed_in(context, bytes).unwrap());
    let samples = (0..300).map(|_| time(1, || zero(64 << 20), || context.synchronize().unwrap()).1).collect();
    println!("zeroed 64 MiB, drop and wait: {:.1} us", median(samples) / 1e3);
    let ended = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                zero(4 << 30);
            }
        });
        // SAFETY: nothing reads the memory.
        let allocate = || drop(unsafe { DeviceBuffer::<u8>::uninitialized_in(context, 4) }.unwrap());
        let samples = (0..2000).map(|_| time(1, allocate, || ()).1).collect();
        ended.store(true, Ordering::Relaxed);
        println!("allocate, wait and free 4 B while another thread zeroes 4 GiB: {:.1} us", median(samples) / 1e3);
    });
}

fn main() -> ExitCode {
    match Device::new(0) {
        Ok(device) if !device.is_simulated() => match run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            println!("no GPU here: nothing to measure");
            ExitCode::SUCCESS
        }
    }
}
