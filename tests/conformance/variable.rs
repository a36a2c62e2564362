//! `DeviceVariable`.

use std::thread;

use memcore::memory::DeviceMemory;
use memcore::prelude::*;
use memcore::{Error, bytemuck};

use crate::rig::{Outcome, refused, tests};

tests!(
    both_sides_start_equal,
    each_side_moves_when_asked,
    an_invalid_value_leaves_the_hosts_as_it_was,
    structs_and_checked_types,
    without_bytes,
    the_device_reaches_it,
    goes_to_another_thread
);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Settings {
    steps: u32,
    scale: f32,
}

fn both_sides_start_equal(_: &Context) -> Outcome {
    let variable = DeviceVariable::new(5_u32)?;
    assert_eq!((*variable, variable.as_device_slice().to_value()?), (5, 5));
    assert_eq!(variable.as_device_slice().len(), 1);
    Ok(())
}

fn each_side_moves_when_asked(_: &Context) -> Outcome {
    let mut variable = DeviceVariable::new(1_u64)?;
    *variable += 1;
    assert_eq!((*variable, variable.as_device_slice().to_value()?), (2, 1));
    variable.copy_htod()?;
    assert_eq!(variable.as_device_slice().to_value()?, 2);
    fill!(variable.as_device_slice_mut() <- 9)?;
    assert_eq!((*variable, variable.as_device_slice().to_value()?), (2, 9));
    variable.copy_dtoh()?;
    assert_eq!((*variable, variable.as_device_slice().to_value()?), (9, 9));
    copy!(variable.as_device_slice_mut() <- [10])?;
    copy!(device_vec![0; 1]? <- variable.as_device_slice())?;
    variable.copy_htod()?;
    variable.copy_dtoh()?;
    assert_eq!(*variable, 9);
    Ok(())
}

fn an_invalid_value_leaves_the_hosts_as_it_was(_: &Context) -> Outcome {
    let mut variable = DeviceVariable::new(true)?;
    variable.as_device_slice_mut().set_8(2)?;
    refused(variable.copy_dtoh(), &Error::InvalidValue { index: 0, type_name: "bool", field: None })?;
    assert!(*variable);
    // The host's value puts the device's right again.
    variable.copy_htod()?;
    variable.copy_dtoh()?;
    assert!(*variable);

    let mut variable = DeviceVariable::new('x')?;
    variable.as_device_slice_mut().view_as_mut::<u32>()?.fill(0x0011_0000)?;
    refused(variable.copy_dtoh(), &Error::InvalidValue { index: 0, type_name: "char", field: None })?;
    assert_eq!(*variable, 'x');
    Ok(())
}

fn structs_and_checked_types(_: &Context) -> Outcome {
    let mut settings = DeviceVariable::new(Settings { steps: 10, scale: 0.5 })?;
    settings.scale = 2.0;
    settings.copy_htod()?;
    settings.steps = 0;
    settings.copy_dtoh()?;
    assert_eq!(*settings, Settings { steps: 10, scale: 2.0 });
    assert_eq!(bytemuck::bytes_of(&*settings).len(), settings.size_in_bytes());
    Ok(())
}

fn without_bytes(_: &Context) -> Outcome {
    let mut unit = DeviceVariable::new(())?;
    unit.copy_htod()?;
    unit.copy_dtoh()?;
    assert_eq!((*unit, unit.size_in_bytes()), ((), 0));
    Ok(())
}

fn the_device_reaches_it(_: &Context) -> Outcome {
    let variable = DeviceVariable::new([1_u16, 2])?;
    let address = variable.as_device_ptr();
    assert_eq!((variable.as_raw_ptr(), variable.size_in_bytes()), (address.as_raw(), 4));
    assert_eq!(address.as_raw() % 256, 0);
    assert_eq!(format!("{variable:?}"), format!("DeviceVariable({address:?})"));
    Ok(())
}

fn goes_to_another_thread(_: &Context) -> Outcome {
    let mut variable = DeviceVariable::new(3_i8)?;
    let moved = thread::spawn(move || {
        *variable = 4;
        variable.copy_htod().map(|()| variable)
    });
    let mut variable = moved.join().unwrap()?;
    *variable = 0;
    variable.copy_dtoh()?;
    assert_eq!(*variable, 4);
    Ok(())
}
