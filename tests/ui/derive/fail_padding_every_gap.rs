use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    a: u8,
    b: u16,
    _pad2: u8,
    c: u32,
    r#type: u8,
    d: u64,
    e: u8,
}

fn main() {}
