//! When the scope has ended it is.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut host = locked_vec![1u8; 4]?;
    stream.scope(|s| {
        let _host = s.lend(&mut host);
        memcore::Result::Ok(())
    })?;
    assert_eq!(host[0], 1);
    Ok(())
}
