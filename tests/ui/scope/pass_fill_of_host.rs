//! It is a fill that is complete on return.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut host = [0u8; 4];
    fill!(host <- 1)
}
