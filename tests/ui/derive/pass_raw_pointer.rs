#![allow(dead_code)]

use memcore::DeviceCopy;
use memcore::prelude::DevicePointer;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: DevicePointer<f32>,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
