use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = "not a path")]
#[repr(C)]
struct First {
    key: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(crate = memcore)]
#[repr(C)]
struct Second {
    key: u64,
}

fn main() {}
