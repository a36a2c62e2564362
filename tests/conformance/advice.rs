//! Unified memory moved ahead of use, advised about, and attached.

use memcore::AttachFlag;
use memcore::memory::{MemoryAdvise, MemoryLocation};
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, tests, waited};

tests!(
    pages_are_prefetched,
    every_advice_is_taken,
    what_was_said_is_known,
    every_attach_flag_is_taken,
    memory_is_attached_to_streams,
    memory_without_bytes_takes_any_advice,
    advice_about_two_streams_and_both_owners,
);

fn pages_are_prefetched(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut unified = UnifiedBuffer::from_slice(&pattern(MIB, 3))?;
    unified.prefetch_device(&stream, context.device())?;
    stream.synchronize()?;
    assert_eq!(unified.as_device_slice().to_vec()?, pattern(MIB, 3));
    unified.prefetch_host(&stream)?;
    stream.synchronize()?;
    assert!(*unified == *pattern(MIB, 3));
    unified[0] = 1;
    let boxed = unified_box![7_u64]?;
    boxed.prefetch_device(&stream, context.device())?;
    boxed.prefetch_host(&stream)?;
    stream.synchronize()?;
    assert_eq!((unified[0], *boxed), (1, 7));
    Ok(())
}

fn every_advice_is_taken(context: &Context) -> Outcome {
    let mut unified = unified_vec![1.5_f32; 10_000]?;
    let device = context.device();
    for on in [true, false] {
        unified.advise_read_mostly(on)?;
        unified.advise_accessed_by(Some(device), on)?;
        unified.advise_accessed_by(None, on)?;
    }
    unified.preferred_location(Some(device))?;
    unified.preferred_location(None)?;
    unified.unset_preferred_location()?;
    // What was never given may be taken back.
    unified.unset_preferred_location()?;
    unified.advise_read_mostly(false)?;
    // None of it changes a value, or who may write.
    unified[9_999] = 2.5;
    fill!(unified.as_device_slice_mut()[..9_000] <- 3.5)?;
    assert_eq!((unified[8_999], unified[9_000], unified[9_999]), (3.5, 1.5, 2.5));
    Ok(())
}

fn what_was_said_is_known(context: &Context) -> Outcome {
    let (stream, here) = (Stream::new()?, MemoryLocation::Device(context.device().clone()));
    let (unified, boxed) = (unified_vec![1_u8; 10_000]?, unified_box![[1_u8; 10_000]]?);
    // Of the box, a page may be the buffer's too.
    assert_eq!(unified.query_last_prefetch()?, None);
    let memories: [&dyn MemoryAdvise; 2] = [&unified, &boxed];
    for memory in memories {
        assert!(!memory.query_read_mostly()? && memory.query_accessed_by()?.is_empty());
        assert_eq!(memory.query_preferred_location()?, None);
        memory.advise_read_mostly(true)?;
        memory.preferred_location(None)?;
        memory.advise_accessed_by(Some(context.device()), true)?;
        memory.prefetch_device(&stream, context.device())?;
        assert!(memory.query_read_mostly()?);
        assert_eq!(memory.query_preferred_location()?, Some(MemoryLocation::Host));
        assert_eq!(memory.query_accessed_by()?, std::slice::from_ref(&here));
        assert_eq!(memory.query_last_prefetch()?, Some(here.clone()));
        memory.preferred_location(Some(context.device()))?;
        memory.advise_accessed_by(None, true)?;
        memory.prefetch_host(&stream)?;
        assert_eq!(memory.query_preferred_location()?, Some(here.clone()));
        let by = memory.query_accessed_by()?;
        assert!(by.len() == 2 && by.contains(&here) && by.contains(&MemoryLocation::Host), "{by:?}");
        assert_eq!(memory.query_last_prefetch()?, Some(MemoryLocation::Host));
        memory.advise_read_mostly(false)?;
        memory.unset_preferred_location()?;
        memory.advise_accessed_by(Some(context.device()), false)?;
        memory.advise_accessed_by(None, false)?;
        assert!(!memory.query_read_mostly()? && memory.query_accessed_by()?.is_empty());
        assert_eq!(memory.query_preferred_location()?, None);
    }
    stream.synchronize()?;
    Ok(())
}

