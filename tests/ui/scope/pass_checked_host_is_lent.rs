//! Checked elements are lent to be read.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![true; 4]?;
    let host = [false; 4];
    stream.scope(|s| copy!(dev <- s.lend_ref(&host), s))
}
