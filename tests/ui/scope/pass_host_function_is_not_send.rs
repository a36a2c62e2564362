//! With what threads can share it can be.
use memcore::prelude::*;
use std::sync::Arc;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let shared = Arc::new(1);
    stream.launch_host_function(move || assert_eq!(*shared, 1))?;
    stream.synchronize()
}
