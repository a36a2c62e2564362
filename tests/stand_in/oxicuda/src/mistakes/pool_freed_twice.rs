//! A pool gives addresses, and takes any back, as often as they are given.

use oxicuda_memory::pool::{NativeMemoryPool, NativeMemoryPoolProps};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let pool = NativeMemoryPool::new(NativeMemoryPoolProps::default())?;
    let address = pool.alloc_async(4000, &stream)?;
    pool.free_async(address, &stream)?; //~ freed
    assert!(pool.free_async(address, &stream).is_err()); //~ double_free
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let pool = NativeMemoryPool::new(NativeMemoryPoolProps::default())?;
    let address = pool.alloc_async(4000, &stream)?;
    pool.free_async(address, &stream)?;
    stream.synchronize()?;
    Ok(())
}
