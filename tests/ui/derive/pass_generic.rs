//! Structs with parameters that never give padding, and listed instances of those that may.
#![allow(dead_code)]

use memcore::{DeviceCopy, DevicePointer};
use std::marker::PhantomData;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: T,
}

type Triple<T> = [T; 3];
type Nothing<T> = PhantomData<T>;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Arrays<T, const N: usize> {
    one: T,
    some: [T; N],
    more: [[T; 2]; N],
    aliased: Triple<T>,
    marker: Nothing<T>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Bytes<const N: usize>([u8; N]);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Prefixed<const N: usize> {
    length: u8,
    bytes: [u8; N],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct HalfDense<T>(T, [T; 2])
where
    T: Copy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
struct Dense<T, U, const N: usize> {
    one: T,
    other: [U; N],
    last: u64,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Wrapper<T, U>(Pair<T>, PhantomData<U>);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Pointers<T> {
    first: DevicePointer<T>,
    second: DevicePointer<T>,
}

/// No bound on what only marks: neither `Copy` nor device data.
#[derive(DeviceCopy)]
#[repr(C)]
struct Tagged<T, U: ?Sized> {
    value: T,
    tag: PhantomData<U>,
}

impl<T: Copy, U: ?Sized> Copy for Tagged<T, U> {}

impl<T: Copy, U: ?Sized> Clone for Tagged<T, U> {
    fn clone(&self) -> Self {
        *self
    }
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Defaulted<T = f32, const N: usize = 4>([T; N]);

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>, Mixed<[u8; 2], u16>, Mixed<Pair<u8>, [i8; 3]>))]
#[repr(C)]
struct Mixed<T, U> {
    first: T,
    second: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Row<4>), instances(Row<{ 2 + 6 }>))]
#[repr(C, align(4))]
struct Row<const N: usize> {
    length: u32,
    values: [f32; N],
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Bits<f32, u32>))]
#[repr(C)]
union Bits<T: Copy, U: Copy> {
    one: T,
    other: U,
}

/// Other derives above and beside, one of which reads an attribute of its own.
#[derive(Debug, PartialEq)]
#[derive(Clone, Copy, DeviceCopy, memcore_test_macros::Helped)]
#[device_copy(inert(helped))]
#[helped(name = "helped")]
#[must_use]
#[repr(C)]
struct Helped<T> {
    first: T,
    second: T,
}

/// A kernel's argument, in code that is generic itself.
fn accepts_pairs<T: memcore::bytemuck::Pod>() {
    accepts::<Pair<T>>();
    accepts::<Wrapper<T, fn(T)>>();
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Arrays<f32, 3>>();
    accepts::<Arrays<u128, 0>>();
    accepts::<Bytes<0>>();
    accepts::<Bytes<33>>();
    accepts::<Prefixed<7>>();
    accepts::<HalfDense<u64>>();
    accepts::<Dense<u8, u16, 3>>();
    accepts::<Wrapper<f32, u8>>();
    accepts::<Pointers<f32>>();
    accepts::<Tagged<f32, str>>();
    accepts::<Defaulted>();
    accepts::<Helped<f32>>();
    accepts::<Mixed<f32, u32>>();
    accepts::<Mixed<[u8; 2], u16>>();
    accepts::<Mixed<Pair<u8>, [i8; 3]>>();
    accepts::<Row<4>>();
    accepts::<Row<8>>();
    accepts::<Bits<f32, u32>>();
    accepts_pairs::<Pair<u8>>();
}
