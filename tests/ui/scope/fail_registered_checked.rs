//! What the device may write must be an element whatever its bytes are.
use memcore::prelude::*;
use memcore::RegisterFlags;

fn main() -> memcore::Result<()> {
    let mut memory = [true; 100];
    Stream::new()?.scope(|s| s.register(&mut memory, RegisterFlags::empty()).map(drop))
}
