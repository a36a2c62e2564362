use memcore::DeviceCopy;
use std::cell::Cell;

#[derive(DeviceCopy)]
#[repr(C)]
struct Record {
    count: Cell<u32>,
}

fn main() {}
