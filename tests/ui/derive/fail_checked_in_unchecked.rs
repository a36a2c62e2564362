use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u32)]
enum Kind {
    First,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Inner {
    kind: Kind,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: Kind,
    inner: Inner,
    kinds: [Kind; 3],
}

fn main() {}
