use memcore::DeviceCopy;

#[derive(DeviceCopy)]
#[repr(C)]
struct Record {
    length: u64,
    name: str,
}

fn main() {}
