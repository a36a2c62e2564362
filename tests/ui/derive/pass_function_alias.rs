#![allow(dead_code)]

use memcore::DeviceCopy;

type Callback = u64;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Callback,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
