//! Every name that an expansion might use means something else here.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
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

fn accepts<S: renamed::DeviceCopy>() {}

fn main() {
    accepts::<T>();
    accepts::<Layout>();
    accepts::<layout>();
    accepts::<r#struct>();
}
