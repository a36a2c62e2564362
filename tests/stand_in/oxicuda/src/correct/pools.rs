//! Pools: the driver's, with stream-ordered allocation, and the library's own.

use oxicuda_driver::Stream;
use oxicuda_driver::memory_info::{memcpy_device_to_device_async, memset_d32_async};
use oxicuda_driver::stream_ordered_alloc::{PoolAttribute, StreamMemoryPool, StreamOrderedAllocConfig};
use oxicuda_memory::DeviceBuffer;
use oxicuda_memory::pool::{MemoryPool, NativeMemoryPool, NativeMemoryPoolProps, PooledBuffer};
use programs::Outcome;

use crate::context::{Open, Primary};

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let pool = NativeMemoryPool::new(NativeMemoryPoolProps::default())?;
    let device = DeviceBuffer::<u32>::alloc(1000)?;
    for value in [7, 8] {
        let address = pool.alloc_async(4000, &stream)?;
        memset_d32_async(address, value, 1000, &stream)?;
        memcpy_device_to_device_async(device.as_device_ptr(), address, 4000, &stream)?;
        pool.free_async(address, &stream)?;
        stream.synchronize()?;
        let mut back = vec![0u32; 1000];
        device.copy_to_host(&mut back)?;
        assert_eq!(back, [value; 1000]);
    }
    pool.destroy()?;

    let mut pool = StreamMemoryPool::new(StreamOrderedAllocConfig::default_for_device(0))?;
    pool.set_attribute(PoolAttribute::ReleaseThreshold(1 << 20))?;
    pool.set_attribute(PoolAttribute::ReuseAllowOpportunistic)?;
    pool.trim(0)?;
    assert_ne!(StreamMemoryPool::default_pool(0)?.handle(), pool.handle());

    // The library's own pool is in the primary context.
    let primary = Primary::new(0)?;
    primary.context.set_current()?;
    let stream = Stream::new(&primary.context)?;
    let mut pool = MemoryPool::new(0)?;
    pool.set_threshold(4000)?;
    let buffer = PooledBuffer::<u32>::alloc_async(&pool, 1000, &stream)?;
    let address = buffer.as_device_ptr();
    memset_d32_async(address, 9, 1000, &stream)?;
    drop(buffer);
    stream.synchronize()?;
    let again = PooledBuffer::<u32>::alloc_async(&pool, 1000, &stream)?;
    assert_eq!(again.as_device_ptr(), address);
    drop(again);
    pool.trim(0)?;
    open.context.set_current()?;
    Ok(())
}
