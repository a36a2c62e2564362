//! What another stream has taken over to read is not written on the old one meanwhile.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    let mut back = vec![0u8; 4];
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| {
            let taken = b.take_over_ref(dev, a)?;
            fill!(dev <- 2, a)?;
            copy!(back <- taken, b)
        })
    })
}
