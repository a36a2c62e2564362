//! What comes after it is queued after it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        s.stream().launch_host_function(|| ())?;
        fill!(dev <- 1, s)
    })?;
    assert_eq!(dev.to_vec()?, [1; 4]);
    Ok(())
}
