//! Registered for a closure, memory is written by copies that check what comes.
use memcore::prelude::*;
use memcore::RegisterFlags;

fn main() -> memcore::Result<()> {
    let (mut memory, dev) = ([true; 100], device_vec![false; 100]?);
    Context::current()?.with_registered(&mut memory, RegisterFlags::empty(), |memory| copy!(*memory <- dev))
}
