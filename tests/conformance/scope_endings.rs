//! How stream scopes end, and on which threads: errors, panics, streams dropped behind them.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_waited, joined, refused, tests, turns};
use crate::scopes::LARGE;

tests!(
    an_error_waits_first,
    a_panic_waits_first,
    streams_of_many_that_fail,
    threads_with_scopes_on_one_stream,
    a_scope_in_scoped_threads,
    streams_dropped_behind_scopes,
);

fn an_error_waits_first(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(LARGE, 12))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut back = locked_vec![0_u8; LARGE]?;
    let result = stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)?;
        copy!(back <- dev, s)?;
        Err::<(), _>(Error::Unsettled)
    });
    refused(result, &Error::Unsettled)?;
    assert!(*back == *source);
    Ok(())
}

fn a_panic_waits_first(_: &Context) -> Outcome {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let source = LockedBuffer::from_slice(&pattern(LARGE, 13))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let (mut back, mut inner_back) = (locked_vec![0_u8; LARGE]?, locked_vec![0_u8; LARGE]?);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        first.scope(|a| {
            let dev = a.lend(&mut dev);
            copy!(dev <- source, a)?;
            copy!(back <- dev, a)?;
            second.scope(|b| -> memcore::Result<()> {
                copy!(inner_back <- b.take_over_ref(&*dev, a)?, b)?;
                resume_unwind(Box::new("meant"))
            })
        })
    }));
    let panicked = match unwound {
        Ok(returned) => return Ok(returned?),
        Err(panicked) => panicked,
    };
    assert_eq!(panicked.downcast_ref(), Some(&"meant"));
    assert!(*back == *source && *inner_back == *source);
    Ok(())
}

fn streams_of_many_that_fail(_: &Context) -> Outcome {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let dev = DeviceBuffer::from_slice(&pattern(3 * MIB, 14))?;
    let mut back = locked_vec![0_u8; 3 * MIB]?;
    let result = memcore::scope(|all| {
        for ((stream, back), dev) in streams.iter().zip(back.chunks_mut(MIB)).zip(dev.chunks(MIB)) {
            all.on(stream, |s| copy!(back <- dev, s))?;
        }
        Err::<(), _>(Error::Unsettled)
    });
    refused(result, &Error::Unsettled)?;
    assert!(*back == pattern(3 * MIB, 14));
    Ok(())
}

fn threads_with_scopes_on_one_stream(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(2 * MIB, 15))?;
    let run = |turn: u8| -> memcore::Result<()> {
        let _entered = context.enter();
        let mut dev = device_vec![0_u8; 2 * MIB]?;
        let mut back = locked_vec![0_u8; 2 * MIB]?;
        for round in 0..turns(10) as u8 {
            stream.scope(|s| {
                let dev = s.lend(&mut dev);
                copy!(dev <- source, s)?;
                fill!(dev[..9] <- 2 * round + turn, s)?;
                copy!(back <- dev, s)
            })?;
            assert!(back[..9] == [2 * round + turn; 9] && back[9..] == source[9..]);
        }
        Ok(())
    };
    thread::scope(|threads| joined([threads.spawn(|| run(0)), threads.spawn(|| run(1))]))?;
    Ok(())
}

fn a_scope_in_scoped_threads(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(8 * MIB, 16))?;
    let mut dev = device_vec![0_u8; 8 * MIB]?;
    let mut back = locked_vec![0_u8; 8 * MIB]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        thread::scope(|threads| {
            let parts = dev.chunks_mut(MIB).zip(source.chunks(MIB));
            let work: Vec<_> = parts.map(|(dev, source)| threads.spawn(move || copy!(dev <- source, s))).collect();
            joined(work)
        })?;
        copy!(back <- dev, s)
    })?;
    assert!(*back == *source);
    Ok(())
}

fn streams_dropped_behind_scopes(context: &Context) -> Outcome {
    let source = LockedBuffer::from_slice(&pattern(8 * MIB, 17))?;
    let (mut dev, mut busy_dev) = (device_vec![0_u8; 8 * MIB]?, device_vec![0_u8; 8 * MIB]?);
    let mut back = locked_vec![0_u8; 8 * MIB]?;
    let busy = Stream::new()?;
    all_waited(context, || {
        // SAFETY: both live to the end, and nothing uses them until the context is waited for.
        unsafe { copy!(busy_dev <- source, async busy)? };
        Stream::new()?.scope(|s| {
            let dev = s.lend(&mut dev);
            copy!(dev <- source, s)?;
            drop(busy);
            Stream::new()?.scope(|b| copy!(back <- b.take_over_ref(&*dev, s)?, b))
        })?;
        assert!(*back == *source);
        Ok(())
    })?;
    assert!(busy_dev.to_vec()? == *source);
    Ok(())
}
