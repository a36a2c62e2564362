//! Copies that own their buffers, and what public reports say went wrong with asynchronous copies elsewhere.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, tests, turns};

/// So much takes a GPU a while: what is let go too early is seen.
const LEN: usize = 8 * MIB;

tests!(
    every_buffer_goes_there_and_back,
    quick_uploads_keep_each_source,
    a_source_may_change_when_it_is_back,
    temporary_sources_are_read_first,
    pageable_downloads_are_right_every_time,
    dropped_in_flight_they_land_in_their_own_memory,
    cancelled_after_a_poll_they_land_in_their_own_memory,
    many_are_awaited_in_turn,
);

/// The smallest executor: it parks the thread until it is woken.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Task::from_waker(&waker)) {
            return output;
        }
        thread::park();
    }
}

fn every_buffer_goes_there_and_back(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(LEN, 30);
    let dev = DeviceBuffer::<u8>::zeroed(LEN)?;
    let (locked, dev) = stream.upload(LockedBuffer::from_slice(&host)?, dev)?.wait()?;
    let (dev, back) = stream.download(dev, vec![0; LEN])?.wait()?;
    assert!(*locked == *host && back == host);
    let (vec, dev) = stream.upload(pattern(LEN, 31), dev)?.wait()?;
    let (dev, back) = stream.download(dev, locked)?.wait()?;
    assert!(*back == *vec);
    let (shared, dev) = stream.upload(Arc::new(back), dev)?.wait()?;
    let (dev, back) = stream.download(dev, vec![0; LEN].into_boxed_slice())?.wait()?;
    assert!(*back == **shared);
    let (unified, dev) = stream.upload(UnifiedBuffer::from_slice(&host)?, dev)?.wait()?;
    let (_, back) = stream.download(dev, unified)?.wait()?;
    assert!(*back == *host);
    Ok(())
}

/// Each upload begins while those before are in flight, the first of which nobody waits for (cudarc#314).
fn quick_uploads_keep_each_source(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let locked = |seed| LockedBuffer::from_slice(&pattern(LEN, seed));
    let (locked0, locked1, locked2, vec3) = (locked(40)?, locked(41)?, locked(42)?, pattern(LEN, 43));
    let dev = || DeviceBuffer::<u8>::zeroed(LEN);
    let (dev0, dev1, dev2, dev3) = (dev()?, dev()?, dev()?, dev()?);
    drop(stream.upload(locked0, dev0)?);
    let (up1, up2) = (stream.upload(locked1, dev1)?, stream.upload(locked2, dev2)?);
    let up3 = stream.upload(vec3, dev3)?;
    // What was freed too early would be this memory.
    let others = [locked_vec![0xEE_u8; LEN]?, locked_vec![0xEE_u8; LEN]?];
    for (dev, seed) in [(up1.wait()?.1, 41), (up2.wait()?.1, 42), (up3.wait()?.1, 43)] {
        assert!(dev.to_vec()? == pattern(LEN, seed), "{seed}");
    }
    assert!(others.iter().all(|other| other.iter().all(|byte| *byte == 0xEE)));
    Ok(())
}

/// When a page-locked source can be written again, the device has read it (cudarc#340).
fn a_source_may_change_when_it_is_back(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(LEN, 32);
    let mut dev = device_vec![0_u8; LEN]?;
    let mut source = LockedBuffer::from_slice(&host)?;
    stream.scope(|s| copy!(dev <- source, s))?;
    source.fill(0xEE);
    assert!(dev.to_vec()? == host, "after a scope");
    source.copy_from_slice(&host);
    copy!(dev <- source, stream)?;
    source.fill(0xEE);
    assert!(dev.to_vec()? == host, "after a copy on a stream");
    source.copy_from_slice(&host);
    copy!(dev <- source)?;
    source.fill(0xEE);
    assert!(dev.to_vec()? == host, "after a copy");
    source.copy_from_slice(&host);
    let (mut source, dev) = stream.upload(source, dev)?.wait()?;
    source.fill(0xEE);
    assert!(dev.to_vec()? == host, "after a transfer");
    source.copy_from_slice(&host);
    let (mut source, dev) = block_on(stream.upload(source, dev)?)?;
    source.fill(0xEE);
    assert!(dev.to_vec()? == host, "after a transfer that was awaited");
    Ok(())
}

