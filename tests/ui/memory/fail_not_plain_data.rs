//! What is not plain device data goes into no buffer.
use memcore::prelude::*;

struct Mine(#[allow(dead_code)] u8);

fn main() -> memcore::Result<()> {
    let _ = DeviceBuffer::from_slice(&[String::new()])?;
    let _ = device_vec![Mine(1)]?;
    let _ = LockedBuffer::filled(Box::new(1), 4)?;
    let _ = DeviceBuffer::<String>::zeroed(4)?;
    let _ = DeviceBox::new(&"text")?;
    Ok(())
}
