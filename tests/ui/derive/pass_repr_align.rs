#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
#[repr(align(8))]
struct Record {
    key: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
