//! The twin of `fail_lent_array_on_two_streams`.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (host, mut back) = ([1_u8; 16], [0_u8; 16]);
    let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
    first.scope(|s| {
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- host, s)
    })?;
    second.scope(|t| copy!(back <- image, t))
}
