//! It is copied to with its scope named; arrays that are not lent without.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let (mut image, mut other) = (ArrayObject::<u8>::zeroed([2, 2])?, ArrayObject::<u8>::zeroed([2, 2])?);
    let (host, dev) = ([1u8; 4], device_vec![2u8; 4]?);
    stream.scope(|s| {
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- host, s)?;
        copy!(image <- dev, s)?;
        copy!(other <- host)?;
        copy!(other <- dev)
    })?;
    assert_eq!((image.to_vec()?, other.to_vec()?), (vec![2; 4], vec![2; 4]));
    Ok(())
}
