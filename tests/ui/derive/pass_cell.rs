#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    count: u32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
