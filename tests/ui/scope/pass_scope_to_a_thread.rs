//! A scoped thread is joined in the scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        std::thread::scope(|threads| threads.spawn(move || fill!(dev <- 1, s)).join().unwrap())
    })
}
