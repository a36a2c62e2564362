//! Copies by way of page-locked memory that the library keeps.

use oxicuda_memory::{DeviceBuffer, StagingBuffer};
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut staging = StagingBuffer::new();
    for len in [1000, 1 << 18] {
        let source: Vec<u32> = (0..len).collect();
        let mut device = DeviceBuffer::alloc(source.len())?;
        staging.upload(&mut device, &source, &stream)?;
        let mut back = vec![0u32; source.len()];
        staging.download(&mut back, &device, &stream)?;
        assert_eq!(back, source);
        staging.upload_with(&mut device, source.len(), &stream, |memory: &mut [u32]| memory.fill(5))?;
        assert_eq!(staging.download_into(&device, source.len(), &stream)?, vec![5; source.len()]);
    }
    assert!(staging.stats().direct_transfers > 0 && staging.stats().staged_transfers > 0);
    Ok(())
}
