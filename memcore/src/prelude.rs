//! The names that a program that uses memcore usually wants: `use memcore::prelude::*`.
//!
//! [`Error`](crate::Error) and [`Result`](crate::Result) are not among them, since programs have their own.

pub use crate::memory::{AsView, AsyncCopyDestination, CopyDestination, DeviceMemory, GpuBox, GpuBuffer, MemoryAdvise};
pub use crate::{
    ArrayObject, ArrayShape, AttachFlag, Context, Device, DeviceBox, DeviceBuffer, DeviceCopy, DeviceLayout,
    DevicePointer, DeviceSlice, DeviceVariable, Event, LockedBox, LockedBuffer, LockedFlags, MemoryPool, PitchedBuffer,
    PoolOptions, RegisterFlags, RegisteredBuffer, Scope, Stream, Transfer, UnifiedBox, UnifiedBuffer, UnifiedPointer,
    View2d, View3d, copy, device_box, device_vec, fill, locked_box, locked_vec, unified_box, unified_vec,
};
