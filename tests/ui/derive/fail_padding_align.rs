use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Record {
    key: u64,
}

fn main() {}
