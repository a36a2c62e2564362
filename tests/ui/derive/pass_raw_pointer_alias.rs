#![allow(dead_code)]

use memcore::DeviceCopy;
use memcore::prelude::DevicePointer;

type Samples = DevicePointer<f32>;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: [Samples; 2],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
