//! The registered slice stays in the closure.
use memcore::prelude::*;
use memcore::{Error, RegisterFlags};

fn main() -> memcore::Result<()> {
    let mut memory = vec![1u8; 100];
    let context = Context::current()?;
    let slice = context.with_registered(&mut memory, RegisterFlags::empty(), |memory| Ok::<_, Error>(memory))?;
    slice[0] = 1;
    Ok(())
}
