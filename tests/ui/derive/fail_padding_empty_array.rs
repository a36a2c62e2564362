use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    kind: u8,
    tail: [u64; 0],
}

fn main() {}
