//! Lent memory is not the host's to read.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut host = locked_vec![1u8; 4]?;
    stream.scope(|s| {
        let host = s.lend(&mut host);
        assert_eq!(host[0], 1);
        memcore::Result::Ok(())
    })
}
