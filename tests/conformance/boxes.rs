//! `DeviceBox` and `LockedBox`.

use std::borrow::BorrowMut;
use std::collections::HashMap;
use std::thread;

use memcore::Error;
use memcore::prelude::*;

use crate::rig::{Outcome, all_freed, refused, tests, waited};
use crate::unified::is_what_it_holds;

tests!(
    a_value_goes_there_and_back,
    a_box_is_a_slice_of_one,
    raw_and_cast,
    zeroed_and_uninitialized,
    locked_boxes_are_made_in_every_way,
    a_locked_box_is_an_operand,
    a_locked_box_is_checked,
    locked_boxes_are_taken_apart_and_put_together,
    a_locked_box_without_bytes,
    a_locked_box_is_a_value_to_the_host,
    a_locked_box_goes_to_another_thread
);

fn a_value_goes_there_and_back(context: &Context) -> Outcome {
    let mut dev = device_box![[1.0_f64, 2.0]]?;
    assert_eq!(dev.to_value()?, [1.0, 2.0]);
    dev.copy_from(&[[3.0, 4.0]])?;
    assert_eq!(dev.to_value()?, [3.0, 4.0]);
    let other = device_box![in context; true]?;
    assert!(other.to_value()?);
    let unit = device_box![()]?;
    assert_eq!(unit.to_value()?, ());
    Ok(())
}

fn a_box_is_a_slice_of_one(_: &Context) -> Outcome {
    let mut dev = device_box![5_u32]?;
    let buffer = device_vec![6_u32, 7]?;
    copy!(dev <- buffer[1..])?;
    assert_eq!((dev.len(), dev.to_vec()?), (1, vec![7]));
    refused(copy!(dev <- buffer), &Error::LengthMismatch { destination_len: 1, source_len: 2 })?;
    fill!(dev <- 9)?;
    assert_eq!(dev.first().unwrap().to_value()?, 9);
    Ok(())
}

