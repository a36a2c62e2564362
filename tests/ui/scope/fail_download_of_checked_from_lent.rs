//! Nor from lent memory, nor into memory that is not initialised.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![true, false]?;
    let mut back = [std::mem::MaybeUninit::<bool>::uninit(); 2];
    stream.scope(|s| copy!(back <- s.lend(&mut dev), s))
}
