//! Without the arrow the macro says what it expects.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    copy!(dev, [1, 2, 3, 4])
}
