//! The two sides of a copy have one element type; the error names both.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0.0f32; 4]?;
    let host = vec![1.0f64; 4];
    copy!(dev <- host)
}
