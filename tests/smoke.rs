//! first light
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
#[test]
fn smoke() -> memcore::Result<()> {
    let sim = Sim::new(SimOptions::default());
    let ctx = Context::new(&sim.device(0)?)?;
    let _on = ctx.enter();
    let mut dev = device_vec![1.0f32, 2.0, 3.0]?;
    copy!(dev[..2] <- [5.0, 6.0])?;
    assert_eq!(dev.to_vec()?, [5.0, 6.0, 3.0]);
    drop(dev);
    assert_eq!(sim.finish().len(), 0);
    Ok(())
}
