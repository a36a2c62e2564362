//! `Send` and `Sync` follow the element type.
use memcore::prelude::*;
use std::cell::Cell;
use std::marker::PhantomData;

fn send<T: Send>() {}
fn sync<T: Sync>() {}

fn main() {
    send::<DeviceBuffer<PhantomData<*mut u8>>>();
    send::<LockedBuffer<PhantomData<*mut u8>>>();
    sync::<LockedBuffer<Cell<u8>>>();
}
