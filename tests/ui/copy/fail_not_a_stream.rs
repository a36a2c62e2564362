//! The third operand is a stream.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    let context = Context::current()?;
    copy!(dev <- [1, 2, 3, 4], context)
}
