use memcore::DeviceCopy;

#[allow(non_camel_case_types)]
type u64 = bool;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    field: u64,
}

fn main() {}
