#![allow(dead_code)]

use memcore::DeviceCopy;
use std::num::NonZeroU32;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: Option<NonZeroU32>,
    next: u32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
