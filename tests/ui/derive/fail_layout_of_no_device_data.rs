use memcore::{DeviceLayout, bytemuck};

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct Record {
    key: u32,
}

#[derive(Clone, Copy, DeviceLayout)]
struct NoLayout {
    key: u32,
}

unsafe impl bytemuck::Zeroable for NoLayout {}
unsafe impl bytemuck::Pod for NoLayout {}

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
struct Generic<T> {
    key: T,
}

#[derive(Clone, Copy, DeviceLayout)]
#[repr(u8)]
enum Kind {
    First,
}

#[derive(Clone, Copy, DeviceLayout)]
#[repr(C)]
union Bits {
    key: u32,
}

fn main() {
    Generic::<u8>::layout();
}
