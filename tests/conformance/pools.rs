//! Memory pools of a program's own.

use memcore::prelude::*;
use memcore::{Access, Error, MemoryPool, PoolOptions, PoolReuse, Status};

use crate::buffers::pattern;
use crate::rig::{MIB, NOT_SAID, Outcome, all_freed, refused, tests};

tests!(
    buffers_come_from_a_pool,
    buffers_outlive_their_pool,
    statistics_follow,
    a_full_pool_says_so,
    what_can_be_set,
    access_of_its_own_device,
    the_contexts_own,
);

fn buffers_come_from_a_pool(context: &Context) -> Outcome {
    let pool = MemoryPool::new_in(context, PoolOptions::default())?;
    let host = pattern(3 * MIB + 1, 40);
    let mut copied = DeviceBuffer::from_slice_in(&pool, &host)?;
    let zeroed = DeviceBuffer::<u32>::zeroed_in(&pool, 1000)?;
    let filled = device_vec![in &pool; 7_u16; 1000]?;
    let listed = device_vec![in &pool; 1_u8, 2, 3]?;
    let gathered = DeviceBuffer::try_from_iter_in(&pool, 0..1000_u32)?;
    let boxed = device_box![in &pool; 1.5_f64]?;
    let (empty, unit) = (DeviceBuffer::<u8>::zeroed_in(&pool, 0)?, device_vec![in &pool; (); 5]?);
    let used = host.len() + 4000 + 2000 + 3 + 4000 + 8;
    assert_eq!(pool.statistics()?.used, used as u64);
    assert!(copied.to_vec()? == host);
    assert_eq!((zeroed.to_vec()?, filled.to_vec()?), (vec![0; 1000], vec![7; 1000]));
    assert_eq!((listed.to_vec()?, boxed.to_value()?), (vec![1, 2, 3], 1.5));
    assert!(gathered.to_vec()?.into_iter().eq(0..1000));
    assert_eq!((empty.len(), unit.len()), (0, 5));
    copy!(copied[..3] <- listed)?;
    fill!(copied[3..] <- 9)?;
    assert!(copied.to_vec()?[3..].iter().all(|byte| *byte == 9));
    let about = context.pointer_attributes(copied[5..].as_device_ptr())?;
    assert!(about.is_pooled && about.size == host.len());
    assert_eq!(pool.context(), context);
    Ok(())
}

