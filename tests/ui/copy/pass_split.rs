//! Parts that do not overlap come from a split.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 8]?;
    let (left, right) = dev.split_at_mut(4);
    copy!(left <- right)
}
