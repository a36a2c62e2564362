//! Nor the scope, or what is lent to it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        s.stream().launch_host_function(move || fill!(dev <- 1, s).unwrap())
    })
}
