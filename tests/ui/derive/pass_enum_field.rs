#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: u32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