fn every_attach_flag_is_taken(context: &Context) -> Outcome {
    assert_eq!((AttachFlag::ALL, AttachFlag::default()), ([AttachFlag::Global, AttachFlag::Host], AttachFlag::Global));
    assert_eq!(AttachFlag::ALL.map(AttachFlag::as_raw), [1, 2]);
    assert_eq!([1, 2, 3, 4].map(AttachFlag::from_raw), [Some(AttachFlag::Global), Some(AttachFlag::Host), None, None]);
    for flag in AttachFlag::ALL {
        let mut unified = UnifiedBuffer::from_slice_with(context, flag, &[1_u32, 2, 3])?;
        unified[2] = 4;
        fill!(unified.as_device_slice_mut()[..1] <- 9)?;
        assert_eq!(*unified, [9, 2, 4], "{flag:?}");
        assert_eq!(*UnifiedBuffer::<u64>::zeroed_with(context, flag, 100)?, [0; 100]);
        assert_eq!(*UnifiedBuffer::filled_with(context, flag, true, 3)?, [true; 3]);
        assert_eq!(*UnifiedBox::new_with(context, flag, &'x')?, 'x');
        assert_eq!(*UnifiedBox::<[u8; 5]>::zeroed_with(context, flag)?, [0; 5]);
        assert_eq!(*UnifiedBox::<[u8; 5]>::zeroed_in(context)?, [0; 5]);
        // SAFETY: there is no element.
        assert!(unsafe { UnifiedBuffer::<u8>::uninitialized_with(context, flag, 0)? }.is_empty());
    }
    Ok(())
}

fn memory_is_attached_to_streams(_: &Context) -> Outcome {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (mut unified, mut boxed) = (unified_vec![1_u32; 5000]?, unified_box![[1_u32; 3]]?);
    for flag in AttachFlag::ALL {
        unified.attach(&first, flag)?;
        boxed.attach(&second, flag)?;
        // Whatever stream comes next, it comes behind.
        fill!(unified.as_device_slice_mut()[1..] <- 2)?;
        unified[0] += 1;
    }
    assert_eq!(unified[..2], [3, 2]);
    // SAFETY: the device uses the memory on this stream alone, until it is attached again.
    waited(&first, || unsafe { unified.attach_single(&first) })?;
    fill!(unified.as_device_slice_mut() <- 5, &first)?;
    let dev = device_vec![0_u32; 5000]?;
    copy!(unified.as_device_slice_mut()[..10] <- dev[..10], &first)?;
    assert_eq!(unified[9..11], [0, 5]);
    // SAFETY: as above; nothing is queued elsewhere.
    waited(&first, || unsafe { boxed.attach_single(&first) })?;
    drop(first);
    unified.attach(&second, AttachFlag::Global)?;
    fill!(unified.as_device_slice_mut() <- 6)?;
    boxed.attach(&second, AttachFlag::Host)?;
    fill!(boxed.as_device_slice_mut() <- [7; 3])?;
    assert_eq!((unified[4999], *boxed), (6, [7; 3]));
    Ok(())
}

fn memory_without_bytes_takes_any_advice(context: &Context) -> Outcome {
    fn all(memory: &impl MemoryAdvise, stream: &Stream, device: &Device) -> memcore::Result<()> {
        memory.prefetch_host(stream)?;
        memory.prefetch_device(stream, device)?;
        memory.advise_read_mostly(true)?;
        memory.preferred_location(Some(device))?;
        memory.unset_preferred_location()?;
        memory.advise_accessed_by(None, true)?;
        assert!(!memory.query_read_mostly()? && memory.query_accessed_by()?.is_empty());
        assert_eq!((memory.query_preferred_location()?, memory.query_last_prefetch()?), (None, None));
        Ok(())
    }
    let stream = Stream::new()?;
    all(&UnifiedBuffer::<f32>::default(), &stream, context.device())?;
    all(&unified_vec![(); 100]?, &stream, context.device())?;
    all(&unified_box![()]?, &stream, context.device())?;
    let mut nothing = UnifiedBuffer::<f32>::default();
    nothing.attach(&stream, AttachFlag::Host)?;
    // SAFETY: there is nothing that the device could use.
    unsafe { nothing.attach_single(&stream)? };
    Ok(())
}

/// A prefetch is a part of its stream's work: what comes later in it finds the pages moved, and the values as they were.
fn advice_about_two_streams_and_both_owners(context: &Context) -> Outcome {
    let (first, second) = (Stream::new()?, Stream::legacy()?);
    let (mut unified, mut boxed) = (unified_vec![1_u32; 5000]?, unified_box![[1_u32; 5000]]?);
    let memories: [&dyn MemoryAdvise; 2] = [&unified, &boxed];
    for memory in memories {
        assert_eq!(memory.size_in_bytes(), 20_000);
        memory.preferred_location(Some(context.device()))?;
        memory.prefetch_device(&first, context.device())?;
        memory.prefetch_host(&second)?;
    }
    first.synchronize()?;
    second.synchronize()?;
    fill!(unified.as_device_slice_mut() <- 2, first)?;
    fill!(boxed.as_device_slice_mut() <- [3; 5000], second)?;
    assert_eq!((unified[4999], boxed[4999]), (2, 3));
    Ok(())
}
