//! An outer one's is taken over.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut back = [0u8; 4];
    first.scope(|a| {
        let scratch = a.device_vec::<u8>(4)?;
        second.scope(|b| copy!(back <- b.take_over(scratch, a)?, b))
    })
}
