use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
struct Record {
    key: u64,
}

fn main() {}
