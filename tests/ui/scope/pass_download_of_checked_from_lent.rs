//! Bytes go there.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8, 0]?;
    let mut back = [std::mem::MaybeUninit::<u8>::uninit(); 2];
    stream.scope(|s| copy!(back <- s.lend_ref(&dev), s))
}
