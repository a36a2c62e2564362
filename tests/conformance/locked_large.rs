//! Large page-locked memory, in pages that memcore maps and keeps.

use std::thread;

use memcore::memory::{cuda_free_locked, cuda_malloc_locked};
use memcore::prelude::*;
use memcore::{LockedFlags, LockedStatistics};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, joined, tests, turns, waited};

/// The least size of such memory.
const LARGE: usize = 256 << 10;
const HUGE_PAGE: usize = 2 << 20;

tests!(
    every_size_around_the_least_one,
    every_flag,
    pages_are_used_again,
    zeros_are_zeros_whatever_the_pages_held,
    what_is_kept_is_bounded_and_given_back,
    parts_are_taken_apart_and_put_together,
    by_hand,
    in_boxes_and_of_strict_alignments,
    threads_have_pages_of_their_own,
    new_vectors_of_every_size,
);

fn filled_in_and_out(mut locked: LockedBuffer<u8>) -> Outcome {
    let len = locked.len();
    assert!(locked.iter().all(|byte| *byte == 0), "{len}");
    assert_eq!(locked.device_ptr()?.as_raw(), locked.as_ptr().expose_provenance() as u64);
    let bytes = pattern(len, len as u32);
    locked.copy_from_slice(&bytes);
    let mut dev = device_vec![0_u8; len]?;
    copy!(dev <- locked)?;
    locked.fill(0);
    copy!(locked <- dev)?;
    assert!(*locked == *bytes, "{len}");
    locked.fill(0);
    // The last bytes, on a stream.
    let stream = Stream::new()?;
    stream.scope(|s| copy!(locked[len - 3..] <- dev[len - 3..], s))?;
    assert!(locked[..len - 3].iter().all(|byte| *byte == 0) && locked[len - 3..] == bytes[len - 3..]);
    // SAFETY: nothing uses either side before the wait.
    waited(&stream, || unsafe { copy!(locked <- dev, async stream) })?;
    assert!(*locked == *bytes, "{len}");
    Ok(())
}

fn every_size_around_the_least_one(context: &Context) -> Outcome {
    let around = |size: usize| [size, size - 1, size + 1];
    let sizes = [around(LARGE), around(LARGE + 4096), around(HUGE_PAGE)].concat();
    let all = turns(sizes.len() as u32);
    for len in sizes.into_iter().take(all as usize) {
        filled_in_and_out(LockedBuffer::zeroed_in(context, len)?)?;
        let bytes = pattern(len, 3);
        assert!(*LockedBuffer::from_slice_in(context, &bytes)? == *bytes);
        assert!(LockedBuffer::filled_in(context, 7_u8, len)?.iter().all(|byte| *byte == 7));
    }
    filled_in_and_out(LockedBuffer::zeroed_in(context, LARGE + 17 * MIB / 2 + 5)?)?;
    all_freed(context)?;
    Ok(())
}

fn every_flag(context: &Context) -> Outcome {
    for flags in (0..8).filter_map(LockedFlags::from_bits) {
        let mut locked = LockedBuffer::<u32>::zeroed_with(context, flags, LARGE / 4)?;
        assert!(locked.iter().all(|value| *value == 0), "{flags:?}");
        locked[LARGE / 4 - 1] = 8;
        let dev = DeviceBuffer::from_slice(&locked)?;
        assert_eq!(dev[LARGE / 4 - 1].to_value()?, 8, "{flags:?}");
        assert_eq!(locked.device_ptr()?.as_raw(), locked.as_ptr().expose_provenance() as u64);
        assert_eq!(*LockedBox::new_with(context, flags, &[3_u8; LARGE])?, [3; LARGE]);
    }
    Ok(())
}

/// Frees a buffer; whether its pages are kept, as they are unless a driver call has failed.
fn is_kept(context: &Context, buffer: LockedBuffer<u8>) -> memcore::Result<bool> {
    let before = context.locked_statistics();
    buffer.try_free().map_err(|(error, _)| error)?;
    Ok(context.locked_statistics().kept_bytes > before.kept_bytes)
}

