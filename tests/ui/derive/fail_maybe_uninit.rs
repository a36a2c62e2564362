use memcore::DeviceCopy;
use std::mem::MaybeUninit;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: MaybeUninit<u64>,
}

fn main() {}
