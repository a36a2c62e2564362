//! When the scope has ended it is; lent to be read, both read it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut unified = unified_vec![1u8; 4]?;
    stream.scope(|s| fill!(s.lend(&mut unified) <- 2, s))?;
    let mut back = [0u8; 4];
    stream.scope(|s| {
        copy!(back <- s.lend_ref(&unified), s)?;
        assert_eq!(unified[0], 2);
        Ok(())
    })
}