/// The pool's handle goes first. What was taken apart keeps the pool too: a driver crashed that freed memory of a pool that
/// was destroyed.
fn buffers_outlive_their_pool(context: &Context) -> Outcome {
    let pool = MemoryPool::new_in(context, PoolOptions::default().release_threshold(0))?;
    let again = pool.clone();
    assert_eq!(pool, again);
    let (kept, apart) = (device_vec![in &pool; 3_u8; MIB]?, device_vec![in &pool; 4_u8; MIB]?);
    drop((pool, again));
    assert_eq!(kept.to_vec()?, vec![3; MIB]);
    kept.try_free().map_err(|(error, _)| error)?;
    let (pointer, len) = apart.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let apart = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    assert_eq!(apart.to_vec()?, vec![4; MIB]);
    apart.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn statistics_follow(context: &Context) -> Outcome {
    let pool = MemoryPool::new_in(context, PoolOptions::default())?;
    let statistics = pool.statistics()?;
    assert_eq!([statistics.reserved, statistics.reserved_peak, statistics.used, statistics.used_peak], [0; 4]);
    let small = DeviceBuffer::<u8>::zeroed_in(&pool, 1000)?;
    drop(DeviceBuffer::<u8>::zeroed_in(&pool, 4 * MIB)?);
    all_freed(context)?;
    let after = pool.statistics()?;
    assert_eq!((after.used, after.used_peak), (1000, 4 * MIB as u64 + 1000));
    assert!(after.reserved >= after.used_peak && after.reserved_peak == after.reserved);
    drop(small);
    pool.trim(0)?;
    all_freed(context)?;
    pool.reset_peaks()?;
    let end = pool.statistics()?;
    assert_eq!([end.reserved, end.reserved_peak, end.used, end.used_peak], [0; 4]);
    // It works on.
    assert_eq!(device_vec![in &pool; 1_u8; 10]?.to_vec()?, [1; 10]);
    Ok(())
}

fn a_full_pool_says_so(context: &Context) -> Outcome {
    // A GPU's pools grow by so much.
    let maximum = 32 * MIB;
    let pool = MemoryPool::new_in(context, PoolOptions::default().maximum_bytes(maximum))?;
    assert_eq!(pool.maximum_bytes(), Some(maximum));
    // SAFETY: it is not read.
    let large = unsafe { DeviceBuffer::<u8>::uninitialized_in(&pool, maximum)? };
    for requested in [1, maximum] {
        let error = match DeviceBuffer::<u8>::zeroed_in(&pool, requested) {
            Err(error) => error,
            Ok(buffer) => panic!("{buffer:?} is more than the pool has"),
        };
        if matches!(error, Error::PoolExhausted { used: None, .. } | Error::OutOfMemory { .. }) {
            return Err(NOT_SAID.into());
        }
        let (operation, used) = ("cuMemAllocFromPoolAsync", Some(maximum as u64));
        let requested = requested as u64;
        refused::<()>(Err(error), &Error::PoolExhausted { operation, requested, used, maximum: maximum as u64 })?;
    }
    large.try_free().map_err(|(error, _)| error)?;
    assert_eq!(DeviceBuffer::<u8>::zeroed_in(&pool, maximum)?.len(), maximum);
    // Other memory of the context is not limited.
    assert_eq!(device_vec![in context; 1_u8; 10]?.to_vec()?, [1; 10]);
    Ok(())
}

fn what_can_be_set(context: &Context) -> Outcome {
    let pool = MemoryPool::new_in(context, PoolOptions::default())?;
    assert_eq!((pool.maximum_bytes(), pool.release_threshold()?), (None, u64::MAX));
    pool.set_release_threshold(4096)?;
    assert_eq!(pool.release_threshold()?, 4096);
    for reuse in [PoolReuse::FollowEventDependencies, PoolReuse::Opportunistic, PoolReuse::InternalDependencies] {
        assert!(pool.reuse(reuse)?);
        pool.set_reuse(reuse, false)?;
        assert!(!pool.reuse(reuse)?);
        // What is right without it stays right.
        assert_eq!(device_vec![in &pool; 5_u8; MIB]?.to_vec()?, vec![5; MIB]);
        pool.set_reuse(reuse, true)?;
    }
    Ok(())
}

fn access_of_its_own_device(context: &Context) -> Outcome {
    let pool = MemoryPool::new_in(context, PoolOptions::default())?;
    assert_eq!(pool.access(context.device())?, Access::ReadWrite);
    pool.allow_access(context.device())?;
    // SAFETY: it is refused.
    let revoked = unsafe { pool.revoke_access(context.device()) };
    refused(revoked, &Error::Driver { operation: "cuMemPoolSetAccess", status: Status::INVALID_DEVICE })?;
    assert_eq!(pool.access(context.device())?, Access::ReadWrite);
    Ok(())
}

fn the_contexts_own(context: &Context) -> Outcome {
    let pool = context.memory_pool().ok_or(Error::Unsupported { what: "this test" })?;
    let before = pool.statistics()?.used;
    let dev = device_vec![in context; 1_u8; 1000]?;
    let also = device_vec![in &pool; 2_u8; 1000]?;
    assert_eq!(pool.statistics()?.used, before + 2000);
    assert_eq!((dev.to_vec()?, also.to_vec()?), (vec![1; 1000], vec![2; 1000]));
    drop(pool);
    assert_eq!(also[999].to_value()?, 2);
    Ok(())
}
