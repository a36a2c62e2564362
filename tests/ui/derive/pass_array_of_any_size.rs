#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    small: [f32; 33],
    odd: [u8; 4],
    wide: [[u64; 64]; 2],
    large: [u64; 100_001],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
