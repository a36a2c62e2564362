#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct Record {
    kind: u8,
    _pad0: u8,
    key: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
struct Dense {
    kind: u8,
    key: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
    accepts::<Dense>();
}
