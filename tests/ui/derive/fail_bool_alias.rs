use memcore::DeviceCopy;

type Flags = [[bool; 4]; 2];

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
    field: Flags,
}

fn main() {}
