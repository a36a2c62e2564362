#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    pair: [u32; 2],
    nothing: (),
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
