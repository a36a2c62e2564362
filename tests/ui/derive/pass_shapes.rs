#![allow(dead_code)]

use memcore::DeviceCopy;
use std::{
    marker::PhantomData,
    num::{NonZeroU32, Wrapping},
};

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Unit;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Empty {}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Tuple(f32, f32);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Named {
    tuple: Tuple,
    unit: Unit,
    empty: Empty,
    marker: PhantomData<Vec<String>>,
    borrowed: PhantomData<&'static str>,
    call: PhantomData<fn() -> Box<dyn Fn()>>,
    wrapped: Wrapping<u64>,
    optional: Option<NonZeroU32>,
    last: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Meters(f64, PhantomData<Unit>);

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Unit>();
    accepts::<Empty>();
    accepts::<Tuple>();
    accepts::<Named>();
    accepts::<Meters>();
}
