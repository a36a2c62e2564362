//! Who makes room for whom: pieces for small and for large copies, and page-locked memory that is kept.

use memcore::Status;
use memcore::prelude::*;
use memcore::sim::{Fault, SimOptions};

use crate::{LARGE, SMALL, STAGING, count, finish, open, pattern, pieces_made};

#[test]
fn a_large_copy_leaves_room_for_small_ones() {
    let (sim, context) = open(SimOptions::default());
    let host = pattern(8 << 20, 1);
    let dev = DeviceBuffer::from_slice_in(&context, &host).unwrap();
    let for_large = context.staging_bytes();
    assert!(for_large > 512 << 10 && for_large <= (1 << 20) - (128 << 10), "{for_large} bytes");
    assert!(dev.to_vec().unwrap() == host);
    let mut few = vec![0_u8; SMALL];
    copy!(few <- dev[..SMALL]).unwrap();
    assert_eq!((few == host[..SMALL], context.staging_bytes()), (true, for_large + (128 << 10)));
    drop(dev);
    finish(sim, &context);
}

#[test]
fn small_copies_leave_room_for_large_ones() {
    let (sim, context) = open(SimOptions::default());
    let host = pattern(SMALL, 2);
    // As many small copies at once as there are threads.
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let dev = DeviceBuffer::from_slice_in(&context, &host).unwrap();
                    assert!(dev.to_vec().unwrap() == host);
                }
            });
        }
    });
    assert_eq!(context.staging_bytes(), 128 << 10);
    let large = pattern(LARGE, 3);
    let dev = DeviceBuffer::from_slice_in(&context, &large).unwrap();
    assert!(context.staging_bytes() > 512 << 10);
    assert!(dev.to_vec().unwrap() == large);
    drop(dev);
    finish(sim, &context);
}

#[test]
fn kept_page_locked_memory_makes_room_for_copies() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(4 << 20));
    drop(LockedBuffer::<u8>::zeroed_in(&context, 4 << 20).unwrap());
    assert_eq!(context.locked_statistics().kept_bytes, 4 << 20);
    let dev = DeviceBuffer::from_slice_in(&context, &[7_u8; SMALL]).unwrap();
    assert_eq!((context.locked_statistics().kept_bytes, context.staging_bytes()), (0, 128 << 10));
    assert_eq!(dev.to_vec().unwrap(), [7; SMALL]);
    drop(dev);
    finish(sim, &context);
}

#[test]
fn idle_pieces_make_room_for_page_locked_memory() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(4 << 20));
    drop(DeviceBuffer::from_slice_in(&context, &pattern(8 << 20, 4)).unwrap());
    assert!(context.staging_bytes() > 0);
    let locked = LockedBuffer::<u8>::zeroed_in(&context, 4 << 20).unwrap();
    assert_eq!(context.staging_bytes(), 0);
    // With none left copies go through the driver, until some is freed.
    let dev = DeviceBuffer::from_slice_in(&context, &[5_u8; SMALL]).unwrap();
    assert_eq!(context.staging_bytes(), 0);
    context.keep_locked_memory(0).unwrap();
    drop(locked);
    assert_eq!((dev.to_vec().unwrap() == [5; SMALL], context.staging_bytes()), (true, 128 << 10));
    drop(dev);
    finish(sim, &context);
}

#[test]
fn all_is_given_back_with_the_context() {
    let (sim, context) = open(SimOptions::default());
    drop(DeviceBuffer::from_slice_in(&context, &pattern(LARGE, 5)).unwrap());
    drop(DeviceBuffer::from_slice_in(&context, &pattern(SMALL, 5)).unwrap());
    let (pieces, events) = (pieces_made(&sim), count(&sim, "cuEventCreate"));
    assert!(pieces >= 2 && events >= 2);
    drop(context);
    assert_eq!((count(&sim, "cuMemFreeHost"), count(&sim, "cuEventDestroy_v2")), (pieces, events));
    assert!(sim.finish().is_empty());
}

#[test]
fn work_of_a_programs_stream_is_waited_for_before_anything_is_taken() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let host = pattern(LARGE, 6);
    let mut dev = DeviceBuffer::zeroed_in(&context, LARGE).unwrap();
    sim.clear_calls();
    copy!(dev <- host, stream).unwrap();
    assert_eq!(
        sim.calls().into_iter().find(|call| call.starts_with("cuStreamSync") || call.contains("HostAlloc")),
        Some("cuStreamSynchronize")
    );
    assert!(dev.to_vec().unwrap() == host);
    assert_eq!(context.staging(), STAGING);
    drop((dev, stream));
    finish(sim, &context);
}

#[test]
fn a_copy_in_parts_does_not_begin_where_earlier_work_of_the_stream_failed() {
    let host = pattern(LARGE, 7);
    let prepared = |options: SimOptions| {
        let (sim, context) = open(options);
        let stream = Stream::new_in(&context).unwrap();
        let dev = DeviceBuffer::<u8>::zeroed_in(&context, LARGE).unwrap();
        (sim, context, stream, dev)
    };
    let before = count(&prepared(SimOptions::default()).0, "cuStreamSynchronize");
    let fault = Fault::nth("cuStreamSynchronize", before + 1, Status(4242));
    let (sim, context, stream, mut dev) = prepared(SimOptions::default().fail(fault));
    let error = copy!(dev <- host, stream).unwrap_err();
    assert_eq!((error.status(), dev.to_vec().unwrap() == [0; LARGE]), (Some(Status(4242)), true));
    drop((dev, stream));
    finish(sim, &context);
}
