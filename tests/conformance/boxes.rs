//! `DeviceBox`.

use memcore::Error;
use memcore::prelude::*;

use crate::rig::{Outcome, tests};

tests!(a_value_goes_there_and_back, a_box_is_a_slice_of_one, raw_and_cast, zeroed_and_uninitialized);

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
    assert_eq!(copy!(dev <- buffer), Err(Error::LengthMismatch { destination_len: 1, source_len: 2 }));
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
    assert!(dev.try_free().is_ok());
    Ok(())
}

fn zeroed_and_uninitialized(_: &Context) -> Outcome {
    assert_eq!(DeviceBox::<u64>::zeroed()?.to_value()?, 0);
    // SAFETY: the value is written before it is read.
    let mut dev = unsafe { DeviceBox::<u64>::uninitialized()? };
    copy!(dev <- [8])?;
    assert_eq!(dev.to_value()?, 8);
    Ok(())
}
