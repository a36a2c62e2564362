//! `Stream` and `Event`.

use memcore::prelude::*;
use memcore::{Error, Status};

use crate::buffers::pattern;
use crate::rig::{Outcome, tests};

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
    let source = LockedBuffer::from_slice(&pattern(1 << 20, 8))?;
    let mut dev = device_vec![0_u8; 1 << 20]?;
    let mut back = locked_vec![0_u8; 1 << 20]?;
    // SAFETY: nothing else uses the three until the wait on the second stream, which waits for the first by the event.
    unsafe { copy!(dev <- source, async first)? };
    first.record(&event)?;
    second.wait_event(&event)?;
    // SAFETY: as above.
    unsafe { copy!(back <- dev, async second)? };
    second.synchronize()?;
    assert!(*back == *source);
    Ok(())
}

fn queries_become_true(_: &Context) -> Outcome {
    let (stream, event) = (Stream::new()?, Event::new()?);
    let source = locked_vec![1_u8; 16 << 20]?;
    let mut dev = device_vec![0_u8; 16 << 20]?;
    // SAFETY: nothing else uses the two until the query says that the work is done.
    unsafe { copy!(dev <- source, async stream)? };
    stream.record(&event)?;
    while !stream.query()? {
        std::thread::yield_now();
    }
    assert!(event.query()?);
    event.synchronize()?;
    assert_eq!(dev[(16 << 20) - 1].to_value()?, 1);
    Ok(())
}

fn events_keep_time(_: &Context) -> Outcome {
    let (stream, start, end) = (Stream::new()?, Event::new()?, Event::new()?);
    let mut dev = device_vec![0_u8; 1 << 20]?;
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
    let error = end.elapsed_since(&never).unwrap_err();
    assert_eq!(error, Error::Driver { operation: "cuEventElapsedTime", status: Status::INVALID_HANDLE });
    Ok(())
}

fn dropped_while_busy(context: &Context) -> Outcome {
    let source = LockedBuffer::from_slice(&pattern(8 << 20, 9))?;
    let mut dev = device_vec![0_u8; 8 << 20]?;
    let stream = Stream::new()?;
    // SAFETY: nothing else uses the two until the context has been waited for.
    unsafe { copy!(dev <- source, async stream)? };
    drop(stream);
    context.synchronize()?;
    assert!(dev.to_vec()? == *source);
    Ok(())
}

fn many_streams(_: &Context) -> Outcome {
    let streams = (0..64).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
    let mut dev = device_vec![0_u32; 64 * 100]?;
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
    let source = LockedBuffer::from_slice(&pattern(4 << 20, 10))?;
    let (mut first, mut second) = (device_vec![0_u8; 4 << 20]?, device_vec![0_u8; 4 << 20]?);
    let mut back = locked_vec![0_u8; 4 << 20]?;
    // SAFETY: of each operation down to the wait: nothing uses the four but these, which are in order on one stream.
    unsafe { copy!(first <- source, async legacy)? };
    // SAFETY: as above. It is one stream, by whichever handle.
    unsafe { copy!(second <- first, async Stream::legacy_in(context))? };
    // SAFETY: as above.
    unsafe { first.set_8_async(7, &legacy)? };
    // SAFETY: as above.
    unsafe { copy!(back <- second, async legacy)? };
    legacy.synchronize()?;
    assert!(legacy.query()? && *back == *source && first.to_vec()? == [7; 4 << 20]);
    copy!(first[..3] <- [1, 2, 3], legacy)?;
    fill!(first[3..5] <- 4, legacy)?;
    assert_eq!(first[..6].to_vec()?, [1, 2, 3, 4, 4, 7]);
    Ok(())
}

fn the_legacy_stream_and_events(_: &Context) -> Outcome {
    let (legacy, other, event) = (Stream::legacy()?, Stream::new()?, Event::new()?);
    let source = LockedBuffer::from_slice(&pattern(1 << 20, 11))?;
    let mut dev = device_vec![0_u8; 1 << 20]?;
    let mut back = locked_vec![0_u8; 1 << 20]?;
    // SAFETY: nothing else uses the three until the wait on the other stream, which waits for this one by the event.
    unsafe { copy!(dev <- source, async legacy)? };
    legacy.record(&event)?;
    other.wait_event(&event)?;
    // SAFETY: as above.
    unsafe { copy!(back <- dev, async other)? };
    // And back again: nothing but the event orders the two.
    other.record(&event)?;
    legacy.wait_event(&event)?;
    // SAFETY: as above.
    unsafe { dev.set_8_async(3, &legacy)? };
    legacy.synchronize()?;
    other.synchronize()?;
    assert!(*back == *source);
    assert_eq!(dev.to_vec()?, [3; 1 << 20]);
    Ok(())
}

fn the_legacy_stream_outlives_its_handles(context: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 1 << 20]?;
    for value in 1..4 {
        let legacy = Stream::legacy()?;
        // SAFETY: nothing else uses the memory until the context has been waited for.
        unsafe { dev.set_8_async(value, &legacy)? };
    }
    drop(Stream::legacy_in(context));
    context.synchronize()?;
    assert_eq!(dev.to_vec()?, [3; 1 << 20]);
    let legacy = Stream::legacy()?;
    assert!(legacy.query()?);
    legacy.synchronize()?;
    Ok(())
}
