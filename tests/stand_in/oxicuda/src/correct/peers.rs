//@ MEMCORE_SIM_DEVICES=2
//! Two devices, by their primary contexts.

use oxicuda_driver::{Device, Stream};
use oxicuda_memory::DeviceBuffer;
use oxicuda_memory::peer_copy::{
    can_access_peer, copy_peer, copy_peer_async, copy_peer_region, disable_peer_access, enable_peer_access,
};
use programs::Outcome;

use crate::context::Primary;

pub(super) fn run() -> Outcome {
    let (here, there) = (Primary::new(0)?, Primary::new(1)?);
    assert_eq!(Device::count()?, 2);
    assert!(can_access_peer(&here.device, &there.device)?);
    enable_peer_access(&here.device, &there.device)?;

    let source: Vec<u32> = (0..1000).collect();
    let mut back = vec![0u32; 1000];
    there.context.set_current()?;
    let mut theirs = DeviceBuffer::<u32>::zeroed(1000)?;
    here.context.set_current()?;
    let ours = DeviceBuffer::from_host(&source)?;
    copy_peer(&mut theirs, &there.device, &ours, &here.device)?;
    here.context.synchronize()?;
    there.context.synchronize()?;
    theirs.copy_to_host(&mut back)?;
    assert_eq!(back, source);

    copy_peer_region(&mut theirs, &there.device, 0, &ours, &here.device, 900, 100)?;
    here.context.synchronize()?;
    there.context.synchronize()?;
    theirs.copy_to_host(&mut back)?;
    assert_eq!(back[..100], source[900..]);
    assert_eq!(back[100..], source[100..]);

    here.context.set_current()?;
    let mut last = DeviceBuffer::<u32>::zeroed(1000)?;
    copy_peer_async(&mut last, &here.device, &theirs, &there.device, &Stream::new(&here.context)?)?;
    let mut again = vec![0u32; 1000];
    last.copy_to_host(&mut again)?;
    assert_eq!(again, back);
    disable_peer_access(&here.device, &there.device)?;
    Ok(())
}
