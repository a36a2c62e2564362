#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = "memcore")]
#[repr(C)]
struct Record {
    key: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
