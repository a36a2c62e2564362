#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    flag: u8,
    _pad0: [u8; 3],
    key: u32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
