//! Unions of plain fields of one size.
#![allow(dead_code)]
#![forbid(unsafe_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    number: f32,
    integer: u32,
    bytes: [u8; 4],
    halves: [u16; 2],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
union Dense {
    number: f64,
    value: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
union Aligned {
    numbers: [f32; 4],
    bits: [Bits; 4],
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(inert(memcore_test_macros::leave_alone))]
#[memcore_test_macros::leave_alone]
#[repr(C)]
union Vouched {
    integer: i64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Holder {
    bits: [Bits; 3],
    __memcore_value: Dense,
}

// What the error of a smaller field says.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Small(u16, [u8; 2]);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Filled {
    integer: u32,
    small: Small,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Bits>();
    accepts::<Dense>();
    accepts::<Aligned>();
    accepts::<Vouched>();
    accepts::<Holder>();
    accepts::<Filled>();
}
