//! Each thread enters for itself; contexts, buffers and streams go anywhere.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let context = Context::current()?;
    let (dev, stream, event) = (device_vec![1u8; 4]?, Stream::new()?, memcore::Event::new()?);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _entered = context.enter();
            stream.record(&event).unwrap();
            dev.to_vec().unwrap();
        });
    });
    Ok(())
}
