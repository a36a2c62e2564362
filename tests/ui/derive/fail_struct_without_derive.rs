use memcore::DeviceCopy;

#[derive(Clone, Copy)]
#[repr(C)]
struct Inner {
    value: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    inner: Inner,
}

fn main() {}
