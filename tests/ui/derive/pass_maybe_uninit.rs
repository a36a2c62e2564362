#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
