//! The free functions of `memcore::memory`.

use std::thread;

use memcore::memory::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, mem_get_info, memcpy_dtoh, memcpy_htod,
};
use memcore::prelude::*;
use memcore::{Error, Status};

use crate::buffers::pattern;
use crate::rig::{MIB, NOT_SAID, Outcome, all_freed, refused, tests, waited};

tests!(
    device_memory_by_hand,
    device_memory_in_stream_order,
    unified_memory_by_hand,
    page_locked_memory_by_hand,
    memory_made_by_hand_is_owned_later,
    memory_of_an_owner_is_freed_by_hand,
    copies_of_bytes,
    copies_of_nothing,
    copies_reach_inside_an_allocation,
    nothing_is_asked_for,
    too_much_is_asked_for,
    how_much_memory_there_is,
    on_a_thread_of_its_own
);

fn device_memory_by_hand(_: &Context) -> Outcome {
    let mut back = [0_u32; 3];
    // SAFETY: nothing is read before it is written, and the memory is freed below.
    let pointer = unsafe { cuda_malloc::<u32>(3)? };
    assert_eq!(pointer.as_raw() % 256, 0);
    // SAFETY: three elements lie at the pointer, used by nothing else.
    let slice = unsafe { DeviceBuffer::borrowed(pointer, 3) };
    let used = copy!(slice <- [1, 2, 3]).and_then(|()| copy!(back <- slice));
    // SAFETY: nothing uses the memory any more.
    unsafe { cuda_free(pointer) }.and(used)?;
    assert_eq!(back, [1, 2, 3]);
    // SAFETY: address 0 has no memory, and its free is none.
    unsafe { cuda_free(DevicePointer::<u32>::null())? };
    Ok(())
}

fn device_memory_in_stream_order(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(100_000, 1))?;
    let mut back = locked_vec![0_u8; 100_000]?;
    // SAFETY: used below on this stream alone, written before it is read, and freed there.
    let pointer = unsafe { cuda_malloc_async::<u8>(&stream, 100_000)? };
    // SAFETY: the elements are there in stream order, used by nothing else.
    let slice = unsafe { DeviceBuffer::borrowed(pointer, 100_000) };
    let mut copies = || {
        // SAFETY: nothing uses the three but these copies, in order on one stream, until the wait has succeeded.
        unsafe { copy!(slice <- source, async stream)? };
        // SAFETY: as above.
        unsafe { copy!(back <- slice, async stream) }
    };
    waited(&stream, || {
        let queued = copies();
        // SAFETY: the work that uses the memory comes before this on the stream.
        unsafe { cuda_free_async(&stream, pointer) }.and(queued)
    })?;
    assert!(*back == *source);

    // The free need not be in stream order, if the work is done.
    // SAFETY: used by nothing, and freed once.
    let pointer = unsafe { cuda_malloc_async::<u64>(&stream, 10)? };
    let waited = waited(&stream, || Ok(()));
    // SAFETY: nothing uses the memory.
    unsafe { cuda_free(pointer) }.and(waited)?;
    Ok(())
}

fn unified_memory_by_hand(_: &Context) -> Outcome {
    // SAFETY: nothing is read before it is written, and the memory is freed below.
    let pointer = unsafe { cuda_malloc_unified::<u16>(100)? };
    // SAFETY: as many elements lie at the pointer, used by nothing else.
    let filled = unsafe { DeviceBuffer::borrowed(pointer.as_device_ptr(), 100) }.fill(7);
    let used = filled.and_then(|()| {
        // SAFETY: the element lies in the memory, and the device is done with it.
        assert_eq!(unsafe { pointer.add(99).as_ptr().read() }, 7);
        // SAFETY: as above.
        unsafe { pointer.as_mut_ptr().write(8) };
        // SAFETY: as many elements lie at the pointer, written by nothing else meanwhile.
        unsafe { DeviceSlice::from_raw_parts(pointer.as_device_ptr(), 2) }.to_vec()
    });
    // SAFETY: nothing uses the memory any more.
    let used = unsafe { cuda_free_unified(pointer) }.and(used)?;
    assert_eq!(used, [8, 7]);
    Ok(())
}

fn page_locked_memory_by_hand(_: &Context) -> Outcome {
    // SAFETY: nothing is read before it is written, and the memory is freed below.
    let pointer = unsafe { cuda_malloc_locked::<u32>(1000)? };
    assert!(!pointer.is_null() && pointer.is_aligned());
    // SAFETY: a thousand elements lie at the pointer.
    unsafe { pointer.write_bytes(0, 1000) };
    // SAFETY: as many elements, now initialised, used by nothing else while borrowed.
    let slice = unsafe { std::slice::from_raw_parts_mut(pointer, 1000) };
    let used = device_vec![1, 2, 3].and_then(|dev| copy!(slice[1..4] <- dev));
    let seen = [slice[0], slice[1], slice[2], slice[3], slice[4]];
    // SAFETY: nothing uses the memory any more.
    unsafe { cuda_free_locked(pointer) }.and(used)?;
    assert_eq!(seen, [0, 1, 2, 3, 0]);
    Ok(())
}

