//! `UnifiedBuffer` and `UnifiedBox`.

use std::borrow::{Borrow, BorrowMut};
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::io;
use std::mem;
use std::thread;

use memcore::prelude::*;
use memcore::{DeviceAttribute, Error};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, tests};

tests!(
    the_device_has_unified_memory,
    buffers_are_made_in_every_way,
    boxes_are_made_in_every_way,
    the_host_works_in_place,
    a_forgotten_buffer_is_put_together_again,
    parts_are_taken_apart_and_put_together,
    boxes_are_taken_apart_and_put_together,
    leaked_memory_stays,
    views_and_casts,
    views_of_part_of_a_buffer,
    empty_and_zero_sized,
    strict_alignments_hold_or_are_refused,
    lengths_that_overflow_are_refused,
    is_freed_on_another_thread,
    fills_from_a_reader,
    a_buffer_is_a_slice_to_the_host,
    a_box_is_a_value_to_the_host,
    debug_shows_no_contents,
    pointers_go_back_and_forth,
);

/// What the rest stands on: the device that the suite runs on has it.
fn the_device_has_unified_memory(context: &Context) -> Outcome {
    assert_eq!(context.device().attribute(DeviceAttribute::MANAGED_MEMORY)?, 1);
    assert_eq!(context.device().attribute(DeviceAttribute::CONCURRENT_MANAGED_ACCESS)?, 1);
    Ok(())
}

fn buffers_are_made_in_every_way(context: &Context) -> Outcome {
    assert_eq!(*UnifiedBuffer::from_slice(&[1_u32, 2, 3])?, [1, 2, 3]);
    assert_eq!(*UnifiedBuffer::from_slice_in(context, &[1_u8])?, [1]);
    assert_eq!(*UnifiedBuffer::<f64>::zeroed(1000)?, [0.0; 1000]);
    assert_eq!(*UnifiedBuffer::<f64>::zeroed_in(context, 2)?, [0.0; 2]);
    assert_eq!(*UnifiedBuffer::filled([1_u8, 2, 3], 100)?, [[1, 2, 3]; 100]);
    assert_eq!(*UnifiedBuffer::filled_in(context, 'x', 3)?, ['x'; 3]);
    assert_eq!(*unified_vec![3_i16, 2, 1]?, [3, 2, 1]);
    assert_eq!(*unified_vec![true; 5]?, [true; 5]);
    assert_eq!(*unified_vec![in context; 1_u8; 3]?, [1; 3]);
    assert_eq!(*unified_vec![in context; 1_u8, 2]?, [1, 2]);
    for len in [1, 255, 4095, 4096, 4097, 65_537, MIB] {
        let host = pattern(len, len as u32);
        assert!(*UnifiedBuffer::from_slice(&host)? == *host, "{len} bytes");
    }
    // SAFETY: every element is written, through the pointer, before the buffer is used.
    let room = unsafe { UnifiedBuffer::<u32>::uninitialized(3)? };
    let (pointer, len) = room.into_raw_parts();
    for (i, value) in [7, 8, 9].into_iter().enumerate() {
        // SAFETY: the element lies in the memory that was just made, which nothing else uses.
        unsafe { pointer.add(i).as_mut_ptr().write(value) };
    }
    // SAFETY: the parts of a buffer that was just taken apart, all written.
    assert_eq!(*unsafe { UnifiedBuffer::from_raw_parts(pointer, len) }, [7, 8, 9]);
    // SAFETY: there is no element.
    assert!(unsafe { UnifiedBuffer::<u32>::uninitialized_in(context, 0)? }.is_empty());
    Ok(())
}

