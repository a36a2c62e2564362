#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Record {
    key: u64,
    _pad0: [u8; 8],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
