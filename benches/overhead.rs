//! What the typed layer adds to a driver call: the same work through memcore and through the driver's own functions, in
//! turns, medians of many rounds. `cargo bench --bench overhead`; it needs a GPU, since a simulated call costs nothing
//! that would compare.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, reason = "a program that prints a table")]

use std::ffi::c_void;
use std::process::ExitCode;
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

/// Prints the medians of both, taken in turns so that the machine's moods meet both.
fn compare(what: &str, rounds: usize, mut raw: impl FnMut() -> f64, mut typed: impl FnMut() -> f64) {
    let (mut raws, mut typeds, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds / 10 {
        raw();
        typed();
    }
    for _ in 0..rounds {
        raws.push(raw());
        typeds.push(typed());
        again.push(raw());
    }
    let (raw, typed, again) = (median(raws), median(typeds), median(again));
    println!(
        "{what:44} raw {raw:10.0} ns   typed {typed:10.0} ns   {:+8.0} ns   ratio {:.3}   raw against itself {:.3}",
        typed - raw.min(again),
        typed / raw.min(again),
        again.max(raw) / again.min(raw)
    );
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::new(0)?;
    println!("{} ({} GPUs), CUDA {:?}", device.name()?, Device::count()?, device.driver_version()?);
    let contexts = Device::all()?.iter().map(Context::new).collect::<memcore::Result<Vec<_>>>()?;
    println!(
        "{} contexts open: slices find theirs by {}",
        contexts.len(),
        if contexts.len() == 1 { "one atomic load" } else { "cuPointerGetAttribute" }
    );
    let raw = Raw::load()?;
    let _entered = contexts[0].enter();
    let stream = Stream::new()?;
    let handle = stream.as_raw();
    // SAFETY (of every raw call below): the buffers have the sizes named and live to the end; the stream is waited for.
    let check = |status: u32| assert_eq!(status, 0);

    let mut dev = device_vec![0_u8; 1 << 20]?;
    let other = device_vec![1_u8; 1 << 20]?;
    let (address, from) = (dev.as_device_ptr().as_raw(), other.as_device_ptr().as_raw());
    let mut locked = locked_vec![3_u8; 1 << 20]?;
    let mut pageable = vec![5_u8; 1 << 20];

    for bytes in [4, 4096, 65_536] {
        let host = locked.as_ptr();
        compare(
            &format!("submit HtoD page-locked, {bytes} B"),
            400,
            // SAFETY: see above.
            || {
                time(
                    200,
                    || check(unsafe { (raw.htod)(address, host.cast(), bytes, handle) }),
                    || check(unsafe { (raw.wait)(handle) }),
                )
                .0
            },
            || {
                time(
                    200,
                    // SAFETY: both live, unused, until the wait.
                    || unsafe { copy!(dev[..bytes] <- locked[..bytes], async stream) }.unwrap(),
                    || stream.synchronize().unwrap(),
                )
                .0
            },
        );
    }
    compare(
        "submit DtoD, 4096 B",
        400,
        // SAFETY: see above.
        || {
            time(
                200,
                || check(unsafe { (raw.dtod)(address, from, 4096, handle) }),
                || check(unsafe { (raw.wait)(handle) }),
            )
            .0
        },
        // SAFETY: both live, unused, until the wait.
        || {
            time(
                200,
                || unsafe { copy!(dev[..4096] <- other[..4096], async stream) }.unwrap(),
                || stream.synchronize().unwrap(),
            )
            .0
        },
    );
    for bytes in [4, 4096, 1 << 20] {
        let host = locked.as_mut_ptr();
        let slow = pageable.as_mut_ptr();
        compare(
            &format!("copy and wait HtoD page-locked, {bytes} B"),
            2000,
            // SAFETY: see above.
            || {
                time(
                    1,
                    || {
                        check(unsafe { (raw.htod)(address, host.cast(), bytes, handle) });
                        check(unsafe { (raw.wait)(handle) })
                    },
                    || (),
                )
                .1
            },
            || time(1, || copy!(dev[..bytes] <- locked[..bytes]).unwrap(), || ()).1,
        );
        compare(
            &format!("copy and wait DtoH page-locked, {bytes} B"),
            2000,
            // SAFETY: see above.
            || {
                time(
                    1,
                    || {
                        check(unsafe { (raw.dtoh)(host.cast(), address, bytes, handle) });
                        check(unsafe { (raw.wait)(handle) })
                    },
                    || (),
                )
                .1
            },
            || time(1, || copy!(locked[..bytes] <- dev[..bytes]).unwrap(), || ()).1,
        );
        compare(
            &format!("copy and wait DtoH pageable, {bytes} B"),
            2000,
            // SAFETY: see above.
            || {
                time(
                    1,
                    || {
                        check(unsafe { (raw.dtoh)(slow.cast(), address, bytes, handle) });
                        check(unsafe { (raw.wait)(handle) })
                    },
                    || (),
                )
                .1
            },
            || time(1, || copy!(pageable[..bytes] <- dev[..bytes]).unwrap(), || ()).1,
        );
        compare(
            &format!("memset and wait, {bytes} B"),
            2000,
            // SAFETY: see above.
            || {
                time(
                    1,
                    || {
                        check(unsafe { (raw.memset)(address, 7, bytes, handle) });
                        check(unsafe { (raw.wait)(handle) })
                    },
                    || (),
                )
                .1
            },
            || time(1, || fill!(dev[..bytes] <- 7).unwrap(), || ()).1,
        );
    }
    for (what, pointer) in [("page-locked", locked.as_ptr()), ("pageable", pageable.as_ptr())] {
        let mut kind = 0_u32;
        // SAFETY: `kind` has room for the attribute (2, the memory type); the address is only looked up.
        let nanoseconds = time(
            100_000,
            || {
                unsafe { (raw.ask)((&raw mut kind).cast(), 2, pointer as u64) };
            },
            || (),
        )
        .0;
        println!("cuPointerGetAttribute of {what} memory: {nanoseconds:.0} ns");
    }
    for bytes in [4, 1 << 20, 64 << 20, 1 << 30] {
        let samples = (0..300)
            .map(|_| time(1, || drop(unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.unwrap()), || ()).1)
            .collect();
        println!("allocate, wait and free {bytes} B: {:.1} us", median(samples) / 1e3);
    }
    Ok(())
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
