#![allow(dead_code)]

use memcore::DeviceCopy;

mod prelude {
    pub use memcore as device;
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = "crate::prelude::device")]
#[repr(C)]
struct Record {
    key: u64,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
