//! `Context` and `Device`.

use memcore::prelude::*;
use memcore::{AllocatorKind, DeviceAttribute, Error};

use crate::rig::{MIB, Outcome, all_freed, tests};

tests!(
    the_device_answers,
    a_device_has_one_context,
    entered_is_current,
    memory_is_returned_by_trim,
    a_buffer_outlives_its_context,
    there_is_no_such_device
);

fn the_device_answers(context: &Context) -> Outcome {
    let device = context.device();
    assert!(!device.name()?.is_empty());
    assert_ne!(device.uuid()?, [0; 16]);
    assert!(device.compute_capability()?.0 >= 3);
    assert_eq!(device.attribute(DeviceAttribute::WARP_SIZE)?, 32);
    assert_eq!(device.attribute(DeviceAttribute::UNIFIED_ADDRESSING)?, 1);
    assert!(device.attribute(DeviceAttribute(999_999)).is_err());
    let (free, total) = context.memory_info()?;
    assert!(free <= total && total <= device.total_memory()?);
    assert!(device.driver_version()? >= (11, 2));
    assert_eq!(context.allocator(), AllocatorKind::Pool);
    assert!(!device.can_access_peer(device)?);
    Ok(())
}

fn a_device_has_one_context(context: &Context) -> Outcome {
    let again = Context::new(context.device())?;
    assert_eq!(again, *context);
    assert_eq!(again.device(), context.device());
    Ok(())
}

fn entered_is_current(context: &Context) -> Outcome {
    assert_eq!(Context::current()?, *context);
    let again = context.enter();
    let inner = context.enter();
    drop(again);
    assert_eq!(Context::current()?, *context);
    drop(inner);
    assert_eq!(Context::current()?, *context);
    Ok(())
}

fn memory_is_returned_by_trim(context: &Context) -> Outcome {
    context.trim(0)?;
    let (before, _) = context.memory_info()?;
    let dev = device_vec![1_u8; 256 * MIB]?;
    let (during, _) = context.memory_info()?;
    assert!(during + 256 * MIB as u64 <= before);
    drop(dev);
    context.trim(0)?;
    all_freed(context)?;
    let (after, _) = context.memory_info()?;
    assert!(after >= during + 256 * MIB as u64, "{before} bytes were free, then {during}, then {after}");
    context.synchronize()?;
    Ok(())
}

fn a_buffer_outlives_its_context(context: &Context) -> Outcome {
    let clone = context.clone();
    let dev = device_vec![in &clone; 1_u8, 2, 3]?;
    let stream = Stream::new_in(&clone)?;
    drop(clone);
    assert_eq!(dev.to_vec()?, [1, 2, 3]);
    stream.synchronize()?;
    Ok(())
}

fn there_is_no_such_device(_: &Context) -> Outcome {
    let count = Device::count()?;
    assert_eq!(Device::new(count).unwrap_err(), Error::InvalidDevice { ordinal: count, count });
    assert_eq!(Device::new(u32::MAX).unwrap_err(), Error::InvalidDevice { ordinal: u32::MAX, count });
    assert_eq!(Device::all()?.len(), count as usize);
    Ok(())
}
