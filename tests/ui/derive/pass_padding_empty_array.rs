#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: [u8; 8],
    tail: [u64; 0],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
