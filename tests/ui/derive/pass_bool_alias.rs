#![allow(dead_code)]

use memcore::DeviceCopy;

type Flags = [[u8; 4]; 2];

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
    field: Flags,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
