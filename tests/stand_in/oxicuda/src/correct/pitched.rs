//! Rows with padding between them.

use oxicuda_driver::CudaError;
use oxicuda_memory::copy_2d3d::{Memcpy2DParams, Memcpy3DParams, copy_2d_dtod, copy_2d_dtoh, copy_2d_htod, copy_3d_dtod};
use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let source: Vec<u8> = (0..=255).collect();
    let mut device = DeviceBuffer::<u8>::zeroed(32 * 16)?;
    // 16 rows of 16 bytes, 32 bytes apart on the device.
    copy_2d_htod(&mut device, &source, &Memcpy2DParams::new(16, 32, 16, 16))?;
    open.context.synchronize()?;
    let mut copy = DeviceBuffer::<u8>::zeroed(48 * 16)?;
    copy_2d_dtod(&mut copy, &device, &Memcpy2DParams::new(32, 48, 16, 16))?;
    let mut back = vec![0u8; 256];
    copy_2d_dtoh(&mut back, &copy, &Memcpy2DParams::new(48, 16, 16, 16))?;
    assert_eq!(back, source);

    let mut whole = vec![1u8; 32 * 16];
    device.copy_to_host(&mut whole)?;
    for (row, bytes) in whole.chunks(32).zip(source.chunks(16)) {
        assert_eq!((&row[..16], &row[16..]), (bytes, &[0; 16][..]));
    }
    // The library has the parameters of a copy in three dimensions, but not the copy.
    let volume = Memcpy3DParams::new(32, 32, 16, 4, 2, 4, 4);
    assert_eq!(copy_3d_dtod(&mut copy, &device, &volume), Err(CudaError::NotSupported));
    open.context.synchronize()?;
    Ok(())
}
