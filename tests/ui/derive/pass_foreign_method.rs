#![allow(dead_code)]

use memcore::DeviceCopy;

trait Layout: Sized {
    fn new(self) {}
    fn plain(self) {}
    fn memcore_verify_copy(&self) {}
}

impl<T> Layout for T {}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    flag: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
