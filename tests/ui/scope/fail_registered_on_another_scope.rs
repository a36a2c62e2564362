//! Memory that is registered for a scope is used on that scope's stream alone.
use memcore::prelude::*;
use memcore::RegisterFlags;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut memory = vec![1u8; 100];
    let mut dev = device_vec![2u8; 100]?;
    first.scope(|outer| {
        let registered = outer.register(&mut memory, RegisterFlags::empty())?;
        second.scope(|inner| copy!(dev <- *registered, inner))
    })
}