/// A source that is gone at the end of the line was read by then, or is kept (cupy#8789, cccl#10698).
fn temporary_sources_are_read_first(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; LEN]?;
    let reused = || Ok::<_, memcore::Error>((vec![0xEE_u8; LEN], locked_vec![0xEE_u8; LEN]?));
    copy!(dev <- pattern(LEN, 33))?;
    let others = reused()?;
    assert!(dev.to_vec()? == pattern(LEN, 33) && others.0 == *others.1);
    copy!(dev <- LockedBuffer::from_slice(&pattern(LEN, 34))?, stream)?;
    let others = reused()?;
    assert!(dev.to_vec()? == pattern(LEN, 34) && others.0 == *others.1);
    let upload = stream.upload(LockedBuffer::from_slice(&pattern(LEN, 35))?, dev)?;
    let others = reused()?;
    let (_, dev) = upload.wait()?;
    assert!(dev.to_vec()? == pattern(LEN, 35) && others.0 == *others.1);
    let upload = stream.upload(pattern(LEN, 36), dev)?;
    let others = reused()?;
    let (_, dev) = upload.wait()?;
    assert!(dev.to_vec()? == pattern(LEN, 36) && others.0 == *others.1);
    Ok(())
}

/// New pageable memory each time, looked at right behind the call (RustaCUDA#20).
fn pageable_downloads_are_right_every_time(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u32; MIB]?;
    for round in 1..=turns(25) {
        let len = MIB / round as usize;
        let is_right = |back: &[u32]| back.len() == len && back.iter().all(|value| *value == round);
        let mut back = vec![0; len];
        stream.scope(|s| {
            let dev = s.lend(&mut dev[..len]);
            fill!(dev <- round, s)?;
            copy!(back <- dev, s)
        })?;
        assert!(is_right(&back), "in a scope, {round}");
        let mut back = vec![0; len];
        copy!(back <- dev[..len], stream)?;
        assert!(is_right(&back), "on a stream, {round}");
        let mut back = vec![0; len];
        copy!(back <- dev[..len])?;
        assert!(is_right(&back), "by itself, {round}");
        assert!(is_right(&dev[..len].to_vec()?), "into a new vector, {round}");
        let (_, back) = stream.download(DeviceBuffer::filled(round, len)?, vec![0; len])?.wait()?;
        assert!(is_right(&back), "owned, {round}");
    }
    Ok(())
}

/// Starts copies both ways, which `leave` lets go of in flight. Nothing they still do is seen in memory that is made
/// behind them, and what they kept is freed (cutile-rs#242, #272, cuda-oxide#99, cudf#22321).
fn let_go(
    context: &Context,
    mut leave: impl FnMut(Transfer<LockedBuffer<u8>, DeviceBuffer<u8>>, Transfer<DeviceBuffer<u8>, LockedBuffer<u8>>),
) -> Outcome {
    let stream = Stream::new()?;
    let made = [device_vec![0xEE_u8; LEN]?, device_vec![0xEE_u8; LEN]?];
    drop(made);
    context.trim(0)?;
    let (free, _) = context.memory_info()?;
    let mut mine = Vec::new();
    for seed in 0..turns(6) {
        let source = LockedBuffer::from_slice(&pattern(LEN, seed))?;
        let down = stream.download(DeviceBuffer::filled(0x55, LEN)?, LockedBuffer::<u8>::filled(0, LEN)?)?;
        let up = stream.upload(source, DeviceBuffer::<u8>::zeroed(LEN)?)?;
        leave(up, down);
        mine.push((LockedBuffer::filled(0xEE_u8, LEN)?, DeviceBuffer::filled(0xEE_u8, LEN)?));
    }
    stream.synchronize()?;
    for (host, dev) in &mine {
        assert!(host.iter().all(|byte| *byte == 0xEE) && dev.to_vec()? == **host, "bytes landed in other memory");
    }
    drop(mine);
    // The last fell in behind the others, and frees its source before its destination.
    drop(stream.upload(locked_vec![1_u8; LEN]?, DeviceBuffer::zeroed(LEN)?)?);
    for _ in 0..2000 {
        context.trim(0)?;
        all_freed(context)?;
        if context.memory_info()?.0 == free {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
    Err(format!("{} bytes were free at first, {} in the end", free, context.memory_info()?.0).into())
}

fn dropped_in_flight_they_land_in_their_own_memory(context: &Context) -> Outcome {
    let_go(context, |up, down| drop((up, down)))
}

fn cancelled_after_a_poll_they_land_in_their_own_memory(context: &Context) -> Outcome {
    let_go(context, |up, down| {
        let (mut up, mut down) = (pin!(up), pin!(down));
        let task = &mut Task::from_waker(Waker::noop());
        let _ = (up.as_mut().poll(task), down.as_mut().poll(task));
    })
}

fn many_are_awaited_in_turn(_: &Context) -> Outcome {
    let streams = [Stream::new()?, Stream::new()?];
    let mut uploads = Vec::new();
    for seed in 0..turns(16) {
        let source = LockedBuffer::from_slice(&pattern(100_000, seed))?;
        uploads.push((seed, streams[seed as usize % 2].upload(source, DeviceBuffer::<u8>::zeroed(100_000)?)?));
    }
    for (seed, upload) in uploads.into_iter().rev() {
        let (source, dev) = block_on(upload)?;
        let (_, back) = block_on(streams[0].download(dev, vec![0; 100_000])?)?;
        assert!(back == pattern(100_000, seed) && *source == *back);
    }
    Ok(())
}
