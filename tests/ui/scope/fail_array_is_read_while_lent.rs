//! An array that is lent to be written is read by nobody else until the scope ends.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let host = [1_u8; 16];
    let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
    stream.scope(|s| {
        let mut lent = s.lend_view(image.as_view_mut());
        copy!(lent <- host, s)?;
        let _ = image.to_vec()?;
        memcore::Result::Ok(())
    })
}
