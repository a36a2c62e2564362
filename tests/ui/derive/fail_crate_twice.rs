use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = "memcore")]
#[device_copy(crate = "memcore")]
#[repr(C)]
struct Record {
    key: u64,
}

fn main() {}
