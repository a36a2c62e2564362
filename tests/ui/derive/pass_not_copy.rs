#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
}

#[derive(DeviceCopy)]
#[repr(C)]
struct ByHand {
    key: u64,
}

impl Copy for ByHand {}

impl Clone for ByHand {
    fn clone(&self) -> Self {
        *self
    }
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
    accepts::<ByHand>();
}
