//! What the simulated device costs: `cargo bench --bench simulator`.
//!
//! Many small copies on four streams with every check, at three sizes of program, to see that the time grows with the number of
//! copies and no faster; and large copies against `memcpy`.

#![allow(clippy::print_stdout, reason = "the benchmark prints its results")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions};

const STREAMS: usize = 4;
const COPY: usize = 4096;
/// Each stream's copies go round in this many places.
const PLACES: usize = 256;
/// How many copies are queued before the stream is waited for.
const BATCH: usize = 64;
const LARGE: usize = 256 << 20;

/// `copies` copies of 4 KiB, on four streams in turn: up from page-locked memory, on the device, and down.
fn small(order: Order, copies: usize) -> memcore::Result<Duration> {
    let sim = Sim::new(SimOptions::default().order(order));
    let context = Context::new(&sim.device(0)?)?;
    let _entered = context.enter();
    let streams = (0..STREAMS).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
    let source = LockedBuffer::filled(1_u8, STREAMS * PLACES * COPY)?;
    let mut back = LockedBuffer::filled(0_u8, STREAMS * PLACES * COPY)?;
    let mut first = DeviceBuffer::filled(0_u8, STREAMS * PLACES * COPY)?;
    let mut second = DeviceBuffer::filled(0_u8, STREAMS * PLACES * COPY)?;
    let started = Instant::now();
    let mut done = 0;
    while done < copies {
        let mut parts = first
            .chunks_mut(PLACES * COPY)
            .zip(second.chunks_mut(PLACES * COPY))
            .zip(source.chunks(PLACES * COPY).zip(back.chunks_mut(PLACES * COPY)));
        memcore::scope(|all| {
            for stream in &streams {
                let Some(((first, second), (source, back))) = parts.next() else { break };
                all.on(stream, |s| {
                    let (first, second) = (s.lend(first), s.lend(second));
                    let (source, back) = (s.lend_ref(source), s.lend(back));
                    for copy in 0..BATCH {
                        let at = copy / 3 % PLACES * COPY;
                        let place = at..at + COPY;
                        match copy % 3 {
                            0 => copy!(first[place.clone()] <- source[place], s)?,
                            1 => copy!(second[place.clone()] <- first[place], s)?,
                            _ => copy!(back[place.clone()] <- second[place], s)?,
                        }
                    }
                    Ok::<_, memcore::Error>(())
                })?;
            }
            Ok::<_, memcore::Error>(())
        })?;
        done += STREAMS * BATCH;
    }
    let elapsed = started.elapsed();
    drop((streams, source, back, first, second));
    let violations = sim.finish();
    assert!(violations.is_empty(), "{}", violations[0]);
    Ok(elapsed * u32::try_from(copies).unwrap_or(u32::MAX) / u32::try_from(done).unwrap_or(u32::MAX))
}

/// The fastest of several runs.
fn fastest(mut run: impl FnMut() -> memcore::Result<()>) -> memcore::Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        run()?;
        best = best.min(started.elapsed());
    }
    Ok(best)
}

fn large(name: &str, options: SimOptions, plain: Duration) -> memcore::Result<()> {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0)?)?;
    let _entered = context.enter();
    let (source, mut back) = (vec![1_u8; LARGE], vec![0_u8; LARGE]);
    let (locked, mut dev) = (LockedBuffer::filled(1_u8, LARGE)?, DeviceBuffer::filled(0_u8, LARGE)?);
    let mut other = DeviceBuffer::filled(0_u8, LARGE)?;
    let rows = [
        ("upload from pageable memory", fastest(|| copy!(dev <- source))?),
        ("upload from page-locked memory", fastest(|| copy!(dev <- locked))?),
        ("on the device", fastest(|| copy!(other <- dev))?),
        ("download to pageable memory", fastest(|| copy!(back <- other))?),
    ];
    for (what, time) in rows {
        println!("{name:44} {what:32} {time:>10.1?}   {:.2} of memcpy", plain.as_secs_f64() / time.as_secs_f64());
    }
    Ok(())
}

fn main() -> memcore::Result<()> {
    if std::env::args().any(|argument| argument == "--test") {
        return small(Order::Lazy, 1000).map(drop); // `cargo test --benches`
    }
    for order in [Order::Lazy, Order::Eager, Order::Random(1)] {
        for copies in [10_000, 100_000, 1_000_000] {
            let time = small(order, copies)?;
            let each = time.as_nanos() / copies as u128;
            println!("{copies:>8} copies of {COPY} B on {STREAMS} streams, {order:?}: {time:>10.3?}, {each} ns each");
        }
    }
    let (source, mut target) = (vec![1_u8; LARGE], vec![0_u8; LARGE]);
    let plain = fastest(|| {
        black_box(&mut target).copy_from_slice(black_box(&source));
        Ok(())
    })?;
    println!("memcpy of {} MiB: {plain:.1?}", LARGE >> 20);
    let eager = || SimOptions::default().order(Order::Eager);
    large("eager, without initialisation checks", eager().without_initialisation_checks(), plain)?;
    large("eager, all checks", eager(), plain)?;
    large("lazy, all checks", SimOptions::default(), plain)
}
