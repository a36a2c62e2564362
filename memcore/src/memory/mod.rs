//! Typed memory: what lives on a device, what the host keeps page-locked for it, and the copies between them.
//!
//! | type | memory | derefs to |
//! |---|---|---|
//! | [`DeviceBuffer`], [`DeviceBox`] | the device's | [`DeviceSlice`] |
//! | [`PitchedBuffer`] | the device's, in rows | |
//! | [`DeviceVariable`] | a host value with a copy on the device | `T` |
//! | [`LockedBuffer`], [`LockedBox`] | the host's, page-locked | `[T]`, `T` |
//! | [`RegisteredBuffer`] | the program's own, page-locked where it lies | `[T]` |
//! | [`UnifiedBuffer`], [`UnifiedBox`] | one for host and device | `[T]`, `T` |
//! | [`ArrayObject`](array::ArrayObject) | a CUDA array of the device, without an address | |
//! | [`View`] | rows, or slices of rows, of any of these; owns nothing | |
//! | [`DevicePointer`], [`UnifiedPointer`] | an address, which owns nothing | |
//!
//! Safe copies are complete on return, or when their scope ends. Of the unsafe ones:
//!
//! | copy | on return | serialised with |
//! |---|---|---|
//! | [`memcpy_htod`], [`memcpy_dtoh`] | complete | nothing: on a stream of the context's own |
//! | `copy!(…, async stream)`, `copy_from_async`, `copy_to_async`: page-locked or unified memory, or two of devices | pending: asynchronous for the host | the work of `stream`, and by it of the legacy stream if it is a blocking one |
//! | the same with pageable memory | pending or complete: the call may wait | as above |
//! | [`memcpy_peer`] | pending: asynchronous for the host | all pending and future work of the current context and of the two that are named |
//! | [`memcpy_peer_async`] | pending: asynchronous for the host | the work of `stream` |
//!
//! The functions here are thin wrappers of the driver's own, for programs that manage memory by hand; the traits are
//! for code that is generic over the types above.

mod advise;
pub mod array;
mod attach;
mod copy_destination;
mod device;
mod device_copy;
mod download;
mod flags;
mod functions;
mod host;
mod host_vec;
mod iterator;
pub(crate) mod operand;
pub(crate) mod pair;
mod pointer;
mod pointer_attributes;
pub(crate) mod size;
mod slice;
mod traits;
mod variable;
pub(crate) mod view;

pub use advise::{MemoryAdvise, MemoryLocation};
pub use copy_destination::{AsyncCopyDestination, CopyDestination};
pub use device::{DeviceBox, DeviceBuffer, PitchedBuffer};
pub use device_copy::DeviceCopy;
pub use functions::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, mem_get_info, memcpy_dtoh, memcpy_htod, memcpy_peer, memcpy_peer_async,
};
pub use host::{
    AttachFlag, LockedBox, LockedBuffer, LockedFlags, RegisterFlags, RegisteredBuffer, Registration, UnifiedBox,
    UnifiedBuffer,
};
pub(crate) use host::{Ending, HostOwner, Registered};
pub(crate) use iterator::gather;
pub use pointer::{DevicePointer, UnifiedPointer};
pub use pointer_attributes::{MemoryKind, PointerAttributes};
pub(crate) use slice::resolve;
pub use slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, DeviceIndex, DeviceSlice};
pub use traits::{DeviceMemory, GpuBox, GpuBuffer};
pub use variable::DeviceVariable;
pub use view::{AsView, View, View2d, View3d, ViewMemory, ViewMemoryMut, Window};
