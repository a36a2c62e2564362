#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
    flag: u16,
    _pad1: [u8; 6],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
