use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Inner {
    flag: bool,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    inner: Inner,
}

fn main() {}
