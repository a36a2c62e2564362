use memcore::DeviceCopy;
use std::{cell::Cell, mem::MaybeUninit, num::Wrapping};

type Text = &'static str;

struct Other {
    key: u32,
}

#[derive(DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Record {
    flag: bool,
    name: Text,
    list: [Vec<u8>; 2],
    cell: Cell<u32>,
    uninit: MaybeUninit<u8>,
    wrapped: Wrapping<bool>,
    other: Other,
    pointer: *const u8,
}

fn main() {}
