//@ MEMCORE_SIM_DEVICES=2
//! Contexts of two devices, and the stack of them.

use programs::Outcome;
use rustacuda::context::{Context, ContextFlags, ContextStack, CurrentContext};
use rustacuda::device::Device;
use rustacuda::memory::{CopyDestination, DeviceBuffer};
use rustacuda::{CudaApiVersion, CudaFlags};

pub(super) fn run() -> Outcome {
    rustacuda::init(CudaFlags::empty())?;
    assert_eq!(CudaApiVersion::get()?.major(), 13);
    assert_eq!(Device::num_devices()?, 2);
    let mut sizes = Vec::new();
    for device in Device::devices()? {
        let device = device?;
        assert_eq!(device.name()?, "memcore simulated device");
        sizes.push(device.total_memory()?);
    }
    assert_eq!(sizes.len(), 2);
    assert_ne!(Device::get_device(0)?.uuid()?, Device::get_device(1)?.uuid()?);

    let first = Context::create_and_push(ContextFlags::SCHED_AUTO, Device::get_device(0)?)?;
    let here = DeviceBuffer::from_slice(&[1u32; 100])?;
    let second = Context::create_and_push(ContextFlags::SCHED_AUTO, Device::get_device(1)?)?;
    let there = DeviceBuffer::from_slice(&[2u32; 100])?;
    let range = CurrentContext::get_stream_priority_range()?;
    assert!(range.greatest <= range.least);
    let mut back = [0u32; 100];
    there.copy_to(&mut back)?;
    assert_eq!(back, [2; 100]);
    drop(there);
    ContextStack::pop()?;
    here.copy_to(&mut back)?;
    assert_eq!(back, [1; 100]);
    drop(here);
    CurrentContext::set_current(&second)?;
    CurrentContext::synchronize()?;
    CurrentContext::set_current(&first)?;
    Ok(())
}
