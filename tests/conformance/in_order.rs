//! Buffers allocated and freed in the order of a stream.

use memcore::memory::cuda_malloc;
use memcore::prelude::*;
use memcore::{Error, MemoryPool, PoolOptions};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, refused, tests, turns, waited};

tests!(
    allocated_used_and_freed_on_a_stream,
    freed_behind_pending_copies,
    freed_on_the_legacy_stream,
    memory_that_is_not_of_a_pool,
    memory_of_a_pool_of_ones_own,
    nothing_to_free,
    lengths_that_cannot_be,
);

/// Frees behind what is queued; what cannot be freed so may be in use, and is left for after the wait.
fn freed_on(stream: &Stream, buffer: DeviceBuffer<u8>, left: &mut Option<DeviceBuffer<u8>>) -> memcore::Result<()> {
    buffer.drop_on(stream).map_err(|(error, buffer)| {
        *left = Some(buffer);
        error
    })
}

fn allocated_used_and_freed_on_a_stream(context: &Context) -> Outcome {
    let before = context.allocation_statistics();
    let stream = Stream::new_in(context)?;
    let source = LockedBuffer::from_slice(&pattern(MIB, 70))?;
    for _ in 0..turns(10) {
        let mut back = locked_vec![0_u8; MIB]?;
        let mut left = None;
        waited(&stream, || {
            // SAFETY: written before it is read, used on this stream alone, and freed behind that.
            let mut dev = unsafe { DeviceBuffer::<u8>::uninitialized_on(&stream, MIB)? };
            // SAFETY: `source` is left alone until the wait.
            let mut used = unsafe { dev.copy_from_async(&source, &stream) };
            if used.is_ok() {
                // SAFETY: `back` is left alone until the wait.
                used = unsafe { dev.copy_to_async(&mut back, &stream) };
            }
            used.and(freed_on(&stream, dev, &mut left))
        })?;
        assert!(*back == *source);
    }
    all_freed(context)?;
    assert_eq!(context.allocation_statistics().current_bytes, before.current_bytes);
    Ok(())
}

/// The memory may be handed out again at once, to be used behind the copies.
fn freed_behind_pending_copies(context: &Context) -> Outcome {
    let stream = Stream::new_in(context)?;
    let host = pattern(4 * MIB, 71);
    let mut back = locked_vec![0_u8; 4 * MIB]?;
    let source = DeviceBuffer::from_slice_in(context, &host)?;
    let mut left = None;
    waited(&stream, || {
        // SAFETY: `back` is left alone until the wait, and `source` is freed behind the copy.
        let queued = unsafe { copy!(back <- source, async stream) };
        queued.and(freed_on(&stream, source, &mut left))
    })?;
    let next = device_vec![in context; 0xFF_u8; 4 * MIB]?;
    assert!(*back == *host && next[0].to_value()? == 0xFF);
    let boxed = device_box![in context; 5_u32]?;
    boxed.drop_on(&stream).map_err(|(error, _)| error)?;
    Ok(())
}

fn freed_on_the_legacy_stream(context: &Context) -> Outcome {
    let legacy = Stream::legacy_in(context);
    device_vec![in context; 1_u8; MIB]?.drop_on(&legacy).map_err(|(error, _)| error)?;
    assert_eq!(device_vec![in context; 2_u8; MIB]?.to_vec()?, vec![2; MIB]);
    Ok(())
}

/// It waits for the stream, and then frees.
fn memory_that_is_not_of_a_pool(context: &Context) -> Outcome {
    let stream = Stream::new_in(context)?;
    let mut back = locked_vec![0_u8; MIB]?;
    // SAFETY: the memory is written before it is read, and the buffer takes it over.
    let pointer = unsafe { cuda_malloc::<u8>(MIB)? };
    // SAFETY: it was just allocated.
    let mut dev = unsafe { DeviceBuffer::from_raw_parts(pointer, MIB) };
    fill!(dev <- 6)?;
    let mut left = None;
    waited(&stream, || {
        // SAFETY: `back` is left alone until the wait, and `dev` is freed behind the copy.
        let queued = unsafe { copy!(back <- dev, async stream) };
        queued.and(freed_on(&stream, dev, &mut left))
    })?;
    assert_eq!(*back, *vec![6; MIB]);
    Ok(())
}

fn memory_of_a_pool_of_ones_own(context: &Context) -> Outcome {
    let (stream, pool) = (Stream::new_in(context)?, MemoryPool::new_in(context, PoolOptions::default())?);
    let dev = device_vec![in &pool; 1_u8; MIB]?;
    assert_eq!(pool.statistics()?.used, MIB as u64);
    dev.drop_on(&stream).map_err(|(error, _)| error)?;
    stream.synchronize()?;
    assert_eq!(pool.statistics()?.used, 0);
    Ok(())
}

fn nothing_to_free(context: &Context) -> Outcome {
    let stream = Stream::new_in(context)?;
    DeviceBuffer::<u8>::zeroed_in(context, 0)?.drop_on(&stream).map_err(|(error, _)| error)?;
    device_vec![in context; (); 5]?.drop_on(&stream).map_err(|(error, _)| error)?;
    // SAFETY: there is nothing to be used.
    let empty = unsafe { DeviceBuffer::<u64>::uninitialized_on(&stream, 0)? };
    assert!(empty.is_empty());
    Ok(())
}

fn lengths_that_cannot_be(context: &Context) -> Outcome {
    let stream = Stream::new_in(context)?;
    // SAFETY: it is refused.
    let refused_length = unsafe { DeviceBuffer::<u64>::uninitialized_on(&stream, usize::MAX / 2) };
    refused(refused_length, &Error::SizeOverflow { len: usize::MAX / 2, element_size: 8 })?;
    Ok(())
}
