use memcore::DeviceCopy;
use std::num::{NonZero, NonZeroU32};

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: NonZeroU32,
    next: NonZero<u32>,
}

fn main() {}
