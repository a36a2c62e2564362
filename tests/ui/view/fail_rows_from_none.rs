//! Memory without rows is viewed in rows before it meets some.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (mut image, host) = (PitchedBuffer::<u8>::zeroed([4, 4])?, vec![1u8; 16]);
    copy!(image <- host)
}
