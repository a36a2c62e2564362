#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Key(u64);

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
    accepts::<Key>();
}
