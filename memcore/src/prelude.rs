//! The names that a program that uses memcore usually wants: `use memcore::prelude::*`.
//!
//! [`Error`](crate::Error) and [`Result`](crate::Result) are not among them, since programs have their own.

pub use crate::{
    Context, Device, DeviceBox, DeviceBuffer, DeviceCopy, DevicePointer, DeviceSlice, Event, LockedBuffer, Stream,
    copy, device_box, device_vec, fill, locked_vec,
};
