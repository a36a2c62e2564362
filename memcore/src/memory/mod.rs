//! Typed memory: what lives on a device, what the host keeps page-locked for it, and the copies between them.
//!
//! | type | memory | derefs to |
//! |---|---|---|
//! | [`DeviceBuffer`], [`DeviceBox`] | the device's | [`DeviceSlice`] |
//! | [`DeviceVariable`] | a host value with a copy on the device | `T` |
//! | [`LockedBuffer`], [`LockedBox`] | the host's, page-locked | `[T]`, `T` |
//! | [`UnifiedBuffer`], [`UnifiedBox`] | one for host and device | `[T]`, `T` |
//! | [`ArrayObject`](array::ArrayObject) | a CUDA array of the device, without an address | |
//! | [`DevicePointer`], [`UnifiedPointer`] | an address, which owns nothing | |
//!
//! The functions here are thin wrappers of the driver's own, for programs that manage memory by hand; the traits are
//! for code that is generic over the types above.

mod advise;
pub mod array;
mod copy_destination;
mod device;
mod device_copy;
mod download;
mod functions;
mod host;
pub(crate) mod operand;
pub(crate) mod pair;
mod pointer;
pub(crate) mod size;
mod slice;
mod traits;
mod variable;
pub(crate) mod view;

pub use advise::MemoryAdvise;
pub use copy_destination::{AsyncCopyDestination, CopyDestination};
pub use device::{DeviceBox, DeviceBuffer, PitchedBuffer};
pub use device_copy::DeviceCopy;
pub use functions::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, mem_get_info, memcpy_dtoh, memcpy_htod,
};
pub use host::{LockedBox, LockedBuffer, UnifiedBox, UnifiedBuffer};
pub use pointer::{DevicePointer, UnifiedPointer};
pub use slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, DeviceIndex, DeviceSlice};
pub use traits::{DeviceMemory, GpuBox, GpuBuffer};
pub use variable::DeviceVariable;
pub use view::{AsView, View, View2d, View3d, ViewMemory, ViewMemoryMut, Window};
