//! Memory of which any bytes are a value is lent; checked elements to be read.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut unified = unified_vec![1u8; 4]?;
    let checked = unified_vec![true; 4]?;
    let mut dev = device_vec![false; 4]?;
    stream.scope(|s| {
        fill!(s.lend(&mut unified) <- 3, s)?;
        copy!(dev <- s.lend_ref(&checked), s)
    })
}
