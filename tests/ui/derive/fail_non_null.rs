use memcore::DeviceCopy;
use std::ptr::NonNull;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Option<NonNull<f32>>,
}

fn main() {}
