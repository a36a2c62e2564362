use memcore::DeviceCopy;

#[derive(Clone, Copy)]
#[repr(u32)]
enum Kind {
    First,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: Kind,
}

fn main() {}
