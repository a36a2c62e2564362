//! The traits for generic code are sealed, for each pair.
use memcore::memory::{CopyDestination, GpuBox};
use memcore::prelude::*;

struct Mine;

impl CopyDestination<Mine> for DeviceBuffer<u8> {
    fn copy_from(&mut self, _: &Mine) -> memcore::Result<()> {
        Ok(())
    }

    fn copy_to(&self, _: &mut Mine) -> memcore::Result<()> {
        Ok(())
    }
}

impl GpuBox<Mine> for DeviceSlice<u8> {
    fn as_device_ptr(&self) -> DevicePointer<Mine> {
        DevicePointer::null()
    }
}

fn main() {}
