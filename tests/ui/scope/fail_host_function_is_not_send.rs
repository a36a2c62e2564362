//! It is called on another thread.
use memcore::prelude::*;
use std::rc::Rc;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let shared = Rc::new(1);
    stream.launch_host_function(move || println!("{shared}"))
}
