use memcore::{DeviceCopy, DeviceLayout};

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::add_to_body(added: u32,)]
#[repr(C)]
struct Record {
    key: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::add_to_body(added: bool,)]
#[device_copy(checked)]
#[repr(C)]
struct Checked {
    flag: bool,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(inert(memcore_test_macros::add_to_body))]
#[memcore_test_macros::add_to_body(added: T,)]
#[repr(C)]
struct Generic<T> {
    key: T,
}

#[derive(Clone, Copy, DeviceLayout)]
#[memcore_test_macros::add_to_body(added: u32,)]
#[repr(C)]
struct Described {
    key: u32,
}

unsafe impl memcore::bytemuck::Zeroable for Described {}
unsafe impl memcore::bytemuck::Pod for Described {}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::add_to_body(Added,)]
#[repr(u8)]
enum Kind {
    First,
}

fn main() {}
