//! What the closure finds in it may leave.
use memcore::prelude::*;
use memcore::{Error, RegisterFlags};

fn main() -> memcore::Result<()> {
    let mut memory = vec![1u8; 100];
    let context = Context::current()?;
    let first = context.with_registered(&mut memory, RegisterFlags::empty(), |memory| Ok::<_, Error>(memory[0]))?;
    memory[0] = first;
    Ok(())
}
