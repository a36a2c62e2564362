//! Each scope registers what it uses.
use memcore::prelude::*;
use memcore::RegisterFlags;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut memory = vec![1u8; 100];
    let mut dev = device_vec![2u8; 100]?;
    first.scope(|_outer| {
        second.scope(|inner| {
            let registered = inner.register(&mut memory, RegisterFlags::empty())?;
            copy!(dev <- *registered, inner)
        })
    })
}
