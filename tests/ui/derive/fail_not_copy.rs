use memcore::DeviceCopy;

#[derive(DeviceCopy)]
#[repr(C)]
struct Record {
    key: u64,
}

fn main() {}
