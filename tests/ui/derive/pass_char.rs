#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    letters: [u32; 2],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
