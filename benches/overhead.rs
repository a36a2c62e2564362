//! What is not of one call on one device beside the driver's own, which `benches/peers` measures: queueing with a context open on
//! each device, where slices are found by asking the driver; that question; and allocations, also while another thread fills
//! memory. `cargo bench --bench overhead`; it needs a GPU, since a simulated call costs nothing that would compare.

#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, reason = "a program that prints a table")]

#[path = "support/driver.rs"]
#[allow(dead_code, unreachable_pub, missing_debug_implementations, reason = "other programs have the same file")]
mod driver;
#[path = "support/in_turns.rs"]
#[allow(unreachable_pub, reason = "other programs have the same file")]
mod in_turns;
#[path = "support/on_gpu.rs"]
#[allow(unreachable_pub, reason = "other programs have the same file")]
mod on_gpu;

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use memcore::prelude::*;

use driver::{DRIVER, check};

/// Calls in one sample of what is queued.
const BATCH: usize = 200;

/// Nanoseconds of a call and of what is done after it.
fn time(call: impl FnOnce(), after: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    after();
    start.elapsed().as_nanos() as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// Prints the medians of a raw call and of the typed one, without their wait.
fn compare(what: &str, stream: &Stream, raw: impl FnMut(), typed: impl FnMut()) {
    let [raw, typed, again] =
        in_turns::samples(BATCH, raw, typed, || stream.synchronize().expect("a wait")).map(median);
    println!(
        "{what:44} raw {raw:10.0} ns   typed {typed:10.0} ns   {:+8.0} ns   ratio {:.3}   raw against itself {:.3}",
        typed - raw.min(again),
        typed / raw.min(again),
        again.max(raw) / again.min(raw)
    );
}

fn submissions(stream: &Stream) -> memcore::Result<()> {
    let (mut dev, other) = (device_vec![0_u8; 4096]?, device_vec![1_u8; 4096]?);
    let locked = locked_vec![3_u8; 4096]?;
    let (to, from, on) = (dev.as_device_ptr().as_raw(), other.as_device_ptr().as_raw(), stream.as_raw());
    for bytes in [4, 4096] {
        compare(
            &format!("queue a copy from page-locked memory, {bytes} B"),
            stream,
            // SAFETY: both have as many bytes, and live until the wait.
            || check(unsafe { (DRIVER.htod)(to, locked.as_ptr().cast(), bytes, on) }),
            || {
                // SAFETY: both live, used by nothing else, until the wait.
                unsafe { copy!(dev[..bytes] <- locked[..bytes], async stream) }.unwrap();
            },
        );
    }
    compare(
        "queue a copy on the device, 4096 B",
        stream,
        // SAFETY: both have as many bytes, and live until the wait.
        || check(unsafe { (DRIVER.dtod)(to, from, 4096, on) }),
        || {
            // SAFETY: both live, used by nothing else, until the wait.
            unsafe { copy!(dev <- other, async stream) }.unwrap();
        },
    );
    Ok(())
}

/// What it takes to ask the driver about an address.
fn questions() -> memcore::Result<()> {
    let (locked, pageable) = (locked_vec![3_u8; 4096]?, vec![5_u8; 4096]);
    for (what, pointer) in [("page-locked", locked.as_ptr()), ("pageable", pageable.as_ptr())] {
        let ask = || {
            let mut kind = 0_u32;
            // SAFETY: `kind` has room for the attribute (2, the memory type); the address is only looked up.
            unsafe { (DRIVER.attribute)((&raw mut kind).cast(), 2, pointer.addr() as u64) };
        };
        let nanoseconds = time(|| (0..100_000).for_each(|_| ask()), || ()) / 1e5;
        println!("cuPointerGetAttribute of {what} memory: {nanoseconds:.0} ns");
    }
    Ok(())
}

/// Device memory, zeroed memory, and allocations beside a thread that zeroes.
fn allocations(context: &Context) {
    // SAFETY: nothing reads the memory.
    let allocate = |bytes| drop(unsafe { DeviceBuffer::<u8>::uninitialized_in(context, bytes) }.unwrap());
    for bytes in [4, 1 << 20, 64 << 20, 1 << 30] {
        let samples = (0..300).map(|_| time(|| allocate(bytes), || ())).collect();
        println!("allocate, wait and free {bytes} B: {:.1} us", median(samples) / 1e3);
    }
    let zero = |bytes: usize| drop(DeviceBuffer::<u8>::zeroed_in(context, bytes).unwrap());
    let samples = (0..300).map(|_| time(|| zero(64 << 20), || context.synchronize().unwrap())).collect();
    println!("zeroed 64 MiB, drop and wait: {:.1} us", median(samples) / 1e3);
    let ended = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                zero(4 << 30);
            }
        });
        let samples = (0..2000).map(|_| time(|| allocate(4), || ())).collect();
        ended.store(true, Ordering::Relaxed);
        println!("allocate, wait and free 4 B while another thread zeroes 4 GiB: {:.1} us", median(samples) / 1e3);
    });
}

fn run(device: &Device) -> Result<(), Box<dyn std::error::Error>> {
    println!("{} ({} GPUs), CUDA {:?}", device.name()?, Device::count()?, device.driver_version()?);
    let contexts = Device::all()?.iter().map(Context::new).collect::<memcore::Result<Vec<_>>>()?;
    let found_by = if contexts.len() == 1 { "two atomic loads" } else { "cuPointerGetAttribute" };
    println!("{} contexts open: slices find theirs by {found_by}", contexts.len());
    let _entered = contexts[0].enter();
    submissions(&Stream::new()?)?;
    questions()?;
    allocations(&contexts[0]);
    Ok(())
}

fn main() -> ExitCode {
    on_gpu::on_gpu(run)
}