fn boxes_are_made_in_every_way(context: &Context) -> Outcome {
    assert_eq!(*UnifiedBox::new(&1.5_f32)?, 1.5);
    assert_eq!(*UnifiedBox::new_in(context, &'y')?, 'y');
    assert_eq!(*UnifiedBox::<[u64; 3]>::zeroed()?, [0; 3]);
    assert_eq!(*unified_box![7_u8]?, 7);
    assert_eq!(*unified_box![in context; [1_u16, 2]]?, [1, 2]);
    // SAFETY: the value is written, through the pointer, before the box is used.
    let pointer = unsafe { UnifiedBox::<u64>::uninitialized()? }.into_raw();
    // SAFETY: the memory was just made, and nothing else uses it.
    unsafe { pointer.as_mut_ptr().write(8) };
    // SAFETY: the pointer of a box that was just taken apart, its value written.
    assert_eq!(*unsafe { UnifiedBox::from_raw(pointer) }, 8);
    Ok(())
}

fn the_host_works_in_place(_: &Context) -> Outcome {
    let mut unified = unified_vec![3_u32, 1, 2]?;
    unified.sort_unstable();
    unified[0] += 10;
    assert_eq!((unified.len(), unified.size_in_bytes(), unified.as_slice()), (3, 12, [11, 2, 3].as_slice()));
    unified.as_mut_slice().reverse();
    assert_eq!(unified.iter().sum::<u32>(), 16);
    assert_eq!(unified.first(), Some(&3));
    let mut boxed = unified_box![[1.0_f32, 2.0]]?;
    boxed[1] += boxed[0];
    assert_eq!(*boxed, [1.0, 3.0]);
    Ok(())
}

/// What the documentation tells those who hand a buffer to C: its pointer and its length, forgotten and made again.
fn a_forgotten_buffer_is_put_together_again(_: &Context) -> Outcome {
    let unified = unified_vec![1.0_f32, 2.0, 3.0]?;
    let (pointer, len) = (unified.as_unified_ptr(), unified.len());
    mem::forget(unified);
    // SAFETY: the parts of a buffer that was forgotten.
    let mut again = unsafe { UnifiedBuffer::from_raw_parts(pointer, len) };
    assert_eq!((again.as_unified_ptr(), &*again), (pointer, [1.0, 2.0, 3.0].as_slice()));
    fill!(again.as_device_slice_mut() <- 4.0)?;
    assert_eq!(*again, [4.0; 3]);
    Ok(())
}

fn parts_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let (pointer, len) = unified_vec![1_u16, 2]?.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { UnifiedBuffer::from_raw_parts(pointer, len) };
    assert_eq!(*again, [1, 2]);
    again.try_free().map_err(|(error, _)| error)?;
    // No elements ask for no memory.
    let (pointer, len) = UnifiedBuffer::<u16>::default().into_raw_parts();
    assert!(!pointer.is_null());
    // SAFETY: a length of 0 asks for nothing.
    assert!(unsafe { UnifiedBuffer::from_raw_parts(pointer, len) }.is_empty());
    // SAFETY: as above.
    let null = unsafe { UnifiedBuffer::<u16>::from_raw_parts(UnifiedPointer::null(), 0) };
    assert_eq!((null.len(), null.as_slice()), (0, [].as_slice()));
    Ok(())
}

fn boxes_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let pointer = unified_box![[1_u32, 2]]?.into_raw();
    // SAFETY: the pointer of a box that was just taken apart.
    let boxed = unsafe { UnifiedBox::from_raw(pointer) };
    assert_eq!((boxed.as_unified_ptr(), *boxed), (pointer, [1, 2]));
    boxed.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn leaked_memory_stays(_: &Context) -> Outcome {
    let leaked = unified_vec![1_u16, 2]?.leak();
    leaked[0] = 5;
    let pointer = UnifiedPointer::from_mut_ptr(leaked.as_mut_ptr());
    // SAFETY: the memory that was just leaked, so that nothing is left behind.
    assert_eq!(*unsafe { UnifiedBuffer::from_raw_parts(pointer, 2) }, [5, 2]);
    let leaked = unified_box![1_u64]?.leak();
    *leaked += 1;
    // SAFETY: as above.
    assert_eq!(*unsafe { UnifiedBox::from_raw(UnifiedPointer::from_mut_ptr(leaked)) }, 2);
    Ok(())
}

