//! Everything from several threads at once.

use std::thread;

use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{Outcome, tests};

tests!(
    a_second_thread_needs_no_set_up,
    buffers_move_between_threads,
    threads_copy_at_once,
    threads_share_a_stream,
    threads_allocate_at_once
);

fn a_second_thread_needs_no_set_up(context: &Context) -> Outcome {
    let dev = device_vec![1_u8, 2, 3]?;
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(dev.to_vec().unwrap(), [1, 2, 3]);
            let _entered = context.enter();
            let mine = device_vec![4_u8; 4].unwrap();
            assert_eq!(mine.to_vec().unwrap(), [4; 4]);
        });
    });
    Ok(())
}

fn buffers_move_between_threads(context: &Context) -> Outcome {
    let (dev, locked, stream) = (device_vec![1_u32; 100]?, locked_vec![2_u32; 100]?, Stream::new_in(context)?);
    let (dev, locked) = thread::spawn(move || {
        let (mut dev, locked) = (dev, locked);
        copy!(dev <- locked, stream).unwrap();
        drop(stream);
        (dev, locked)
    })
    .join()
    .unwrap();
    assert_eq!(dev.to_vec()?, *locked);
    Ok(())
}

fn threads_copy_at_once(context: &Context) -> Outcome {
    thread::scope(|scope| {
        for seed in 0..8 {
            scope.spawn(move || {
                let host = pattern(100_000 + seed as usize, seed);
                for _ in 0..20 {
                    let dev = DeviceBuffer::from_slice_in(context, &host).unwrap();
                    let mut other = DeviceBuffer::zeroed_in(context, host.len()).unwrap();
                    copy!(other <- dev).unwrap();
                    assert!(other.to_vec().unwrap() == host);
                }
            });
        }
    });
    Ok(())
}

fn threads_share_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; 8000]?;
    let mut locked = locked_vec![0_u8; 8000]?;
    thread::scope(|scope| {
        for ((seed, part), back) in dev.chunks_mut(1000).enumerate().zip(locked.chunks_mut(1000)) {
            let stream = &stream;
            scope.spawn(move || {
                for round in 0..20 {
                    let host = pattern(1000, seed as u32 * 100 + round);
                    copy!(part <- host, stream).unwrap();
                    copy!(back <- part, stream).unwrap();
                    assert!(back == host);
                }
            });
        }
    });
    Ok(())
}

fn threads_allocate_at_once(context: &Context) -> Outcome {
    thread::scope(|scope| {
        for seed in 0..8_u32 {
            scope.spawn(move || {
                for round in 0..50 {
                    let len = 1 + (seed as usize * 977 + round * 131) % 50_000;
                    let dev = device_vec![in context; seed; len].unwrap();
                    assert_eq!(dev.last().unwrap().to_value().unwrap(), seed);
                }
            });
        }
    });
    Ok(())
}
