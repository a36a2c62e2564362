//! The bytes of another type are copied through a view.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0.0f32; 8]?;
    let host = vec![1.0f64; 4];
    copy!(dev.view_as_mut::<f64>()? <- host)
}
