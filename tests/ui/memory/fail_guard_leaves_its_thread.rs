//! What is current belongs to a thread.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let context = Context::current()?;
    let entered = context.enter();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(entered));
    });
    Ok(())
}
