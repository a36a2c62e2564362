use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    #[device_copy(crate = "memcore")]
    key: u64,
}

fn main() {}
