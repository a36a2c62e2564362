use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct Record {
    kind: u8,
    key: u64,
}

fn main() {}
