//! `LockedBuffer`.

use std::borrow::BorrowMut;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::thread;

use memcore::prelude::*;
use memcore::{Error, LockedFlags};

use crate::buffers::pattern;
use crate::rig::{Outcome, refused, tests};
use crate::unified::is_what_it_holds;

tests!(
    derefs_to_a_slice,
    strict_alignments_hold_or_are_refused,
    empty_and_zero_sized,
    parts_are_taken_apart_and_put_together,
    views_and_casts,
    fills_from_a_reader,
    a_reader_that_ends_in_an_element_or_fails,
    is_freed_with_its_last_reference_on_any_thread,
    is_a_slice_to_the_host,
    every_range_can_be_an_operand,
    every_flag_is_taken,
    flags_that_do_not_exist_are_refused,
    write_combined_memory_is_uploaded_as_it_was_written,
    the_device_has_an_address_of_it,
);

fn derefs_to_a_slice(context: &Context) -> Outcome {
    let mut locked = locked_vec![3_u32, 1, 2]?;
    locked.sort_unstable();
    locked[0] += 10;
    assert_eq!((*locked).iter().sum::<u32>(), 16);
    assert_eq!((locked.len(), locked.size_in_bytes(), locked.as_slice()), (3, 12, [11, 2, 3].as_slice()));
    assert_eq!(*locked_vec![in context; 1_u8; 3]?, [1; 3]);
    assert_eq!(*LockedBuffer::<f32>::zeroed_in(context, 2)?, [0.0; 2]);
    assert_eq!(locked.as_ptr().addr() % 256, 0);
    assert_eq!(format!("{locked:?}"), format!("LockedBuffer {{ address: {:p}, len: 3 }}", locked.as_ptr()));
    Ok(())
}

