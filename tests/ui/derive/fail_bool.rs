use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    flag: bool,
    _pad0: [u8; 3],
    key: u32,
}

fn main() {}
