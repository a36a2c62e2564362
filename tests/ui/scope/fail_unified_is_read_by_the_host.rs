//! Lent unified memory is not touched by the host (mlx#3095).
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut unified = unified_vec![1u8; 4]?;
    stream.scope(|s| {
        let lent = s.lend(&mut unified);
        fill!(lent <- 2, s)?;
        assert_eq!(unified[0], 2);
        fill!(lent <- 3, s)
    })
}
