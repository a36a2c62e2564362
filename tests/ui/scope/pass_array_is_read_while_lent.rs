//! The twin of `fail_array_is_read_while_lent`.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let host = [1_u8; 16];
    let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
    stream.scope(|s| {
        let mut lent = s.lend_view(image.as_view_mut());
        copy!(lent <- host, s)
    })?;
    assert_eq!(image.to_vec()?, host);
    Ok(())
}
