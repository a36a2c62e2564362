//! Two lent memories do not change places: they have no size, and no bytes for the host.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let (left, right) = s.lend(&mut dev).split_at_mut(2);
        std::mem::swap(&mut *left, &mut *right);
        memcore::Result::Ok(())
    })
}
