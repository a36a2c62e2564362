//! Every name that an expansion might use means something else here.
#![no_implicit_prelude]
#![deny(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals, unused_macros)]

extern crate memcore as renamed;

use ::std::{clone::Clone, marker::Copy as StdCopy};

mod core {
    pub mod marker {}
    pub mod mem {}
}
mod memcore {}
mod bytemuck {}

type u8 = u16;
type usize = ();
type fn_ptr = ();
struct str;
struct Option;
trait Copy {}
trait Sized {}
trait Classify {}
trait VerifyCopy {}
trait Describe {}
trait Peel {}
trait DeviceLayout {}
struct String;
struct Bits;
fn Ok() {}
fn Some() {}
fn probe() {}
const LAYOUT: u8 = 1;
const value: u8 = 1;
static padding_after_a: u8 = 1;

macro_rules! offset_of {
    () => {};
}
macro_rules! panic {
    () => {};
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "::renamed")]
#[repr(C)]
struct T {
    r#type: u8,
    b: u8,
    a: [::std::primitive::u8; 4],
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(C)]
struct Layout {
    a: T,
    A: [T; 3],
    S: ::std::marker::PhantomData<&'static ::std::primitive::str>,
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(C)]
struct layout {
    value: u8,
    __memcore_value: u8,
    __memcore_0: u8,
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(C)]
struct r#struct(u8);

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(u8)]
enum Some_ {
    value,
    Ok,
    r#type,
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed", checked)]
#[repr(C)]
struct Checked {
    bits: [::std::primitive::bool; 2],
    Bits: Some_,
    value: [Some_; 1],
    b: u8,
    LAYOUT: [Same<u8>; 1],
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(C)]
union Union {
    value: u8,
    LAYOUT: u8,
    __memcore_value: u8,
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed")]
#[repr(C)]
struct Same<S> {
    T: S,
    value: S,
    U: [S; 2],
}

#[derive(Clone, StdCopy, renamed::DeviceCopy)]
#[device_copy(crate = "renamed", instances(Listed<u8, [::std::primitive::u8; 2]>))]
#[repr(C)]
struct Listed<S, U> {
    first: S,
    second: U,
}

#[derive(Clone, StdCopy, renamed::DeviceLayout)]
#[device_copy(crate = "renamed")]
#[repr(C)]
struct Described {
    value: u8,
}

mod by_hand {
    #![allow(unsafe_code)]
    unsafe impl ::renamed::bytemuck::Zeroable for super::Described {}
    unsafe impl ::renamed::bytemuck::Pod for super::Described {}
}

fn accepts<S: renamed::DeviceCopy>() {}

fn main() {
    accepts::<T>();
    accepts::<Layout>();
    accepts::<layout>();
    accepts::<r#struct>();
    accepts::<Some_>();
    accepts::<Checked>();
    accepts::<Union>();
    accepts::<Same<T>>();
    accepts::<Listed<u8, [::std::primitive::u8; 2]>>();
    accepts::<Described>();
}
