use memcore::DeviceCopy;

#[derive(DeviceCopy)]
#[repr(C)]
struct Record {
    length: u64,
    call: dyn Fn(),
}

fn main() {}
