//! Memory that is registered for a scope is the device's until the scope ends.
use memcore::prelude::*;
use memcore::RegisterFlags;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut memory = vec![1u8; 100];
    let mut dev = device_vec![2u8; 100]?;
    stream.scope(|s| {
        let registered = s.register(&mut memory, RegisterFlags::empty())?;
        copy!(*registered <- dev, s)?;
        memory[0] = 3;
        Ok(())
    })?;
    fill!(dev <- memory[0])
}
