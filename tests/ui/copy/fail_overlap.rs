//! Both sides in one buffer: the borrow checker sees the overlap.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 8]?;
    copy!(dev[0..4] <- dev[2..6])
}
