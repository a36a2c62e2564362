//! Either will do, and a shared one too.
use std::sync::Arc;

use memcore::prelude::*;
use memcore::{MemoryPool, PoolOptions};

fn main() -> memcore::Result<()> {
    let context = Context::current()?;
    let pool = MemoryPool::new_in(&context, PoolOptions::default())?;
    let _dev = DeviceBuffer::<u8>::zeroed_in(&context, 4)?;
    let _dev = DeviceBuffer::<u8>::zeroed_in(&&pool, 4)?;
    let _dev = device_vec![in &Arc::new(pool); 1u8; 4]?;
    Ok(())
}
