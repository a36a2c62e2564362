use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Inner {
    value: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: u8,
    inner: [Inner; 2],
}

fn main() {}