/// An owner takes over what a function made, and frees it as the driver wants it.
fn memory_made_by_hand_is_owned_later(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    for is_ordered in [false, true] {
        // SAFETY: of each: written before it is read, and handed over to an owner.
        let direct = || unsafe { cuda_malloc::<u8>(16) };
        // SAFETY: as above, and the wait makes it there for all.
        let ordered = || unsafe { cuda_malloc_async::<u8>(&stream, 16) };
        let pointer = if is_ordered { ordered()? } else { direct()? };
        // SAFETY: as many elements lie there, used by nothing else.
        let set = || unsafe { DeviceBuffer::borrowed(pointer, 16) }.set_8(3);
        if let Err(error) = waited(&stream, || Ok(())).and_then(|()| set()) {
            // SAFETY: nothing uses the memory.
            return Ok(unsafe { cuda_free(pointer) }.and(Err(error))?);
        }
        // SAFETY: an allocation of as many elements, now initialised, that no other owner has.
        assert_eq!(unsafe { DeviceBuffer::from_raw_parts(pointer, 16) }.to_vec()?, [3; 16]);
    }
    // SAFETY: as above.
    let unified = unsafe { cuda_malloc_unified::<u8>(16)? };
    // SAFETY: as many elements lie there, used by nothing else.
    unsafe { unified.as_mut_ptr().write_bytes(4, 16) };
    // SAFETY: an allocation of as many elements, now initialised, that no other owner has.
    assert_eq!(*unsafe { UnifiedBuffer::from_raw_parts(unified, 16) }, [4; 16]);
    // SAFETY: as above.
    let locked = unsafe { cuda_malloc_locked::<u8>(16)? };
    // SAFETY: as many elements lie there, used by nothing else.
    unsafe { locked.write_bytes(5, 16) };
    // SAFETY: an allocation of as many elements, now initialised, that no other owner has.
    assert_eq!(*unsafe { LockedBuffer::from_raw_parts(locked, 16) }, [5; 16]);
    all_freed(context)?;
    Ok(())
}

fn memory_of_an_owner_is_freed_by_hand(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (device, _) = device_vec![1_u8; 100]?.into_raw_parts();
    // SAFETY: nothing else owns or uses it: memcore's memory is there for all streams, and done with.
    unsafe { cuda_free_async(&stream, device)? };
    stream.synchronize()?;
    let (unified, _) = unified_vec![1_u8; 100]?.into_raw_parts();
    // SAFETY: nothing else owns or uses it.
    unsafe { cuda_free_unified(unified)? };
    let (locked, _) = locked_vec![1_u8; 100]?.into_raw_parts();
    // SAFETY: nothing else owns or uses it.
    unsafe { cuda_free_locked(locked)? };
    Ok(())
}

fn copies_of_bytes(_: &Context) -> Outcome {
    for len in [1, 3, 4096, 70_001] {
        let (host, mut back) = (pattern(len, 5), vec![0_u8; len]);
        let dev = device_vec![0_u8; len]?;
        let address = dev.as_device_ptr().as_raw();
        // SAFETY: as many bytes on both sides, used by nothing else.
        unsafe { memcpy_htod(address, host.as_ptr().cast(), len)? };
        // SAFETY: as above.
        unsafe { memcpy_dtoh(back.as_mut_ptr().cast(), address, len)? };
        assert!(back == host && dev.to_vec()? == host, "{len} bytes");
    }
    let (mut locked, unified) = (locked_vec![0_u8; 8]?, UnifiedBuffer::from_slice(&[1_u8, 2, 3, 4, 5, 6, 7, 8])?);
    // SAFETY: as many bytes on both sides, used by nothing else.
    unsafe { memcpy_dtoh(locked.as_mut_ptr().cast(), unified.as_unified_ptr().as_raw(), 8)? };
    assert_eq!(locked, LockedBuffer::from_slice(&unified)?);
    Ok(())
}

fn copies_of_nothing(_: &Context) -> Outcome {
    let dev = device_vec![1_u8; 4]?;
    let mut host = [9_u8; 4];
    // SAFETY: no byte is read or written.
    unsafe { memcpy_htod(dev.as_device_ptr().as_raw(), host.as_ptr().cast(), 0)? };
    // SAFETY: as above.
    unsafe { memcpy_dtoh(host.as_mut_ptr().cast(), dev.as_device_ptr().as_raw(), 0)? };
    assert_eq!((host, dev.to_vec()?), ([9; 4], vec![1; 4]));
    Ok(())
}

