//! It is read there too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    let (mut back, mut again) = (vec![0u8; 4], vec![0u8; 4]);
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| {
            let taken = b.take_over_ref(dev, a)?;
            copy!(again <- dev, a)?;
            copy!(back <- taken, b)
        })?;
        fill!(dev <- 2, a)
    })
}
