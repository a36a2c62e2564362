//! Which memory memcore's own threads may copy.

use super::super::options::SimOptions;
use super::rig::{Pages, Rig, ok};
use crate::driver::HostRows;
use crate::driver::ffi::{HOST_DEVICE_MAPPED, REGISTER_READ_ONLY};

fn run(start: u64, bytes: usize, is_written: bool) -> HostRows {
    HostRows { start, shape: [bytes, 1, 1], pitch: bytes, height: 1, is_written }
}

/// Whether the host may read so many bytes, and whether it may write them.
fn lets(rig: &Rig, start: u64, bytes: usize) -> (bool, bool) {
    let [reads, writes] = [false, true].map(|writes| rig.driver.lets_host_copy(run(start, bytes, writes)));
    (reads, writes)
}

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

const ALL: (bool, bool) = (true, true);
const NONE: (bool, bool) = (false, false);

#[test]
fn memory_of_a_device_is_not_the_host_s() {
    let rig = rig();
    let dev = rig.alloc(64);
    assert_eq!([lets(&rig, dev, 1), lets(&rig, dev + 4096, 1)], [NONE, NONE]);
    ok!(rig, mem_free(dev));
    assert_eq!(lets(&rig, dev, 1), NONE);
    let own = [0_u8; 8];
    assert_eq!(lets(&rig, own.as_ptr().addr() as u64, 8), ALL);
    assert_eq!(rig.kinds(), []);
}

#[test]
fn page_locked_memory_ends_and_is_freed() {
    let rig = rig();
    let locked = rig.locked(64);
    let start = locked.pointer.addr() as u64;
    assert_eq!([lets(&rig, start, 64), lets(&rig, start + 1, 64)], [ALL, NONE]);
    ok!(rig, mem_free_host(locked.pointer));
    assert_eq!(lets(&rig, start, 64), NONE);
    assert_eq!(rig.kinds(), []);
}

#[test]
fn registered_memory_may_be_gone_or_to_be_read_only() {
    let (rig, pages) = (rig(), Pages::new());
    let start = pages.pointer().addr() as u64;
    ok!(rig, mem_host_register(pages.pointer(), 64, HOST_DEVICE_MAPPED | REGISTER_READ_ONLY));
    assert_eq!(lets(&rig, start, 64), (true, false));
    ok!(rig, mem_host_unregister(pages.pointer()));
    ok!(rig, mem_host_register(pages.pointer(), 64, 0));
    assert_eq!(lets(&rig, start, 64), ALL);
    let address = pages.pointer();
    drop(pages);
    assert_eq!(lets(&rig, start, 64), NONE);
    ok!(rig, mem_host_unregister(address));
    assert_eq!(rig.kinds(), []);
}

#[test]
fn managed_memory_may_be_a_stream_s_or_the_device_s() {
    let rig = rig();
    let (managed, stream) = (rig.managed(64), rig.stream(1));
    assert_eq!(lets(&rig, managed, 64), ALL);
    ok!(rig, stream_attach_memory(stream, managed, 0, 4));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(lets(&rig, managed, 64), NONE);
    ok!(rig, stream_attach_memory(stream, managed, 0, 1));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(lets(&rig, managed, 64), ALL);
    ok!(rig, mem_free(managed));
    assert_eq!(rig.kinds(), []);
    let rig = Rig::new(SimOptions::default().without_concurrent_managed_access());
    let managed = rig.managed(64);
    assert_eq!(lets(&rig, managed, 64), NONE);
    ok!(rig, mem_free(managed));
    assert_eq!(rig.kinds(), []);
}

/// Of rows those count that the other operation uses, and not what lies between.
#[test]
fn rows_in_use_are_left_until_the_host_has_waited() {
    let (rig, own) = (rig(), [0_u8; 60]);
    let (dev, stream, start) = (rig.alloc(64), rig.stream(1), own.as_ptr().addr() as u64);
    ok!(rig, memcpy_htod_async(dev, own.as_ptr().wrapping_add(10).cast(), 2, stream));
    let rows = |column: u64, width, is_written| HostRows {
        start: start + column,
        shape: [width, 2, 2],
        pitch: 10,
        height: 3,
        is_written,
    };
    let lets = |column, width, is_written| rig.driver.lets_host_copy(rows(column, width, is_written));
    assert!(lets(0, 3, false) && lets(2, 3, true) && !lets(1, 3, true));
    ok!(rig, stream_synchronize(stream));
    assert!(lets(1, 3, true));
    // These overlap, which the driver refuses.
    assert!(!lets(0, 11, false));
    ok!(rig, mem_free(dev));
    assert_eq!(rig.kinds(), []);
}
