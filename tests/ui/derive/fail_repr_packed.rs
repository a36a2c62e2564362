use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(packed(4))]
struct Record {
    kind: u8,
    key: u64,
}

fn main() {}
