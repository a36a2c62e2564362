//! Several threads at once, each with memory of its own.

use std::sync::Barrier;

use crate::pattern::{self, POISON, WHOLE};
use crate::results::Row;
use crate::sample::{row, time};
use crate::{Options, Worker, name};

const THREADS: [usize; 2] = [4, 8];
const SIZES: [usize; 4] = [4, 64 << 10, 1 << 20, 16 << 20];
const ALLOCATIONS: [usize; 3] = [4, 1 << 20, 64 << 20];

/// One thread's share of the work, at one size.
type Share<W> = fn(&W, &mut <W as Worker>::Device, &mut [u8]);

pub(crate) fn all<W: Worker>(options: &Options, locked: &mut [u8], pageable: &mut [u8]) -> Vec<Row> {
    let up: Share<W> = |worker, dev, host| worker.upload(dev, host);
    let down: Share<W> = |worker, dev, host| worker.download(host, dev);
    let mut rows = Vec::new();
    for threads in THREADS {
        for bytes in SIZES.into_iter().filter(|bytes| bytes * threads <= options.max_bytes) {
            for (kind, host) in [("page-locked", &mut *locked), ("pageable", &mut *pageable)] {
                for (work, share) in [(format!("{kind} to device"), up), (format!("device to {kind}"), down)] {
                    let samples = copies::<W>(threads, bytes, host, share, &work);
                    rows.push(row(name::<W>(), &work, bytes, bytes, threads, samples));
                }
            }
        }
        for bytes in ALLOCATIONS.into_iter().filter(|bytes| bytes * threads <= options.max_bytes) {
            let samples = at_once(vec![(); threads], |(), barrier| {
                let worker = W::new(false);
                worker.allocate(bytes);
                barrier.wait();
                time(|| worker.allocate(bytes))
            });
            rows.push(row(name::<W>(), "allocate, wait and free", bytes, 0, threads, samples));
        }
    }
    rows
}

fn copies<W: Worker>(threads: usize, bytes: usize, host: &mut [u8], share: Share<W>, work: &str) -> Vec<f64> {
    let parts: Vec<_> = host.chunks_mut(bytes).take(threads).collect();
    at_once(parts, |host, barrier| {
        let worker = W::new(false);
        let mut dev = worker.device(bytes);
        pattern::write(host);
        worker.upload(&mut dev, host);
        barrier.wait();
        let samples = time(|| share(&worker, &mut dev, host));
        host.fill(POISON);
        worker.download(host, &dev);
        pattern::verify(work, host, WHOLE);
        samples
    })
}

/// The samples of all threads, which begin together.
fn at_once<T: Send>(parts: Vec<T>, work: impl Fn(T, &Barrier) -> Vec<f64> + Sync) -> Vec<f64> {
    let (barrier, work) = (Barrier::new(parts.len()), &work);
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| work(part, &barrier))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread failed")).collect()
    })
}
