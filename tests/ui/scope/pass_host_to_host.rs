//! It is a copy that is complete on return.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let source = [1u8; 4];
    let mut back = [0u8; 4];
    copy!(back <- source)
}
