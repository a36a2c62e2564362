use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked, instances(Record), crate = "memcore")]
#[repr(C)]
struct Record {
    key: u64,
}

fn main() {}
