//! Memory of a pool is given back on one stream while another is at it.

use oxicuda_driver::memory_info::memset_d32_async;
use oxicuda_driver::Event;
use oxicuda_memory::pool::{NativeMemoryPool, NativeMemoryPoolProps};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let (owner, other) = (open.stream()?, open.stream()?);
    let pool = NativeMemoryPool::new(NativeMemoryPoolProps::default())?;
    let address = pool.alloc_async(4000, &owner)?;
    owner.synchronize()?;
    memset_d32_async(address, 1, 1000, &other)?; //~ use_after_free
    pool.free_async(address, &owner)?; //~ freed
    open.context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let (owner, other) = (open.stream()?, open.stream()?);
    let pool = NativeMemoryPool::new(NativeMemoryPoolProps::default())?;
    let address = pool.alloc_async(4000, &owner)?;
    owner.synchronize()?;
    memset_d32_async(address, 1, 1000, &other)?;
    let done = Event::new()?;
    done.record(&other)?;
    owner.wait_event(&done)?;
    pool.free_async(address, &owner)?;
    open.context.synchronize()?;
    Ok(())
}
