#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Inner {
    value: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    inner: Inner,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
