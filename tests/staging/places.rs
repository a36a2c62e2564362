//! What is wrong with device memory is found in staged copies too, at the program's line.

use memcore::memory::{cuda_free, cuda_malloc};
use memcore::prelude::*;
use memcore::sim::{SimOptions, ViolationKind};

use crate::{LARGE, ORDERS, SMALL, open, pattern};

type Copied = (memcore::Result<()>, u32);

/// Expects this kind, and nothing else, at this line; how often.
#[track_caller]
fn expect(
    options: SimOptions,
    kind: ViolationKind,
    run: impl FnOnce(&Context) -> Copied,
) -> (memcore::Result<()>, usize) {
    let (sim, context) = open(options);
    let entered = context.enter();
    let (copied, line) = run(&context);
    let found = sim.violations();
    for one in &found {
        assert_eq!((one.kind(), one.place()), (kind, (file!(), line)), "{one}");
    }
    drop(entered);
    drop(context);
    // As nothing is freed twice, nor left.
    assert_eq!(sim.finish().len(), found.len());
    assert!(!found.is_empty(), "{kind:?} was not found");
    (copied, found.len())
}

#[test]
fn downloads_of_what_nothing_has_written() {
    for order in ORDERS {
        for len in [SMALL, LARGE] {
            let (copied, found) = expect(SimOptions::default().order(order), ViolationKind::UninitRead, |_| {
                // SAFETY: unsound on purpose: it is read.
                let dev = unsafe { DeviceBuffer::<u8>::uninitialized(len) }.unwrap();
                let mut host = vec![0; len];
                (copy!(host <- dev), line!())
            });
            assert_eq!(copied, Ok(()));
            // One, however many parts of it are.
            assert_eq!(found, 1);
        }
    }
}

#[test]
fn copies_of_memory_that_is_freed() {
    for len in [SMALL, LARGE] {
        let freed = || {
            // SAFETY: of each: nothing uses the memory but what is tested.
            let pointer = unsafe { cuda_malloc::<u8>(len) }.unwrap();
            // SAFETY: as above.
            unsafe { cuda_free(pointer) }.unwrap();
            // SAFETY: unsound on purpose: it is used after it was freed.
            unsafe { DeviceSlice::from_raw_parts_mut(pointer, len) }
        };
        let (copied, found) = expect(SimOptions::default(), ViolationKind::UseAfterFree, |_| {
            let (dev, host) = (freed(), pattern(len, 1));
            (copy!(dev <- host), line!())
        });
        assert!(copied.is_err());
        assert_eq!(found, 1);
        let (copied, found) = expect(SimOptions::default(), ViolationKind::UseAfterFree, |_| {
            let (dev, mut host) = (freed(), vec![7; len]);
            let copied = copy!(host <- dev);
            let line = line!() - 1;
            assert!(host == vec![7; len]);
            (copied, line)
        });
        assert!(copied.is_err());
        assert_eq!(found, 1);
    }
}

#[test]
fn copies_beyond_the_end() {
    for len in [SMALL, LARGE] {
        let (copied, found) = expect(SimOptions::default(), ViolationKind::OutOfBounds, |_| {
            let (dev, host) = (device_vec![1_u8; len].unwrap(), pattern(len + 300, 1));
            // SAFETY: unsound on purpose: it is longer than the memory.
            let longer = unsafe { DeviceSlice::from_raw_parts_mut(dev.as_device_ptr(), len + 300) };
            (copy!(longer <- host), line!())
        });
        assert!(copied.is_err());
        assert_eq!(found, 1);
        let (copied, found) = expect(SimOptions::default(), ViolationKind::OutOfBounds, |_| {
            let (dev, mut host) = (device_vec![1_u8; len].unwrap(), vec![0; len + 300]);
            // SAFETY: as above.
            let longer = unsafe { DeviceSlice::from_raw_parts(dev.as_device_ptr(), len + 300) };
            (copy!(host <- longer), line!())
        });
        assert!(copied.is_err());
        assert_eq!(found, 1);
    }
}

#[test]
fn windows_too() {
    let (copied, _) = expect(SimOptions::default(), ViolationKind::UninitRead, |_| {
        // SAFETY: unsound on purpose: it is read.
        let dev = unsafe { DeviceBuffer::<u8>::uninitialized(LARGE) }.unwrap();
        let mut host = vec![0_u8; 900 * 2000];
        let (mut to, from) = (host.as_2d_mut(900).unwrap(), dev[..2_000_000].as_2d(1000).unwrap());
        (copy!(to <- from[.., ..900]), line!())
    });
    assert_eq!(copied, Ok(()));
}
