//! What runs when.

use super::super::backing::POISON;
use super::super::{Order, SimOptions};
use super::rig::{Rig, call, ok};
use crate::Status;

#[test]
fn a_lazy_download_shows_nothing_before_the_wait() {
    let rig = Rig::new(SimOptions::default());
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(1));
    assert_eq!(rig.upload(dev, &[1, 2, 3, 4]), Status::SUCCESS);
    ok!(rig, context_synchronize());
    host.write(&[9; 4]);
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    assert_eq!(host.read(), [POISON; 4]);
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [1, 2, 3, 4]);
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free_host(host.pointer));
    assert!(rig.kinds().is_empty());
}