/// The driver hands out small pieces of pages: an alignment past its own cannot be had for sure, and never a wrong one.
fn strict_alignments_hold_or_are_refused(_: &Context) -> Outcome {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(4096))]
    struct Page([u8; 4096]);

    for _ in 0..4 {
        match LockedBuffer::<Page>::zeroed(1) {
            Ok(locked) => assert_eq!(locked.as_ptr().addr() % 4096, 0),
            Err(Error::Unsupported { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn empty_and_zero_sized(_: &Context) -> Outcome {
    let mut empty = LockedBuffer::<u64>::from_slice(&[])?;
    copy!(empty <- DeviceBuffer::<u64>::default())?;
    assert!(empty.is_empty() && empty.try_free().is_ok());
    let units = locked_vec![(); 3]?;
    assert_eq!((units.len(), units.size_in_bytes()), (3, 0));
    let mut nothing = LockedBuffer::<u8>::default();
    assert!(nothing.is_empty());
    // Empty views are as aligned as any.
    assert_eq!(nothing.view_as::<u64>()?.as_ptr().addr() % align_of::<u64>(), 0);
    assert_eq!(nothing.view_as_mut::<u64>()?.as_ptr().addr() % align_of::<u64>(), 0);
    let mut astronomical = LockedBuffer::filled((), usize::MAX)?;
    fill!(astronomical <- ())?;
    assert_eq!(astronomical.len(), usize::MAX);
    Ok(())
}

fn parts_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let (pointer, len) = locked_vec![1_u16, 2]?.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { LockedBuffer::from_raw_parts(pointer, len) };
    assert_eq!(*again, [1, 2]);
    let leaked = again.leak();
    leaked[0] = 5;
    // SAFETY: the memory that was just leaked, so that nothing is left behind.
    let again = unsafe { LockedBuffer::from_raw_parts(leaked.as_mut_ptr(), leaked.len()) };
    assert_eq!(*again, [5, 2]);
    again.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn views_and_casts(_: &Context) -> Outcome {
    let mut locked = locked_vec![1.0_f32, 2.0]?;
    assert_eq!(locked.view_as::<u32>()?, [1.0_f32.to_bits(), 2.0_f32.to_bits()]);
    locked.view_as_mut::<u32>()?[1] = 3.0_f32.to_bits();
    assert_eq!(*locked, [1.0, 3.0]);
    assert!(matches!(locked.view_as::<[u8; 3]>(), Err(Error::InvalidView(_))));
    let (error, locked) = locked.cast::<[u64; 2]>().unwrap_err();
    assert!(matches!(error, Error::InvalidView(view) if (view.from_size, view.to_size) == (4, 16)));
    let bits = locked.cast::<u64>().map_err(|(error, _)| error)?;
    assert_eq!(bits.len(), 1);
    Ok(())
}

fn fills_from_a_reader(_: &Context) -> Outcome {
    let data = pattern(100_001, 6);
    let mut locked = locked_vec![0_u8; 70_000]?;
    let mut reader = data.as_slice();
    assert_eq!(locked.read_from(&mut reader)?, 70_000);
    assert!(*locked == data[..70_000]);
    assert_eq!(locked.read_from(&mut reader)?, 30_001);
    assert!(locked[..30_001] == data[70_000..]);
    assert_eq!(locked.read_from(&mut reader)?, 0);
    Ok(())
}

fn a_reader_that_ends_in_an_element_or_fails(_: &Context) -> Outcome {
    let mut locked = locked_vec![0_u32; 4]?;
    let error = locked.read_from([1, 2, 3, 4, 5].as_slice()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert!(error.to_string().contains("1 bytes into an element of 4"), "{error}");
    struct Broken;
    impl io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    assert_eq!(locked.read_from(Broken).unwrap_err().to_string(), "broken");
    struct Lying;
    impl io::Read for Lying {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            Ok(room.len() + 100)
        }
    }
    assert!(locked.read_from(Lying).unwrap_err().to_string().contains("more than there was room for"));
    Ok(())
}

fn is_freed_with_its_last_reference_on_any_thread(_: &Context) -> Outcome {
    let shared = Arc::new(locked_vec![7_u8; 4096]?);
    let other = Arc::clone(&shared);
    drop(shared);
    thread::spawn(move || assert_eq!(other[4095], 7)).join().unwrap();
    Ok(())
}

#[allow(clippy::mutable_key_type, reason = "what is mutable inside is the context, which has no part in the hash")]
fn is_a_slice_to_the_host(_: &Context) -> Outcome {
    let (low, high) = (locked_vec![1_u32, 2, 3]?, locked_vec![1_u32, 3]?);
    is_what_it_holds::<_, [u32]>(&low, &high, &[1, 2, 3], &[1, 3]);
    let names = HashMap::from([(low, "low"), (high, "high")]);
    assert_eq!(names.get([1_u32, 3].as_slice()), Some(&"high"));
    let mut locked = locked_vec![1_u32, 2, 3]?;
    for value in &mut locked {
        *value *= 2;
    }
    let slice: &mut [u32] = locked.borrow_mut();
    slice[2] = 7;
    locked.as_mut()[1] = 5;
    assert_eq!((&locked).into_iter().sum::<u32>(), 14);
    Ok(())
}

fn every_range_can_be_an_operand(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 100]?;
    let mut locked = LockedBuffer::from_slice(&pattern(100, 7))?;
    copy!(dev[10..50] <- locked[50..90])?;
    let expected = locked[50..90].to_vec();
    locked.fill(0);
    copy!(locked[60..] <- dev[10..50])?;
    assert_eq!(locked[60..], expected);
    assert_eq!(locked[..60], [0; 60]);
    Ok(())
}

fn every_flag_is_taken(context: &Context) -> Outcome {
    for bits in 0..8 {
        let flags = LockedFlags::from_bits(bits).expect("three flags");
        let mut locked = LockedBuffer::from_slice_with(context, flags, &[1_u32, 2, 3])?;
        locked[0] = 5;
        let dev = DeviceBuffer::from_slice(&locked)?;
        copy!(locked[1..] <- dev[..2])?;
        assert_eq!(*locked, [5, 5, 2], "{flags:?}");
        assert_eq!(*LockedBuffer::<u64>::zeroed_with(context, flags, 100)?, [0; 100]);
        assert_eq!(*LockedBuffer::filled_with(context, flags, true, 3)?, [true; 3]);
        assert!(LockedBuffer::<u8>::zeroed_with(context, flags, 0)?.is_empty());
        assert_eq!(*LockedBox::new_with(context, flags, &'x')?, 'x');
        assert_eq!(*LockedBox::<[u8; 5]>::zeroed_with(context, flags)?, [0; 5]);
        // SAFETY: no element is used before it is written, through the pointer.
        let (pointer, len) = unsafe { LockedBuffer::<u16>::uninitialized_with(context, flags, 2)? }.into_raw_parts();
        for i in 0..len {
            // SAFETY: the element lies in the memory that was just made, which nothing else uses.
            unsafe { pointer.wrapping_add(i).write(7) };
        }
        // SAFETY: the parts of a buffer that was just taken apart, all written.
        assert_eq!(*unsafe { LockedBuffer::from_raw_parts(pointer, len) }, [7, 7]);
        // SAFETY: the value is not used before it is written, through the pointer.
        let pointer = unsafe { LockedBox::<u64>::uninitialized_with(context, flags)? }.into_raw();
        // SAFETY: the memory was just made, and nothing else uses it.
        unsafe { pointer.write(8) };
        // SAFETY: the pointer of a box that was just taken apart, its value written.
        assert_eq!(*unsafe { LockedBox::from_raw(pointer) }, 8);
    }
    Ok(())
}

/// What flags are to Rust: all of them, one by one, their numbers, their names.
fn flags_that_do_not_exist_are_refused(context: &Context) -> Outcome {
    assert_eq!((LockedFlags::all().bits(), LockedFlags::default()), (7, LockedFlags::empty()));
    let all: Vec<_> = LockedFlags::all().iter().collect();
    assert_eq!(all, [LockedFlags::PORTABLE, LockedFlags::DEVICE_MAPPED, LockedFlags::WRITE_COMBINED]);
    let text = format!("{:?}", LockedFlags::WRITE_COMBINED | LockedFlags::PORTABLE);
    assert_eq!(text, "LockedFlags(PORTABLE | WRITE_COMBINED)");
    for bits in [8, 16, 1 << 31] {
        assert_eq!(LockedFlags::from_bits(bits), None);
        let (flags, error) = (
            LockedFlags::from_bits_retain(bits | 1),
            Error::UnknownFlags { what: "page-locked memory", bits: bits | 1 },
        );
        refused(LockedBuffer::<u8>::zeroed_with(context, flags, 10), &error)?;
        refused(LockedBox::new_with(context, flags, &1_u8), &error)?;
    }
    Ok(())
}

fn write_combined_memory_is_uploaded_as_it_was_written(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut locked = LockedBuffer::<u32>::zeroed_with(context, LockedFlags::WRITE_COMBINED, 1000)?;
    let mut dev = device_vec![9_u32; 1000]?;
    for turn in 1..4 {
        for (value, i) in locked.iter_mut().zip(0..) {
            *value = turn * i;
        }
        match turn {
            1 => copy!(dev <- locked)?,
            2 => stream.scope(|s| copy!(dev <- locked, s))?,
            // SAFETY: nothing uses either side until the wait.
            _ => crate::rig::waited(&stream, || unsafe { copy!(dev <- locked, async stream) })?,
        }
        assert!(dev.to_vec()?.into_iter().zip(0..).all(|(value, i)| value == turn * i), "{turn}");
    }
    locked[11] = 77;
    copy!(dev.as_2d_mut(10)?[..2, 5..] <- locked.as_2d(10)?[..2, ..5])?;
    assert_eq!(dev.to_vec()?[16], 77);
    Ok(())
}

fn the_device_has_an_address_of_it(context: &Context) -> Outcome {
    // With unified addresses it is the host's, whatever the flags say.
    for flags in [LockedFlags::empty(), LockedFlags::DEVICE_MAPPED] {
        let locked = LockedBuffer::<u32>::zeroed_with(context, flags, 100)?;
        assert_eq!(locked.device_ptr()?.as_raw(), locked.as_ptr().expose_provenance() as u64);
        let boxed = LockedBox::new_with(context, flags, &1_u8)?;
        assert_eq!(boxed.device_ptr()?.as_raw(), (&raw const *boxed).expose_provenance() as u64);
    }
    assert!(!LockedBuffer::<u32>::default().device_ptr()?.is_null());
    Ok(())
}
