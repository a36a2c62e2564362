//! `Stream` and `Event`.

use memcore::prelude::*;
use memcore::{Error, Status};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_waited, refused, tests, turns, waited};

tests!(
    events_order_streams,
    queries_become_true,
    events_keep_time,
    unrecorded_events,
    dropped_while_busy,
    many_streams,
    the_legacy_stream_orders_its_work,
    the_legacy_stream_and_events,
    the_legacy_stream_outlives_its_handles
);

fn events_order_streams(_: &Context) -> Outcome {
    let (first, second, event) = (Stream::new()?, Stream::new()?, Event::new()?);
    let source = LockedBuffer::from_slice(&pattern(MIB, 8))?;
    let mut dev = device_vec![0_u8; MIB]?;
    let mut back = locked_vec![0_u8; MIB]?;
    waited(&first, || {
        waited(&second, || {
            // SAFETY: nothing else uses the three until the wait on the second stream, which waits for the first by the
            // event; where that fails, until the wait on the first.
            unsafe { copy!(dev <- source, async first)? };
            first.record(&event)?;
            second.wait_event(&event)?;
            // SAFETY: as above.
            unsafe { copy!(back <- dev, async second) }
        })?;
        assert!(*back == *source);
        Ok(())
    })?;
    Ok(())
}

fn queries_become_true(_: &Context) -> Outcome {
    let (stream, event) = (Stream::new()?, Event::new()?);
    let source = locked_vec![1_u8; 16 * MIB]?;
    let mut dev = device_vec![0_u8; 16 * MIB]?;
    waited(&stream, || {
        // SAFETY: nothing else uses the two until the query says that the work is done.
        unsafe { copy!(dev <- source, async stream)? };
        stream.record(&event)?;
        while !stream.query()? {
            std::thread::yield_now();
        }
        assert!(event.query()?);
        event.synchronize()
    })?;
    assert_eq!(dev[16 * MIB - 1].to_value()?, 1);
    Ok(())
}

fn events_keep_time(_: &Context) -> Outcome {
    let (stream, start, end) = (Stream::new()?, Event::new()?, Event::new()?);
    let mut dev = device_vec![0_u8; MIB]?;
    stream.record(&start)?;
    fill!(dev <- 1, stream)?;
    stream.record(&end)?;
    end.synchronize()?;
    assert!(end.elapsed_since(&start)?.as_secs() < 60);
    Ok(())
}

fn unrecorded_events(_: &Context) -> Outcome {
    let (stream, never, end) = (Stream::new()?, Event::new()?, Event::new()?);
    assert!(never.query()?);
    stream.record(&end)?;
    stream.synchronize()?;
    let invalid = Error::Driver { operation: "cuEventElapsedTime", status: Status::INVALID_HANDLE };
    refused(end.elapsed_since(&never), &invalid)?;
    Ok(())
}

fn dropped_while_busy(context: &Context) -> Outcome {
    let source = LockedBuffer::from_slice(&pattern(8 * MIB, 9))?;
    let mut dev = device_vec![0_u8; 8 * MIB]?;
    let stream = Stream::new()?;
    all_waited(context, || {
        // SAFETY: nothing else uses the two until the context has been waited for.
        unsafe { copy!(dev <- source, async stream)? };
        drop(stream);
        Ok(())
    })?;
    assert!(dev.to_vec()? == *source);
    Ok(())
}

fn many_streams(_: &Context) -> Outcome {
    let streams = (0..turns(64)).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
    let mut dev = device_vec![0_u32; streams.len() * 100]?;
    for ((i, stream), part) in streams.iter().enumerate().zip(dev.chunks_mut(100)) {
        fill!(part <- i as u32, stream)?;
    }
    let host = dev.to_vec()?;
    assert!(host.chunks(100).enumerate().all(|(i, part)| part == [i as u32; 100]));
    Ok(())
}

fn the_legacy_stream_orders_its_work(context: &Context) -> Outcome {
    let legacy = Stream::legacy()?;
    assert_eq!((legacy.as_raw().addr(), legacy.context().device()), (1, context.device()));
    let source = LockedBuffer::from_slice(&pattern(4 * MIB, 10))?;
    let (mut first, mut second) = (device_vec![0_u8; 4 * MIB]?, device_vec![0_u8; 4 * MIB]?);
    let mut back = locked_vec![0_u8; 4 * MIB]?;
    waited(&legacy, || {
        // SAFETY: of each operation down to the wait: nothing uses the four but these, which are in order on one stream.
        unsafe { copy!(first <- source, async legacy)? };
        // SAFETY: as above. It is one stream, by whichever handle.
        unsafe { copy!(second <- first, async Stream::legacy_in(context))? };
        // SAFETY: as above.
        unsafe { first.set_8_async(7, &legacy)? };
        // SAFETY: as above.
        unsafe { copy!(back <- second, async legacy) }
    })?;
    assert!(legacy.query()? && *back == *source && first.to_vec()? == vec![7; 4 * MIB]);
    copy!(first[..3] <- [1, 2, 3], legacy)?;
    fill!(first[3..5] <- 4, legacy)?;
    assert_eq!(first[..6].to_vec()?, [1, 2, 3, 4, 4, 7]);
    Ok(())
}

fn the_legacy_stream_and_events(_: &Context) -> Outcome {
    let (legacy, other, event) = (Stream::legacy()?, Stream::new()?, Event::new()?);
    let source = LockedBuffer::from_slice(&pattern(MIB, 11))?;
    let mut dev = device_vec![0_u8; MIB]?;
    let mut back = locked_vec![0_u8; MIB]?;
    waited(&other, || {
        waited(&legacy, || {
            // SAFETY: nothing else uses the three until the waits, and the event orders the streams.
            unsafe { copy!(dev <- source, async legacy)? };
            legacy.record(&event)?;
            other.wait_event(&event)?;
            // SAFETY: as above.
            unsafe { copy!(back <- dev, async other)? };
            // And back again: nothing but the event orders the two.
            other.record(&event)?;
            legacy.wait_event(&event)?;
            // SAFETY: as above.
            unsafe { dev.set_8_async(3, &legacy) }
        })
    })?;
    assert!(*back == *source);
    assert_eq!(dev.to_vec()?, vec![3; MIB]);
    Ok(())
}

fn the_legacy_stream_outlives_its_handles(context: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; MIB]?;
    all_waited(context, || {
        for value in 1..4 {
            let legacy = Stream::legacy()?;
            // SAFETY: nothing else uses the memory until the context has been waited for.
            unsafe { dev.set_8_async(value, &legacy)? };
        }
        drop(Stream::legacy_in(context));
        Ok(())
    })?;
    assert_eq!(dev.to_vec()?, vec![3; MIB]);
    let legacy = Stream::legacy()?;
    assert!(legacy.query()?);
    legacy.synchronize()?;
    Ok(())
}
