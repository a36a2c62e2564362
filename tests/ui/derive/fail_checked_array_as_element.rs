use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = DeviceBuffer::from_slice(&[[true, false]])?;
    let _: Vec<[bool; 2]> = dev.to_vec()?;
    Ok(())
}
