//! Work in a loop, through memcore or through the driver's own functions, for its instructions to be counted:
//! `scripts/instructions.py` runs it, on a driver that does nothing.
//!
//!     instructions raw|typed WORK COUNT

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, reason = "a program of a script")]

#[path = "support/driver.rs"]
#[allow(dead_code, unreachable_pub, missing_debug_implementations, reason = "other programs have the same file")]
mod driver;

use std::env;
use std::ffi::c_void;
use std::hint::black_box;
use std::process::ExitCode;

use memcore::prelude::*;

use driver::{DRIVER, check};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What is copied: 4 bytes, as a program has them whose sizes are known when it runs.
struct Operands {
    stream: Stream,
    dev: DeviceBuffer<u8>,
    other: DeviceBuffer<u8>,
    locked: LockedBuffer<u8>,
    pageable: Vec<u8>,
}

fn raw(work: &str, count: usize, operands: &mut Operands) -> Outcome {
    let raw = &*DRIVER;
    let stream = operands.stream.as_raw();
    let (dev, other) = (operands.dev.as_device_ptr().as_raw(), operands.other.as_device_ptr().as_raw());
    let bytes = black_box(operands.dev.len());
    macro_rules! repeat {
        ($($function:ident($($argument:expr),*)),+) => {
            for _ in 0..count {
                // SAFETY: host and device memory have as many bytes; the driver does nothing with them.
                $(check(unsafe { (raw.$function)($($argument),*) });)+
            }
        };
    }
    let locked: *mut c_void = operands.locked.as_mut_ptr().cast();
    let pageable: *mut c_void = operands.pageable.as_mut_ptr().cast();
    match work {
        "htod-locked" | "htod-locked-on" => repeat!(htod(dev, locked, bytes, stream), wait(stream)),
        "dtoh-locked" => repeat!(dtoh(locked, dev, bytes, stream), wait(stream)),
        "htod-pageable" => repeat!(htod(dev, pageable, bytes, stream), wait(stream)),
        "dtoh-pageable" => repeat!(dtoh(pageable, dev, bytes, stream), wait(stream)),
        "dtod" => repeat!(dtod(dev, other, bytes, stream), wait(stream)),
        "memset" => repeat!(memset(dev, 7, bytes, stream), wait(stream)),
        "htod-async" | "htod-scope" => repeat!(htod(dev, locked, bytes, stream)),
        "dtoh-async" | "dtoh-scope" => repeat!(dtoh(locked, dev, bytes, stream)),
        "dtod-async" | "dtod-scope" => repeat!(dtod(dev, other, bytes, stream)),
        "scope" => repeat!(wait(stream)),
        "allocate" => {
            let mut address = 0;
            for _ in 0..count {
                // SAFETY: `address` is writable; the driver makes no use of the pool.
                check(unsafe { (raw.pool_alloc)(&raw mut address, bytes, std::ptr::null_mut(), stream) });
                // SAFETY: the stream is alive.
                check(unsafe { (raw.wait)(stream) });
                // SAFETY: the memory was just allocated.
                check(unsafe { (raw.pool_free)(address, stream) });
            }
        }
        _ => return Err(format!("no work is called {work}").into()),
    }
    Ok(())
}

fn typed(work: &str, count: usize, operands: &mut Operands) -> Outcome {
    let Operands { stream, dev, other, locked, pageable } = operands;
    macro_rules! repeat {
        ($work:expr) => {
            for _ in 0..count {
                $work?;
            }
        };
    }
    match work {
        "htod-locked" => repeat!(copy!(dev <- locked)),
        "htod-locked-on" => repeat!(copy!(dev <- locked, stream)),
        "dtoh-locked" => repeat!(copy!(locked <- dev)),
        "htod-pageable" => repeat!(copy!(dev <- pageable)),
        "dtoh-pageable" => repeat!(copy!(pageable <- dev)),
        "dtod" => repeat!(copy!(dev <- other)),
        "memset" => repeat!(fill!(dev <- 7)),
        // SAFETY: the driver does nothing with the memory; on another one all would live until the program ends.
        "htod-async" => repeat!(unsafe { copy!(dev <- locked, async stream) }),
        // SAFETY: as above.
        "dtoh-async" => repeat!(unsafe { copy!(locked <- dev, async stream) }),
        // SAFETY: as above.
        "dtod-async" => repeat!(unsafe { copy!(dev <- other, async stream) }),
        "htod-scope" => stream.scope(|s| {
            let dev = s.lend(dev);
            for _ in 0..count {
                copy!(dev[..] <- locked, s)?;
            }
            Ok::<(), memcore::Error>(())
        })?,
        "dtoh-scope" => stream.scope(|s| {
            let locked = s.lend(locked);
            for _ in 0..count {
                copy!(locked[..] <- dev, s)?;
            }
            Ok::<(), memcore::Error>(())
        })?,
        "dtod-scope" => stream.scope(|s| {
            let dev = s.lend(dev);
            for _ in 0..count {
                copy!(dev[..] <- other, s)?;
            }
            Ok::<(), memcore::Error>(())
        })?,
        "scope" => repeat!(stream.scope(|_| Ok::<(), memcore::Error>(()))),
        "allocate" => {
            let bytes = black_box(dev.len());
            for _ in 0..count {
                // SAFETY: nothing reads the memory.
                drop(unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }?);
            }
        }
        _ => return Err(format!("no work is called {work}").into()),
    }
    Ok(())
}

fn run(layer: &str, work: &str, count: usize) -> Outcome {
    let context = Context::new(&Device::new(0)?)?;
    let _entered = context.enter();
    let bytes = black_box(4);
    let mut operands = Operands {
        stream: Stream::new()?,
        dev: DeviceBuffer::zeroed(bytes)?,
        other: DeviceBuffer::zeroed(bytes)?,
        locked: LockedBuffer::zeroed(bytes)?,
        pageable: vec![0; bytes],
    };
    match layer {
        "raw" => raw(work, count, &mut operands),
        "typed" => typed(work, count, &mut operands),
        _ => Err(format!("no layer is called {layer}").into()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [layer, work, count] = &arguments[..] else {
        println!("scripts/instructions.py runs this");
        return ExitCode::SUCCESS;
    };
    let Ok(count) = count.parse() else {
        eprintln!("no count: {count}");
        return ExitCode::FAILURE;
    };
    match run(layer, work, count) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
