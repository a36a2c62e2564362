use memcore::DeviceCopy;
use std::mem::{ManuallyDrop, MaybeUninit};

type Host = *const u8;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    integer: u64,
    reference: &'static u8,
    host: Host,
    uninit: MaybeUninit<u64>,
    kept: ManuallyDrop<u64>,
    flags: [bool; 8],
}

#[derive(Clone, Copy, DeviceCopy)]
union NoLayout {
    integer: u64,
}

#[derive(DeviceCopy)]
#[repr(C)]
union NotCopy {
    integer: u64,
}

fn main() {}
