//! Sources that look like windows and are none, and windows of every kind of expression.
use memcore::prelude::*;

struct Held {
    image: PitchedBuffer<u8>,
}

fn pair<A: Copy, B>(a: A, _: B) -> A {
    a
}

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    copy!(dev <- [1, 2, 3, 4])?;
    copy!(dev <- &[1, 2, 3, 4])?;
    copy!(dev <- &mut [1, 2, 3, 4])?;
    copy!(dev <- vec![1, 2, 3, 4])?;
    copy!(dev <- pair::<[u8; 4], u8>([1, 2, 3, 4], 0))?;
    copy!(dev[..2] <- [[1, 2], [3, 4]][1])?;
    copy!(dev[..2] <- if Device::count()? == 1 { [1, 2] } else { [3, 4] })?;
    let mut held = vec![Held { image: PitchedBuffer::zeroed([4, 4])? }];
    let views = [dev.as_2d(2)?];
    copy!(held[0].image[1..3, 1..3] <- views[0][.., ..])?;
    copy!(held[0].image[1..3, 1..3] <- (views[0])[.., ..],)?;
    let pair = (PitchedBuffer::<u8>::zeroed([2, 2])?, (dev.as_2d(2)?, 0));
    copy!(held[0].image[1..3, 1..3] <- pair.0[.., ..])?;
    copy!(held[0].image[1..3, 1..3] <- pair.1.0[.., ..])?;
    copy!(held[0].image[1..3, 1..3] <- { &pair.0 }[.., ..])?;
    copy!(*held.get_mut(0).map(|held| &mut held.image).unwrap() <- [0u8; 16].as_2d(4)?)?;
    let (rows, stream) = (0..2, Stream::new()?);
    let mut small = device_vec![0u8; 4]?;
    copy!(small.as_2d_mut(2)?[rows.clone(), ..] <- held[0].image[rows, 0..2], stream)?;
    copy!(small.as_2d_mut(2)? <- dev.as_2d(2)?[.., ..,], &stream,)
}
