//! first
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
#[test]
fn chunks_on_three_streams() -> memcore::Result<()> {
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0)?)?;
    let _entered = context.enter();
    let (a, b, c) = (Stream::new()?, Stream::new()?, Stream::new()?);
    let source = locked_vec![3_u8; 3000]?;
    let mut back = locked_vec![0_u8; 3000]?;
    let mut dev = device_vec![0_u8; 3000]?;
    a.scope(|a| {
        let dev = a.lend(&mut dev);
        copy!(dev[..1000] <- source[..1000], a)?;
        copy!(dev[1000..] <- source[1000..], a)?;
        let (left, right) = dev.split_at_mut(1500);
        let (back_left, back_right) = back.split_at_mut(1500);
        b.scope(|b| {
            let left = b.take_over(left, a)?;
            copy!(back_left <- left, b)?;
            c.scope(|c| {
                let right = c.take_over(right, a)?;
                fill!(right[..10] <- 9, c)?;
                copy!(back_right <- right, c)
            })
        })?;
        fill!(dev <- 7_u8, a)
    })?;
    assert_eq!(back[..1500], [3; 1500]);
    assert_eq!(back[1500..1510], [9; 10]);
    assert_eq!(dev.to_vec()?, [7; 3000]);
    drop((dev, back, source));
    assert!(sim.finish().is_empty());
    Ok(())
}
