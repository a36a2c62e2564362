//! Several threads at once, each with memory of its own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use crate::pattern::{self, POISON, WHOLE};
use crate::rows::Rows;
use crate::{Options, Worker};

const THREADS: [usize; 2] = [4, 8];
const SIZES: [usize; 4] = [4, 64 << 10, 1 << 20, 16 << 20];
const ALLOCATIONS: [usize; 3] = [4, 1 << 20, 64 << 20];

/// For the calls of one sample.
const TIME: Duration = Duration::from_millis(10);
const CALLS: usize = 1000;
const SAMPLES: usize = 7;

/// One thread's share of the work, at one size.
type Share<W> = fn(&W, &mut <W as Worker>::Device, &mut [u8]);

pub(crate) fn all<W: Worker>(options: &Options, rows: &mut Rows<'_>, locked: &mut [u8], pageable: &mut [u8]) {
    let up: Share<W> = |worker, dev, host| worker.upload(dev, host);
    let down: Share<W> = |worker, dev, host| worker.download(host, dev);
    for threads in THREADS {
        for bytes in SIZES.into_iter().filter(|bytes| bytes * threads <= options.max_bytes) {
            for (kind, host) in [("page-locked", &mut *locked), ("pageable", &mut *pageable)] {
                for (work, share) in [(format!("{kind} to device"), up), (format!("device to {kind}"), down)] {
                    rows.begins(&work, bytes, threads);
                    let samples = copies::<W>(threads, bytes, host, share, &work);
                    rows.add::<W>(&work, bytes, bytes, threads, samples);
                }
            }
        }
        for bytes in ALLOCATIONS.into_iter().filter(|bytes| bytes * threads <= options.max_bytes) {
            let work = "allocate, wait and free";
            rows.begins(work, bytes, threads);
            let samples = at_once(vec![(); threads], |(), turns| {
                let worker = W::new(false);
                worker.allocate(bytes);
                turns.take(|| worker.allocate(bytes));
            });
            rows.add::<W>(work, bytes, 0, threads, samples);
        }
    }
}

fn copies<W: Worker>(threads: usize, bytes: usize, host: &mut [u8], share: Share<W>, work: &str) -> Vec<f64> {
    let parts: Vec<_> = host.chunks_mut(bytes).take(threads).collect();
    at_once(parts, |host, turns| {
        let worker = W::new(false);
        let mut dev = worker.device(bytes);
        pattern::write(host);
        worker.upload(&mut dev, host);
        turns.take(|| share(&worker, &mut dev, host));
        host.fill(POISON);
        worker.download(host, &dev);
        pattern::verify(work, host, WHOLE);
    })
}

/// The nanoseconds of a call, from when all threads begin a number of calls each until the last of them has ended its own:
/// a call's own time would leave out how long its thread stood still while others had the device.
fn at_once<T: Send>(parts: Vec<T>, work: impl Fn(T, &Turns) + Sync) -> Vec<f64> {
    let (turns, work) = (Turns::new(parts.len()), &work);
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| work(part, &turns))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("a thread failed"));
    });
    turns.samples.into_inner().expect("no thread failed")
}

struct Turns {
    barrier: Barrier,
    calls: AtomicUsize,
    samples: Mutex<Vec<f64>>,
}

impl Turns {
    fn new(threads: usize) -> Self {
        Self { barrier: Barrier::new(threads), calls: AtomicUsize::new(1), samples: Mutex::default() }
    }

    /// One thread's calls. The first turns, of few calls, tell how many a sample has.
    fn take(&self, mut call: impl FnMut()) {
        let mut turn = |calls: usize| {
            self.barrier.wait();
            let start = Instant::now();
            (0..calls).for_each(|_| call());
            let is_leader = self.barrier.wait().is_leader();
            (start.elapsed(), is_leader)
        };
        for _ in 0..2 {
            let calls = self.calls.load(Ordering::Relaxed);
            let (time, is_leader) = turn(calls);
            if is_leader {
                let of_call = time.as_secs_f64() / calls as f64;
                self.calls.store(((TIME.as_secs_f64() / of_call) as usize).clamp(2, CALLS), Ordering::Relaxed);
            }
            self.barrier.wait();
        }
        let calls = self.calls.load(Ordering::Relaxed);
        for _ in 0..SAMPLES {
            let (time, is_leader) = turn(calls);
            if is_leader {
                self.samples.lock().expect("no thread failed").push(time.as_nanos() as f64 / calls as f64);
            }
        }
    }
}
