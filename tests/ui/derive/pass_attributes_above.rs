//! An attribute macro above the derive has run before it, and one below it may do what changes nothing.
#![allow(dead_code)]

use memcore::DeviceCopy;

#[memcore_test_macros::add_to_body(added: u32,)]
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    key: u32,
}

#[memcore_test_macros::replace_repr(C, packed)]
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Dense<T, U> {
    key: T,
    other: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::leave_alone]
#[repr(C)]
struct LeftAlone {
    key: u32,
}

// What an attribute makes of the variants is what is checked.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[memcore_test_macros::replace_body(First = 2, Second = 1)]
#[repr(u8)]
enum Swapped {
    First = 1,
    Second = 7,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Record>();
    accepts::<Dense<u8, u32>>();
    accepts::<LeftAlone>();
    let _whole = Record { key: 1, added: 2 };
    let read = |byte: u8| memcore::bytemuck::checked::try_from_bytes::<Swapped>(&[byte]).copied().ok();
    assert_eq!((read(1), read(2), read(7)), (Some(Swapped::Second), Some(Swapped::First), None));
}
