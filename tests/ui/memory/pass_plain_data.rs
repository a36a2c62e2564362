//! What is plain device data does.
use memcore::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Mine(u8);

fn main() -> memcore::Result<()> {
    let _ = DeviceBuffer::from_slice(&[[0u8; 33]])?;
    let _ = device_vec![Mine(1)]?;
    let _ = LockedBuffer::filled(DevicePointer::<f32>::null(), 4)?;
    let _ = DeviceBuffer::<[[f32; 64]; 2]>::zeroed(4)?;
    let _ = DeviceBox::new(&true)?;
    Ok(())
}
