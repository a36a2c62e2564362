//! Random programs, properly synchronised, against plain vectors: every order gives the same bytes.

use super::super::{Order, SimOptions};
use super::rig::{Rig, ok};

const LEN: usize = 48;
const BUFFERS: usize = 3;
const STREAMS: usize = 4;

/// A step on one of the streams, ordered with all steps before it by events.
#[derive(Clone, Debug)]
enum Step {
    Fill { dst: usize, range: (usize, usize), value: u8 },
    Copy { dst: usize, src: usize, to: usize, from: usize, len: usize },
    Upload { dst: usize, at: usize, bytes: Vec<u8> },
    UploadLocked { dst: usize, value: u8 },
    Download { src: usize },
    Renew { dst: usize },
}

/// A program of up to `len` steps: on which stream, whether the host orders it with the one before, and what it does.
fn program(random: &mut fastrand::Rng, len: usize) -> Vec<(usize, bool, Step)> {
    let step = |random: &mut fastrand::Rng| {
        let (dst, value) = (random.usize(..BUFFERS), random.u8(..));
        // The driver leaves overlapping copies undefined: the source is another buffer.
        let src = (dst + random.usize(1..BUFFERS)) % BUFFERS;
        let (to, from) = (random.usize(..LEN), random.usize(..LEN));
        let len = random.usize(1..=LEN - to.max(from));
        match random.u8(..6) {
            0 => Step::Fill { dst, range: (to, len), value },
            1 => Step::Copy { dst, src, to, from, len },
            2 => Step::Upload { dst, at: to, bytes: (0..len).map(|_| random.u8(..)).collect() },
            3 => Step::UploadLocked { dst, value },
            4 => Step::Download { src },
            _ => Step::Renew { dst },
        }
    };
    (0..len).map(|_| (random.usize(..STREAMS), random.bool(), step(random))).collect()
}

fn run(program: &[(usize, bool, Step)], order: Order) {
    let rig = Rig::new(SimOptions::default().order(order));
    let mut model = vec![vec![0u8; LEN]; BUFFERS];
    // The first stream is blocking, the others are not.
    let streams: Vec<_> = (0..STREAMS).map(|index| rig.stream(u32::from(index > 0))).collect();
    let mut buffers = vec![0; BUFFERS];
    for buffer in &mut buffers {
        ok!(rig, mem_alloc_async(buffer, LEN, streams[0]));
        ok!(rig, memset_d8_async(*buffer, 0, LEN, streams[0]));
    }
    let mut downloads = Vec::new();
    let mut uploads = Vec::new();
    let mut last = 0;
    for (index, by_wait, step) in program {
        let stream = streams[*index];
        if *index != last {
            // Ordered with the stream before: by an event, or by the host.
            if *by_wait {
                ok!(rig, stream_synchronize(streams[last]));
            } else {
                let event = rig.event();
                ok!(rig, event_record(event, streams[last]));
                ok!(rig, stream_wait_event(stream, event, 0));
                ok!(rig, event_destroy(event));
            }
            last = *index;
        }
        match step {
            Step::Fill { dst, range: (start, len), value } => {
                ok!(rig, memset_d8_async(buffers[*dst] + *start as u64, *value, *len, stream));
                model[*dst][*start..start + len].fill(*value);
            }
            Step::Copy { dst, src, to, from, len } => {
                let (target, source) = (buffers[*dst] + *to as u64, buffers[*src] + *from as u64);
                ok!(rig, memcpy_dtod_async(target, source, *len, stream));
                let bytes = model[*src][*from..from + len].to_vec();
                model[*dst][*to..to + len].copy_from_slice(&bytes);
            }
            Step::Upload { dst, at, bytes } => {
                ok!(rig, memcpy_htod_async(buffers[*dst] + *at as u64, bytes.as_ptr().cast(), bytes.len(), stream));
                model[*dst][*at..at + bytes.len()].copy_from_slice(bytes);
            }
            Step::UploadLocked { dst, value } => {
                let locked = rig.locked(LEN);
                locked.write(&[*value; LEN]);
                ok!(rig, memcpy_htod_async(buffers[*dst], locked.pointer, LEN, stream));
                model[*dst].fill(*value);
                uploads.push(locked);
            }
            Step::Download { src } => {
                let locked = rig.locked(LEN);
                ok!(rig, memcpy_dtoh_async(locked.pointer, buffers[*src], LEN, stream));
                downloads.push((locked, model[*src].clone()));
            }
            Step::Renew { dst } => {
                ok!(rig, mem_free_async(buffers[*dst], stream));
                ok!(rig, mem_alloc_async(&mut buffers[*dst], LEN, stream));
                ok!(rig, memset_d8_async(buffers[*dst], 1, LEN, stream));
                model[*dst].fill(1);
            }
        }
    }
    ok!(rig, stream_synchronize(streams[last]));
    for (locked, expected) in downloads {
        assert_eq!(locked.read(), expected);
        ok!(rig, mem_free_host(locked.pointer));
    }
    for locked in uploads {
        ok!(rig, mem_free_host(locked.pointer));
    }
    for (buffer, expected) in buffers.iter().zip(&model) {
        assert_eq!(&rig.bytes(*buffer, LEN), expected);
        ok!(rig, mem_free(*buffer));
    }
    assert!(rig.kinds().is_empty());
}

#[test]
fn every_order_gives_the_same_bytes() {
    // Short programs first, so that the first one to fail is a small one.
    for seed in 0..600u64 {
        let program = program(&mut fastrand::Rng::with_seed(seed), 1 + seed as usize / 12);
        for order in [Order::Lazy, Order::Eager, Order::Random(seed)] {
            let right = std::panic::catch_unwind(|| run(&program, order)).is_ok();
            assert!(right, "seed {seed} under {order:?} goes wrong: {program:#?}");
        }
    }
}
