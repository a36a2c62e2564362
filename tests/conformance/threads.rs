//! Everything from several threads at once.

use std::thread;

use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{Outcome, joined, tests, turns};

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
        joined([scope.spawn(|| {
            assert_eq!(dev.to_vec()?, [1, 2, 3]);
            let _entered = context.enter();
            let mine = device_vec![4_u8; 4]?;
            assert_eq!(mine.to_vec()?, [4; 4]);
            Ok(())
        })])
    })?;
    Ok(())
}

fn buffers_move_between_threads(context: &Context) -> Outcome {
    let (dev, locked, stream) = (device_vec![1_u32; 100]?, locked_vec![2_u32; 100]?, Stream::new_in(context)?);
    let moved = thread::spawn(move || {
        let (mut dev, locked) = (dev, locked);
        copy!(dev <- locked, stream)?;
        drop(stream);
        Ok::<_, memcore::Error>((dev, locked))
    });
    let (dev, locked) = moved.join().unwrap()?;
    assert_eq!(dev.to_vec()?, *locked);
    Ok(())
}

fn threads_copy_at_once(context: &Context) -> Outcome {
    thread::scope(|scope| {
        let work = (0..turns(8)).map(|seed| {
            scope.spawn(move || {
                let host = pattern(100_000 + seed as usize, seed);
                for _ in 0..turns(20) {
                    let dev = DeviceBuffer::from_slice_in(context, &host)?;
                    let mut other = DeviceBuffer::zeroed_in(context, host.len())?;
                    copy!(other <- dev)?;
                    assert!(other.to_vec()? == host);
                }
                Ok(())
            })
        });
        joined(work.collect::<Vec<_>>())
    })?;
    Ok(())
}

fn threads_share_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; 8000]?;
    let mut locked = locked_vec![0_u8; 8000]?;
    thread::scope(|scope| {
        let parts = dev.chunks_mut(1000).enumerate().zip(locked.chunks_mut(1000));
        let work = parts.map(|((seed, part), back)| {
            let stream = &stream;
            scope.spawn(move || {
                for round in 0..turns(20) {
                    let host = pattern(1000, seed as u32 * 100 + round);
                    copy!(part <- host, stream)?;
                    copy!(back <- part, stream)?;
                    assert!(back == host);
                }
                Ok(())
            })
        });
        joined(work.collect::<Vec<_>>())
    })?;
    Ok(())
}

fn threads_allocate_at_once(context: &Context) -> Outcome {
    thread::scope(|scope| {
        let work = (0..turns(8)).map(|seed| {
            scope.spawn(move || {
                for round in 0..turns(50) as usize {
                    let len = 1 + (seed as usize * 977 + round * 131) % 50_000;
                    let dev = device_vec![in context; seed; len]?;
                    assert_eq!(dev.last().unwrap().to_value()?, seed);
                }
                Ok(())
            })
        });
        joined(work.collect::<Vec<_>>())
    })?;
    Ok(())
}
