//! A host function is called when it pleases the device: it keeps nothing of the caller's.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let mut back = [0u8; 4];
    stream.scope(|s| {
        copy!(back <- s.lend(&mut dev), s)?;
        s.stream().launch_host_function(|| println!("{back:?}"))
    })
}