fn raw_and_cast(_: &Context) -> Outcome {
    let pointer = device_box![1.0_f32]?.into_raw();
    // SAFETY: the pointer of a box that was just taken apart.
    let dev = unsafe { DeviceBox::from_raw(pointer) };
    let dev = dev.cast::<u32>().map_err(|(error, _)| error)?;
    assert_eq!(dev.to_value()?, 1.0_f32.to_bits());
    let (error, dev) = dev.cast::<u16>().unwrap_err();
    assert!(matches!(error, Error::InvalidView(view) if (view.from_size, view.to_size) == (4, 2)));
    dev.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn zeroed_and_uninitialized(context: &Context) -> Outcome {
    assert_eq!(DeviceBox::<u64>::zeroed()?.to_value()?, 0);
    // SAFETY: the value is written before it is read.
    let mut dev = unsafe { DeviceBox::<u64>::uninitialized()? };
    copy!(dev <- [8])?;
    assert_eq!(dev.to_value()?, 8);
    // SAFETY: as above.
    let mut dev = unsafe { DeviceBox::<u64>::uninitialized_in(context)? };
    copy!(dev <- [9])?;
    assert_eq!(dev.to_value()?, 9);
    let stream = Stream::new_in(context)?;
    // SAFETY: the value is written before it is read, and nothing but the stream's work uses it.
    let mut dev = unsafe { DeviceBox::<u64>::uninitialized_on(&stream)? };
    // SAFETY: as above.
    let set = unsafe { dev.set_8_async(1, &stream) };
    let freed = dev.drop_on(&stream);
    stream.synchronize()?;
    set?;
    freed.map_err(|(error, _)| error)?;
    Ok(())
}

fn locked_boxes_are_made_in_every_way(context: &Context) -> Outcome {
    assert_eq!(*LockedBox::new(&1.5_f32)?, 1.5);
    assert_eq!(*LockedBox::new_in(context, &'y')?, 'y');
    assert_eq!(*LockedBox::<[u64; 3]>::zeroed()?, [0; 3]);
    assert_eq!(*LockedBox::<[u64; 3]>::zeroed_in(context)?, [0; 3]);
    assert_eq!(*locked_box![7_u8]?, 7);
    assert_eq!(*locked_box![in context; [1_u16, 2]]?, [1, 2]);
    // SAFETY: the value is written, through the pointer, before the box is used.
    let pointer = unsafe { LockedBox::<u64>::uninitialized()? }.into_raw();
    // SAFETY: the memory was just made, and nothing else uses it.
    unsafe { pointer.write(8) };
    // SAFETY: the pointer of a box that was just taken apart, its value written.
    assert_eq!(*unsafe { LockedBox::from_raw(pointer) }, 8);
    Ok(())
}

fn a_locked_box_is_an_operand(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (mut locked, mut dev) = (locked_box![[1_u32, 2]]?, device_box![[0_u32; 2]]?);
    locked[1] += 1;
    copy!(dev <- locked)?;
    assert_eq!(dev.to_value()?, [1, 3]);
    dev.fill([4, 5])?;
    copy!(locked <- dev, stream)?;
    assert_eq!(*locked, [4, 5]);
    fill!(locked <- [6, 7])?;
    // SAFETY: nothing uses the two until the wait has succeeded.
    waited(&stream, || unsafe { copy!(dev <- locked, async stream) })?;
    copy!(locked <- [[0; 2]])?;
    // SAFETY: as above.
    waited(&stream, || unsafe { copy!(locked <- dev, async stream) })?;
    assert_eq!(*locked, [6, 7]);
    let wide = device_vec![[0; 2]; 2]?;
    refused(copy!(locked <- wide), &Error::LengthMismatch { destination_len: 1, source_len: 2 })?;
    Ok(())
}

fn a_locked_box_is_checked(_: &Context) -> Outcome {
    let (mut locked, mut dev) = (locked_box![true]?, device_box![false]?);
    dev.set_8(7)?;
    refused(copy!(locked <- dev), &Error::InvalidValue { index: 0, type_name: "bool", field: None })?;
    assert!(*locked);
    dev.set_8(0)?;
    copy!(locked <- dev)?;
    assert!(!*locked);
    Ok(())
}

fn locked_boxes_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let pointer = locked_box![[1_u32, 2]]?.into_raw();
    // SAFETY: the pointer of a box that was just taken apart.
    let boxed = unsafe { LockedBox::from_raw(pointer) };
    assert_eq!((&raw const *boxed, *boxed), (pointer.cast_const(), [1, 2]));
    boxed.try_free().map_err(|(error, _)| error)?;
    let leaked = locked_box![1_u64]?.leak();
    *leaked += 1;
    // SAFETY: the memory that was just leaked, so that nothing is left behind.
    assert_eq!(*unsafe { LockedBox::from_raw(leaked) }, 2);
    Ok(())
}

fn a_locked_box_without_bytes(_: &Context) -> Outcome {
    let mut unit = locked_box![()]?;
    copy!(unit <- device_box![()]?)?;
    let pointer = unit.into_raw();
    // SAFETY: the pointer of a box that was just taken apart, which has no memory.
    assert!(unsafe { LockedBox::from_raw(pointer) }.try_free().is_ok());
    Ok(())
}

#[allow(clippy::mutable_key_type, reason = "what is mutable inside is the context, which has no part in the hash")]
fn a_locked_box_is_a_value_to_the_host(_: &Context) -> Outcome {
    let (low, high) = (locked_box![4_u32]?, locked_box![5_u32]?);
    is_what_it_holds::<_, u32>(&low, &high, &4, &5);
    assert_eq!((format!("{low}"), format!("{high:>3}")), ("4".to_owned(), "  5".to_owned()));
    assert_eq!(format!("{low:?}"), format!("LockedBox({low:p})"));
    let names = HashMap::from([(low, "low"), (high, "high")]);
    assert_eq!((names.get(&5), names.get(&6)), (Some(&"high"), None));
    let mut boxed = locked_box![1.5_f32]?;
    *boxed.as_mut() += 1.0;
    let value: &mut f32 = boxed.borrow_mut();
    *value += 1.0;
    assert!(*boxed == 3.5 && boxed != locked_box![f32::NAN]?);
    Ok(())
}

fn a_locked_box_goes_to_another_thread(context: &Context) -> Outcome {
    let mut boxed = locked_box![1_u8]?;
    let moved = thread::spawn(move || {
        *boxed += 1;
        boxed
    });
    let boxed = moved.join().unwrap();
    assert_eq!(*boxed, 2);
    thread::spawn(move || drop(boxed)).join().unwrap();
    all_freed(context)?;
    Ok(())
}