fn pages_are_used_again(context: &Context) -> Outcome {
    context.trim(0)?;
    for size in [LARGE, LARGE + 1, 3 * LARGE + 5, HUGE_PAGE + 1] {
        let first = LockedBuffer::<u8>::zeroed_in(context, size)?;
        let address = first.as_ptr();
        if is_kept(context, first)? {
            let before = context.locked_statistics();
            let second = LockedBuffer::<u8>::zeroed_in(context, size)?;
            assert_eq!(second.as_ptr(), address);
            let after = context.locked_statistics();
            assert_eq!((after.reused, after.mapped), (before.reused + 1, before.mapped));
            // A little less serves as well, and much less does not.
            if is_kept(context, second)? {
                let less = LockedBuffer::<u8>::zeroed_in(context, size - size / 8)?;
                assert_eq!(less.as_ptr() == address, size - size / 8 >= LARGE);
            }
        }
        context.trim(0)?;
    }
    let large = LockedBuffer::<u8>::zeroed_in(context, 2 * LARGE)?;
    let address = large.as_ptr();
    is_kept(context, large)?;
    assert_ne!(LockedBuffer::<u8>::zeroed_in(context, LARGE)?.as_ptr(), address);
    Ok(())
}

fn zeros_are_zeros_whatever_the_pages_held(context: &Context) -> Outcome {
    for len in [LARGE, HUGE_PAGE + 77] {
        for turn in 0..3 {
            let mut locked = LockedBuffer::<u8>::zeroed_in(context, len)?;
            assert!(locked.iter().all(|byte| *byte == 0), "{len}, {turn}");
            locked.fill(0xFF);
            let bytes = pattern(len - 9, turn);
            drop(locked);
            assert!(*LockedBuffer::from_slice_in(context, &bytes)? == *bytes);
            let (pointer, len) =
                // SAFETY: no element is read before it is written, through the pointer.
                unsafe { LockedBuffer::<u8>::uninitialized_in(context, len)? }.into_raw_parts();
            // SAFETY: the memory was just made, with so many bytes, and nothing else uses it.
            unsafe { pointer.write_bytes(5, len) };
            // SAFETY: the parts of a buffer that was just taken apart, all written.
            assert!(unsafe { LockedBuffer::from_raw_parts(pointer, len) }.iter().all(|byte| *byte == 5));
        }
    }
    all_freed(context)?;
    Ok(())
}

fn what_is_kept_is_bounded_and_given_back(context: &Context) -> Outcome {
    let before = context.locked_statistics().kept_limit;
    context.trim(0)?;
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    let limit = 4 * LARGE;
    let outcome = context.keep_locked_memory(limit).and_then(|()| {
        assert_eq!(context.locked_statistics().kept_limit, limit as u64);
        let many = (0..7).map(|_| LockedBuffer::<u8>::zeroed_in(context, LARGE)).collect::<Result<Vec<_>, _>>()?;
        for one in many {
            one.try_free().map_err(|(error, _)| error)?;
            assert!(context.locked_statistics().kept_bytes <= limit as u64);
        }
        // Too large to be kept.
        LockedBuffer::<u8>::zeroed_in(context, limit + 1)?.try_free().map_err(|(error, _)| error)?;
        assert!(context.locked_statistics().kept_bytes <= limit as u64);
        context.trim(2 * LARGE)?;
        assert!(context.locked_statistics().kept_bytes <= 2 * LARGE as u64);
        context.keep_locked_memory(0)?;
        let LockedStatistics { kept_bytes, kept_limit, .. } = context.locked_statistics();
        assert_eq!((kept_bytes, kept_limit), (0, 0));
        drop(LockedBuffer::<u8>::zeroed_in(context, LARGE)?);
        assert_eq!(context.locked_statistics().kept_bytes, 0);
        all_freed(context)
    });
    context.keep_locked_memory(before as usize).and(outcome)?;
    Ok(())
}

