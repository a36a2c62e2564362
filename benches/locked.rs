//! Page-locked memory: what an allocation with its free takes, by the driver, by memcore on fresh pages, and on pages that it
//! has kept; and what a download into a new `Vec` takes. `cargo bench --bench locked`; it needs a GPU.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, reason = "a program that prints a table")]

#[path = "support/driver.rs"]
#[allow(dead_code, unreachable_pub, missing_debug_implementations, reason = "other programs have the same file")]
mod driver;
#[path = "support/on_gpu.rs"]
#[allow(unreachable_pub, reason = "other programs have the same file")]
mod on_gpu;

use std::hint::black_box;
use std::process::ExitCode;
use std::ptr;
use std::time::Instant;

use memcore::prelude::*;

use driver::{DRIVER, check};

const MIB: usize = 1 << 20;

/// Milliseconds: the median of some rounds, the least and the most.
fn measure(rounds: usize, mut work: impl FnMut()) -> String {
    work();
    let mut all: Vec<_> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    all.sort_by(f64::total_cmp);
    format!("{:9.4} ({:.4}–{:.4})", all[rounds / 2], all[0], all[rounds - 1])
}

fn run(_: &Device) -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::current()?;
    let _entered = context.enter();
    println!("milliseconds: median (least–most)");
    for bytes in [MIB / 8, MIB / 4, MIB / 2, MIB, 2 * MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB] {
        let rounds = (512 * MIB / bytes).clamp(7, 101);
        let driver = measure(rounds, || {
            let mut pointer = ptr::null_mut();
            // SAFETY: `pointer` is writable for the length of the call.
            check(unsafe { (DRIVER.host_alloc)(&raw mut pointer, bytes, 0) });
            // SAFETY: nothing uses the memory.
            check(unsafe { (DRIVER.free_host)(pointer) });
        });
        let zeroed = || drop(black_box(LockedBuffer::<u8>::zeroed(bytes).unwrap()));
        // SAFETY: nothing reads the memory.
        let uninitialized = || drop(black_box(unsafe { LockedBuffer::<u8>::uninitialized(bytes) }.unwrap()));
        let limit = context.locked_statistics().kept_limit as usize;
        context.keep_locked_memory(0)?;
        let (fresh, fresh_zeroed) = (measure(rounds, uninitialized), measure(rounds, zeroed));
        context.keep_locked_memory(limit)?;
        let (kept, kept_zeroed) = (measure(rounds, uninitialized), measure(rounds, zeroed));
        context.trim(0)?;
        println!("allocate and free {:8} KiB: driver {driver}, fresh {fresh}, kept {kept}", bytes >> 10);
        println!("                     zeroed: fresh {fresh_zeroed}, kept {kept_zeroed}");
    }
    println!("{:?}", context.locked_statistics());
    for bytes in [MIB, 2 * MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, 1024 * MIB] {
        let dev = DeviceBuffer::<u8>::zeroed(bytes)?;
        let mut host = vec![1_u8; bytes];
        let rounds = (512 * MIB / bytes).clamp(7, 101);
        let new = measure(rounds, || drop(black_box(dev.to_vec().unwrap())));
        let present = measure(rounds, || copy!(host <- dev).unwrap());
        println!("download {:10} KiB   to_vec {new}   into a Vec that is there {present}", bytes >> 10);
    }
    Ok(())
}

fn main() -> ExitCode {
    on_gpu::on_gpu(run)
}
