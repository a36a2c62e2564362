//! A thread that is not joined could go on when the scope has ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        std::thread::spawn(move || fill!(dev <- 1, s));
        Ok(())
    })
}
