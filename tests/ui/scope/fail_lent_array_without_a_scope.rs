//! A lent array is copied to and from with its scope named, whatever the other side is.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let (mut image, other) = (ArrayObject::<u8>::zeroed([2, 2])?, ArrayObject::<u8>::zeroed([2, 2])?);
    let (host, dev) = ([1u8; 4], device_vec![1u8; 4]?);
    stream.scope(|s| {
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- host)?;
        copy!(image <- dev)?;
        copy!(image <- other)
    })
}
