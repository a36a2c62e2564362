//! What the driver knows of an address, and how much memory there is.

use memcore::memory::MemoryKind;
use memcore::prelude::*;
use memcore::{Access, Error};

use crate::rig::{Outcome, all_freed, refused, tests};

tests!(every_kind_of_memory, numbers_are_not_used_again, unknown_addresses, how_much_is_allocated,);

fn every_kind_of_memory(context: &Context) -> Outcome {
    let dev = device_vec![in context; 1_u32; 1000]?;
    let unified = unified_vec![in context; 2_u32; 1000]?;
    let locked = locked_vec![in context; 3_u32; 1000]?;
    let ordinal = context.device().ordinal();
    let host = DevicePointer::<u32>::from_raw(locked.as_ptr().expose_provenance() as u64);
    for (first, kind, is_host, is_unified) in [
        (dev.as_device_ptr(), MemoryKind::Device, false, false),
        (unified.as_device_ptr(), MemoryKind::Device, true, true),
        (host, MemoryKind::Host, true, false),
    ] {
        for element in [0, 1, 999] {
            let pointer = first.add(element);
            let about = context.pointer_attributes(pointer)?;
            assert_eq!((about.kind, about.device, about.is_unified), (kind, ordinal, is_unified));
            assert_eq!((about.start.as_raw(), about.size), (first.as_raw(), 4000));
            assert_eq!(about.device_pointer.map(DevicePointer::as_raw), Some(pointer.as_raw()));
            assert_eq!(about.host_address, is_host.then_some(pointer.as_raw() as usize));
            assert!(about.is_mapped && about.access == Some(Access::ReadWrite));
            assert_eq!(context.address_range(pointer)?, (first.cast(), 4000));
        }
    }
    let pooled = context.pointer_attributes(dev.as_device_ptr())?.is_pooled;
    assert_eq!(pooled, context.memory_pool().is_some());
    Ok(())
}

fn numbers_are_not_used_again(context: &Context) -> Outcome {
    let mut seen = Vec::new();
    for _ in 0..4 {
        let dev = device_vec![in context; 1_u8; 1000]?;
        seen.push(context.pointer_attributes(dev[10..].as_device_ptr())?.buffer_id);
        assert_eq!(Some(&context.pointer_attributes(dev.as_device_ptr())?.buffer_id), seen.last());
    }
    seen.dedup();
    assert_eq!(seen.len(), 4);
    Ok(())
}

fn unknown_addresses(context: &Context) -> Outcome {
    let dev = device_vec![in context; 1_u8; 1000]?;
    let freed = dev.as_device_ptr();
    dev.try_free().map_err(|(error, _)| error)?;
    let pageable = vec![0_u8; 1000];
    let host = DevicePointer::from_raw(pageable.as_ptr().expose_provenance() as u64);
    for pointer in [freed, host, DevicePointer::null(), DevicePointer::from_raw(u64::MAX)] {
        let unknown = Error::UnknownMemory { address: pointer.as_raw() };
        refused(context.pointer_attributes(pointer), &unknown)?;
        refused(context.address_range(pointer), &unknown)?;
    }
    // An empty slice's address has no memory.
    let empty = DeviceBuffer::<u8>::zeroed_in(context, 0)?.as_device_ptr();
    refused(context.address_range(empty), &Error::UnknownMemory { address: empty.as_raw() })?;
    Ok(())
}

fn how_much_is_allocated(context: &Context) -> Outcome {
    context.reset_allocation_peaks();
    let before = context.allocation_statistics();
    let dev = device_vec![in context; 1_u32; 1000]?;
    drop(device_vec![in context; 1_u8; 500]?);
    let stream = Stream::new_in(context)?;
    stream.scope(|s| s.device_vec::<u8>(100).map(drop))?;
    all_freed(context)?;
    let after = context.allocation_statistics();
    assert_eq!(after.current_bytes - before.current_bytes, 4000);
    assert_eq!(after.peak_bytes - before.current_bytes, 4500);
    assert_eq!((after.current_count - before.current_count, after.peak_count - before.current_count), (1, 2));
    // Taken apart it is nobody's, and put together again somebody's.
    let (pointer, len) = dev.into_raw_parts();
    let apart = context.allocation_statistics();
    // SAFETY: the parts of a buffer that was just taken apart.
    let dev = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    assert_eq!((apart.current_bytes, apart.current_count), (before.current_bytes, before.current_count));
    if dev.to_vec()? == [1; 1000] {
        assert_eq!(context.allocation_statistics().current_bytes, after.current_bytes);
    }
    dev.try_free().map_err(|(error, _)| error)?;
    context.reset_allocation_peaks();
    let end = context.allocation_statistics();
    assert_eq!((end.current_bytes, end.peak_bytes), (before.current_bytes, before.current_bytes));
    Ok(())
}
