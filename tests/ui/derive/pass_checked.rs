//! Data that is checked when it comes back.
#![allow(dead_code)]

use memcore::{
    DeviceCopy, DevicePointer,
    bytemuck::{CheckedBitPattern, NoUninit},
};
use std::num::{NonZero, NonZeroU32};

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u32)]
enum Kind {
    First = 7,
    Second,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, i8)]
#[non_exhaustive]
enum Signed {
    Low = -128,
    Unit {},
    Tuple(),
    High = i8::MAX,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u64)]
#[allow(non_camel_case_types)]
enum Keyword {
    r#struct = 1 << 63,
    #[cfg(any())]
    Gone,
}

type Flags = [[bool; 2]; 3];

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Inner {
    kind: Kind,
    flags: Flags,
    more: [Flags; 1],
    letter: char,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Outer {
    inner: [Inner; 2],
    key: NonZeroU32,
    keys: [NonZero<u8>; 4],
    next: DevicePointer<Outer>,
    wide: Keyword,
    marker: std::marker::PhantomData<String>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C, packed)]
struct Dense {
    flag: bool,
    outer: f64,
    signed: Signed,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(transparent)]
struct Flag(bool);

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked, instances(Flagged<u32, 4>, Flagged<char, 8>))]
#[repr(C)]
struct Flagged<T, const N: usize> {
    value: T,
    flags: [bool; N],
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Unit;

fn accepts<T: DeviceCopy + NoUninit + CheckedBitPattern>() {}

fn main() {
    accepts::<Kind>();
    accepts::<Signed>();
    accepts::<Keyword>();
    accepts::<Inner>();
    accepts::<Outer>();
    accepts::<Dense>();
    accepts::<Flag>();
    accepts::<Flagged<u32, 4>>();
    accepts::<Flagged<char, 8>>();
    accepts::<Unit>();
}