fn parts_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let (pointer, len) = LockedBuffer::from_slice(&pattern(LARGE, 8))?.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { LockedBuffer::from_raw_parts(pointer, len) };
    assert!(*again == *pattern(LARGE, 8));
    let leaked = again.leak();
    leaked[0] = 5;
    // SAFETY: the memory that was just leaked, of which fewer elements are enough.
    let again = unsafe { LockedBuffer::from_raw_parts(leaked.as_mut_ptr(), 100) };
    assert_eq!(again[0], 5);
    let words = again.cast::<u32>().map_err(|(error, _)| error)?;
    assert_eq!(words.len(), 25);
    words.try_free().map_err(|(error, _)| error)?;
    let pointer = LockedBox::new(&[9_u16; LARGE / 2])?.into_raw();
    // SAFETY: the pointer of a box that was just taken apart.
    assert_eq!(unsafe { LockedBox::from_raw(pointer) }[LARGE / 2 - 1], 9);
    Ok(())
}

fn by_hand(context: &Context) -> Outcome {
    for count in [LARGE / 4 - 1, LARGE / 4, HUGE_PAGE / 2] {
        // SAFETY: written before it is read, and freed below, once.
        let pointer = unsafe { cuda_malloc_locked::<u32>(count)? };
        // SAFETY: as many elements lie there, used by nothing else.
        unsafe { pointer.write_bytes(1, count) };
        // SAFETY: the memory was just made, initialised, and is this buffer's from here on.
        let owned = unsafe { LockedBuffer::from_raw_parts(pointer, count) };
        assert!(owned.iter().all(|value| *value == 0x0101_0101));
        let (pointer, _) = owned.into_raw_parts();
        // SAFETY: nothing uses the memory.
        unsafe { cuda_free_locked(pointer)? };
    }
    all_freed(context)?;
    Ok(())
}

fn in_boxes_and_of_strict_alignments(context: &Context) -> Outcome {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(4096))]
    struct Page([u8; 4096]);

    let pages = LockedBuffer::<Page>::zeroed_in(context, LARGE / 4096)?;
    assert_eq!(pages.as_ptr().addr() % 4096, 0);
    assert!(pages.iter().all(|page| page.0 == [0; 4096]));
    let boxed = LockedBox::<[u64; LARGE / 8]>::zeroed_in(context)?;
    assert_eq!(*boxed, [0; LARGE / 8]);
    Ok(())
}

fn threads_have_pages_of_their_own(context: &Context) -> Outcome {
    let pages = thread::scope(|threads| {
        let one = |number: u8| {
            move || {
                for turn in 0..4_u8 {
                    let mut locked = LockedBuffer::<u8>::zeroed_in(context, LARGE + usize::from(turn) * 4096)?;
                    assert!(locked.iter().all(|byte| *byte == 0));
                    locked.fill(number);
                    thread::yield_now();
                    assert!(locked.iter().all(|byte| *byte == number));
                    locked.try_free().map_err(|(error, _)| error)?;
                }
                Ok(())
            }
        };
        joined((1..=4).map(|number| threads.spawn(one(number))).collect::<Vec<_>>())
    });
    pages?;
    all_freed(context)?;
    Ok(())
}

/// A large `Vec` has huge pages, which nobody sees.
fn new_vectors_of_every_size(_: &Context) -> Outcome {
    for len in [4 * MIB - 1, 4 * MIB, 6 * MIB + 3] {
        let bytes = pattern(len, 12);
        let dev = DeviceBuffer::from_slice(&bytes)?;
        assert!(dev.to_vec()? == bytes);
        let mut grown = vec![1_u8; 10];
        dev.append_to(&mut grown)?;
        assert!(grown[..10] == [1; 10] && grown[10..] == bytes);
        let flags: Vec<bool> = bytes.iter().map(|byte| byte & 1 == 1).collect();
        assert!(DeviceBuffer::from_slice(&flags)?.to_vec()? == flags);
        assert!(dev.as_2d(len)?.to_vec()? == bytes);
    }
    Ok(())
}
