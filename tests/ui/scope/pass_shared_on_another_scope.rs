//! `take_over_ref` makes the event.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    let mut back = vec![0u8; 4];
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 1, a)?;
        let shared = &*dev;
        second.scope(|b| copy!(back <- b.take_over_ref(shared, a)?, b))
    })?;
    assert_eq!(back, [1; 4]);
    Ok(())
}
