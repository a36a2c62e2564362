#![allow(dead_code)]

use memcore::DeviceCopy;
use memcore::prelude::DevicePointer;

type Text = DevicePointer<u8>;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Text,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