fn views_and_casts(_: &Context) -> Outcome {
    let mut unified = unified_vec![1.0_f32, 2.0, 3.0]?;
    assert_eq!(unified.view_as::<u32>()?, [1.0_f32, 2.0, 3.0].map(f32::to_bits));
    unified.view_as_mut::<u32>()?[1] = 4.0_f32.to_bits();
    assert_eq!(*unified, [1.0, 4.0, 3.0]);
    assert_eq!(unified.view_as::<[u8; 6]>()?.len(), 2);
    let refused = |result: memcore::Result<&[[u8; 5]]>| match result {
        Err(Error::InvalidView(view)) => (view.from_size, view.to_size, view.len),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(unified.view_as::<[u8; 5]>()), (4, 5, 3));
    assert!(matches!(unified.view_as::<()>(), Err(Error::InvalidView(view)) if view.to_size == 0));

    let address = unified.as_unified_ptr().as_raw();
    let (error, unified) = unified.cast::<u64>().unwrap_err();
    assert!(
        matches!(error, Error::InvalidView(view) if (view.address, view.from_size, view.to_size) == (address, 4, 8))
    );
    let bytes = unified.cast::<u8>().map_err(|(error, _)| error)?;
    assert_eq!((bytes.len(), bytes.as_unified_ptr().as_raw()), (12, address));
    assert_eq!(bytes[4..8], 4.0_f32.to_ne_bytes());
    // What is valid as it is can be viewed as numbers: no byte of it changes that way.
    assert_eq!(unified_vec![true, false]?.view_as::<u8>()?, [1, 0]);
    assert_eq!(*unified_vec!['a', 'b']?.cast::<u32>().map_err(|(error, _)| error)?, [97, 98]);
    Ok(())
}

fn views_of_part_of_a_buffer(_: &Context) -> Outcome {
    let mut unified = unified_vec![0_u8; 64]?;
    fill!(unified.as_device_slice_mut()[1..5].view_as_mut::<[u8; 4]>()? <- [1, 2, 3, 4])?;
    assert_eq!(unified[..6], [0, 1, 2, 3, 4, 0]);
    assert!(unified.as_device_slice()[1..5].view_as::<u32>().is_err());
    assert_eq!(unified.as_device_slice()[..4].view_as::<u32>()?.to_value()?, u32::from_ne_bytes([0, 1, 2, 3]));
    Ok(())
}

fn empty_and_zero_sized(context: &Context) -> Outcome {
    let mut empty = UnifiedBuffer::<u64>::from_slice(&[])?;
    assert!(empty.is_empty() && UnifiedBuffer::<u8>::default().is_empty());
    copy!(empty <- DeviceBuffer::<u64>::default())?;
    copy!(DeviceBuffer::<u64>::default() <- empty)?;
    fill!(empty.as_device_slice_mut() <- 3)?;
    assert_eq!(empty.as_device_slice().to_vec()?, []);
    assert_eq!(empty.view_as::<u8>()?, []);
    assert!(empty.view_as::<()>().is_err());
    assert!(!empty.as_unified_ptr().is_null() && !empty.as_device_ptr().is_null());
    assert!(Some(&*empty).is_some(), "a reference to an empty slice is not null");
    let cast = empty.cast::<u8>().map_err(|(error, _)| error)?;
    assert!(cast.is_empty() && cast.try_free().is_ok());

    let units = unified_vec![(); 3]?;
    assert_eq!((units.len(), units.size_in_bytes(), units[2]), (3, 0, ()));
    assert_eq!(units.as_device_slice().to_vec()?, [(); 3]);
    assert_eq!(*unified_box![in context; ()]?, ());
    let (pointer, len) = units.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart, which has no memory.
    assert_eq!(unsafe { UnifiedBuffer::from_raw_parts(pointer, len) }.len(), 3);
    assert_eq!(UnifiedBuffer::<()>::zeroed(usize::MAX)?.len(), usize::MAX);
    Ok(())
}