fn copies_reach_inside_an_allocation(_: &Context) -> Outcome {
    let dev = device_vec![0_u32; 10]?;
    let (source, mut back) = ([5_u32, 6], [0_u32; 2]);
    // SAFETY: the two elements lie in the buffer, used by nothing else.
    unsafe { memcpy_htod(dev[4..].as_device_ptr().as_raw(), source.as_ptr().cast(), 8)? };
    assert_eq!(dev.to_vec()?, [0, 0, 0, 0, 5, 6, 0, 0, 0, 0]);
    // SAFETY: as above.
    unsafe { memcpy_dtoh(back.as_mut_ptr().cast(), dev[5..].as_device_ptr().as_raw(), 8)? };
    assert_eq!(back, [6, 0]);
    Ok(())
}

/// The codes are the driver's own, seen on an H200.
fn nothing_is_asked_for(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let by = |operation| Error::Driver { operation, status: Status::INVALID_VALUE };
    // SAFETY: nothing is read or kept.
    refused(unsafe { cuda_malloc::<u8>(0) }, &by("cuMemAlloc_v2"))?;
    // SAFETY: as above.
    refused(unsafe { cuda_malloc::<()>(5) }, &by("cuMemAlloc_v2"))?;
    // SAFETY: as above.
    refused(unsafe { cuda_malloc_unified::<u8>(0) }, &by("cuMemAllocManaged"))?;
    // SAFETY: as above.
    assert_eq!(unsafe { cuda_malloc_async::<u8>(&stream, 0)? }, DevicePointer::null());
    // SAFETY: as above.
    unsafe { cuda_malloc_locked::<u8>(0)? };
    stream.synchronize()?;
    Ok(())
}

fn too_much_is_asked_for(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let overflow = Error::SizeOverflow { len: usize::MAX, element_size: 2 };
    // SAFETY: of each: nothing is allocated.
    let refused = unsafe { cuda_malloc::<u16>(usize::MAX) };
    assert_eq!(refused, Err(overflow.clone()));
    // SAFETY: as above.
    let refused = unsafe { cuda_malloc_async::<u16>(&stream, usize::MAX) };
    assert_eq!(refused, Err(overflow.clone()));
    // SAFETY: as above.
    let refused = unsafe { cuda_malloc_unified::<u16>(usize::MAX) };
    assert_eq!(refused, Err(overflow.clone()));
    // SAFETY: as above.
    let refused = unsafe { cuda_malloc_locked::<u16>(usize::MAX) };
    assert_eq!(refused, Err(overflow));

    // SAFETY: as above.
    let error = unsafe { cuda_malloc::<u8>(1 << 40) }.unwrap_err();
    let Error::OutOfMemory { operation: "cuMemAlloc_v2", requested, free, total } = error else {
        return Err(error.into());
    };
    let (Some(free), Some(total)) = (free, total) else { return Err(NOT_SAID.into()) };
    assert!(requested == 1 << 40 && free <= total && total < requested);
    // SAFETY: as above.
    let error = unsafe { cuda_malloc_async::<u8>(&stream, 1 << 40) }.unwrap_err();
    let Error::OutOfMemory { operation: "cuMemAllocAsync", requested, .. } = error else {
        return Err(error.into());
    };
    assert_eq!(requested, 1 << 40);
    // The next one works.
    // SAFETY: freed at once.
    unsafe { cuda_free(cuda_malloc_one()?)? };
    Ok(())
}

fn cuda_malloc_one() -> memcore::Result<DevicePointer<u8>> {
    // SAFETY: the caller frees it, and reads nothing.
    unsafe { cuda_malloc(1) }
}

fn how_much_memory_there_is(context: &Context) -> Outcome {
    let (free, total) = mem_get_info()?;
    assert!(0 < free && free <= total);
    assert_eq!(total as u64, context.memory_info()?.1);
    // SAFETY: nothing reads it, and it is freed below.
    let pointer = unsafe { cuda_malloc::<u8>(64 * MIB)? };
    let info = mem_get_info();
    // SAFETY: nothing uses it.
    let (less, same) = unsafe { cuda_free(pointer) }.and(info)?;
    assert!(less < free && same == total, "{less} of {same} bytes free, {free} of {total} before");
    Ok(())
}

fn on_a_thread_of_its_own(context: &Context) -> Outcome {
    let (context, dev) = (context.clone(), device_vec![5_u8; 4]?);
    let read = thread::spawn(move || {
        let _entered = context.enter();
        let mut back = [0_u8; 4];
        // SAFETY: as many bytes on both sides, used by nothing else.
        unsafe { memcpy_dtoh(back.as_mut_ptr().cast(), dev.as_device_ptr().as_raw(), 4)? };
        Ok::<_, Error>(back)
    });
    assert_eq!(read.join().unwrap()?, [5; 4]);
    Ok(())
}
