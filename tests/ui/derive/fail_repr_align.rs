use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(align(8))]
struct Record {
    key: u64,
}

fn main() {}
