//! A scope does not live across an `await`: a future can be forgotten between two polls.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let _future = stream.scope(|s| {
        memcore::Result::Ok(async move {
            std::future::ready(()).await;
            fill!(dev <- 1, s)
        })
    })?;
    Ok(())
}
