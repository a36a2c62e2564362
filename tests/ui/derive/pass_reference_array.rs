#![allow(dead_code)]

use memcore::DeviceCopy;
use memcore::prelude::DevicePointer;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: [DevicePointer<u8>; 2],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
