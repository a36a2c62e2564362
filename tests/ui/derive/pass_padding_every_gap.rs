#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    a: u8,
    _pad0: [u8; 1],
    b: u16,
    _pad2: u8,
    _pad3: [u8; 3],
    c: u32,
    r#type: u8,
    _pad5: [u8; 3],
    d: u64,
    e: u8,
    _pad7: [u8; 7],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
}
