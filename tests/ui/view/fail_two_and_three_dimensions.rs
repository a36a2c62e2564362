//! Rows are no slices of rows.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (mut dev, host) = (device_vec![0u8; 16]?, [0u8; 8]);
    copy!(dev.as_3d_mut([2, 4])?[0, .., ..] <- host.as_2d(4)?)
}
