//! It owns what it uses, and tells others.
use memcore::prelude::*;
use std::sync::mpsc;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![7u8; 4]?;
    let mut back = [0u8; 4];
    let (done, is_done) = mpsc::channel();
    stream.scope(|s| {
        copy!(back <- s.lend(&mut dev), s)?;
        s.stream().launch_host_function(move || done.send("done").unwrap())
    })?;
    assert_eq!((is_done.recv(), back), (Ok("done"), [7; 4]));
    Ok(())
}
