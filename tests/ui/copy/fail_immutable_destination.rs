//! A destination is borrowed mutably.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![0u8; 4]?;
    copy!(dev <- [1, 2, 3, 4])
}