fn strict_alignments_hold_or_are_refused(_: &Context) -> Outcome {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(4096))]
    struct Page([u8; 4096]);

    for _ in 0..4 {
        match UnifiedBuffer::<Page>::zeroed(1) {
            Ok(unified) => assert_eq!(unified.as_ptr().addr() % 4096, 0),
            Err(Error::Unsupported { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    assert_eq!(unified_vec![1_u8]?.as_unified_ptr().as_raw() % 256, 0);
    Ok(())
}

fn lengths_that_overflow_are_refused(_: &Context) -> Outcome {
    for len in [usize::MAX, usize::MAX / 8, isize::MAX as usize / 8 + 1] {
        assert_eq!(UnifiedBuffer::<u64>::zeroed(len).unwrap_err(), Error::SizeOverflow { len, element_size: 8 });
        assert_eq!(unified_vec![1_u64; len].unwrap_err(), Error::SizeOverflow { len, element_size: 8 });
    }
    Ok(())
}

fn is_freed_on_another_thread(context: &Context) -> Outcome {
    let (mut unified, boxed) = (unified_vec![1_u8; 4096]?, unified_box![2_u8]?);
    let back = thread::spawn(move || {
        unified[0] = 5;
        drop(boxed);
        let mut again = unified;
        again.as_device_slice_mut()[1..].set_8(6)?;
        Ok::<_, Error>(again)
    });
    let unified = back.join().unwrap()?;
    assert_eq!(unified[..3], [5, 6, 6]);
    thread::spawn(move || drop(unified)).join().unwrap();
    all_freed(context)?;
    Ok(())
}

fn fills_from_a_reader(_: &Context) -> Outcome {
    let data = pattern(100_001, 6);
    let mut unified = unified_vec![0_u8; 70_000]?;
    let mut reader = data.as_slice();
    assert_eq!(unified.read_from(&mut reader)?, 70_000);
    assert!(*unified == data[..70_000]);
    assert_eq!(unified.read_from(&mut reader)?, 30_001);
    assert!(unified[..30_001] == data[70_000..]);
    let error = unified_vec![0_u32; 4]?.read_from([1, 2, 3, 4, 5].as_slice()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    Ok(())
}

/// Checks what an owner of a `V` in host memory shares with `V`: each value and the one after it, which is greater.
pub(crate) fn is_what_it_holds<O, V>(owner: &O, greater: &O, value: &V, greater_value: &V)
where
    O: AsRef<V> + Borrow<V> + Ord + std::hash::Hash + Debug,
    V: Ord + std::hash::Hash + Debug + ?Sized,
{
    let hash = |value: &dyn Fn(&mut std::hash::DefaultHasher)| {
        let mut hasher = std::hash::DefaultHasher::new();
        value(&mut hasher);
        std::hash::Hasher::finish(&hasher)
    };
    assert_eq!((owner.as_ref(), owner.borrow()), (value, value));
    assert_eq!((greater.as_ref(), greater.borrow()), (greater_value, greater_value));
    assert!(PartialEq::eq(owner, owner) && owner != greater && owner < greater);
    assert_eq!((owner.partial_cmp(greater), greater.cmp(owner)), (Some(Ordering::Less), Ordering::Greater));
    assert_eq!(owner.cmp(owner), Ordering::Equal);
    // A map finds one by the other only if both have one hash.
    assert_eq!(hash(&|hasher| owner.hash(hasher)), hash(&|hasher| value.hash(hasher)));
}

#[allow(clippy::mutable_key_type, reason = "what is mutable inside is the context, which has no part in the hash")]
fn a_buffer_is_a_slice_to_the_host(_: &Context) -> Outcome {
    let (low, high) = (unified_vec![1_u32, 2, 3]?, unified_vec![1_u32, 3]?);
    is_what_it_holds::<_, [u32]>(&low, &high, &[1, 2, 3], &[1, 3]);
    let mut names = HashMap::from([(low, "low"), (high, "high")]);
    assert_eq!(names.get([1_u32, 3].as_slice()), Some(&"high"));
    assert_eq!(names.remove([1_u32, 2, 3].as_slice()), Some("low"));
    let sorted = BTreeSet::from([unified_vec![2_u8, 0]?, unified_vec![1_u8, 9]?, UnifiedBuffer::default()]);
    assert_eq!(sorted.first().map(UnifiedBuffer::as_slice), Some([].as_slice()));
    assert_eq!(sorted.last().map(|last| last[0]), Some(2));

    let mut unified = unified_vec![1_u32, 2, 3]?;
    for value in &mut unified {
        *value *= 2;
    }
    let mut sum = 0;
    for value in &unified {
        sum += value;
    }
    assert_eq!(sum, 12);
    unified.as_mut()[0] = 7;
    let slice: &mut [u32] = unified.borrow_mut();
    slice[1] = 8;
    assert_eq!(*unified, [7, 8, 6]);
    Ok(())
}

#[allow(clippy::mutable_key_type, reason = "what is mutable inside is the context, which has no part in the hash")]
fn a_box_is_a_value_to_the_host(_: &Context) -> Outcome {
    let (low, high) = (unified_box![4_u32]?, unified_box![5_u32]?);
    is_what_it_holds::<_, u32>(&low, &high, &4, &5);
    assert_eq!((format!("{low}"), format!("{high:>3}")), ("4".to_owned(), "  5".to_owned()));
    assert_eq!(format!("{low:p}"), format!("{:p}", &raw const *low));
    let mut names = HashMap::from([(low, "low"), (high, "high")]);
    assert_eq!((names.remove(&4), names.get(&5), names.get(&6)), (Some("low"), Some(&"high"), None));
    let mut boxed = unified_box![1.5_f32]?;
    *boxed.as_mut() += 1.0;
    let value: &mut f32 = boxed.borrow_mut();
    *value += 1.0;
    assert!(*boxed == 3.5 && boxed == unified_box![3.5]? && boxed != unified_box![f32::NAN]?);
    assert_eq!(boxed.partial_cmp(&unified_box![f32::NAN]?), None);
    Ok(())
}

fn debug_shows_no_contents(_: &Context) -> Outcome {
    let unified = unified_vec![12_345_u32; 3]?;
    let address = format!("{:#x}", unified.as_unified_ptr().as_raw());
    assert_eq!(format!("{unified:?}"), format!("UnifiedBuffer {{ address: {address}, len: 3 }}"));
    let boxed = unified_box![12_345_u32]?;
    let address = format!("{:#x}", boxed.as_unified_ptr().as_raw());
    assert_eq!(format!("{boxed:?}"), format!("UnifiedBox({address})"));
    assert_eq!(format!("{:?} {0:p}", boxed.as_unified_ptr()), format!("{address} {address}"));
    Ok(())
}

fn pointers_go_back_and_forth(_: &Context) -> Outcome {
    let mut unified = unified_vec![10_u32, 20, 30]?;
    let pointer = unified.as_unified_ptr();
    assert_eq!(
        (pointer.as_device_ptr(), pointer.as_raw()),
        (unified.as_device_ptr(), unified.as_device_ptr().as_raw())
    );
    assert_eq!(pointer.as_ptr(), unified.as_ptr());
    assert_eq!(UnifiedPointer::from_mut_ptr(unified.as_mut_ptr()), pointer);
    assert_eq!((pointer.add(2).sub(1), pointer.offset(1)), (pointer.add(1), pointer.add(1)));
    assert_eq!(pointer.cast::<u8>().add(4).as_raw(), pointer.add(1).as_raw());
    assert!(pointer < pointer.add(1) && UnifiedPointer::<u32>::null().is_null() && !pointer.is_null());
    // SAFETY: the element is the buffer's, which nothing else uses meanwhile.
    unsafe { pointer.add(1).as_mut_ptr().write(21) };
    // SAFETY: as above.
    assert_eq!(unsafe { pointer.add(1).as_ptr().read() }, 21);
    assert_eq!(unified[1], 21);
    // A pointer is plain device data itself.
    let dev = device_vec![pointer, pointer.add(1)]?;
    assert_eq!(dev.to_vec()?, [pointer, pointer.add(1)]);
    Ok(())
}
