//! Between two of them it does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let _future = async {
        std::future::ready(()).await;
        stream.scope(|s| fill!(dev <- 1, s))?;
        std::future::ready(()).await;
        memcore::Result::<()>::Ok(())
    };
    Ok(())
}
