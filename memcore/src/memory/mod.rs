//! Typed memory: what lives on a device, what the host keeps page-locked for it, and the copies between them.
//!
//! | type | memory | derefs to |
//! |---|---|---|
//! | [`DeviceBuffer`], [`DeviceBox`] | the device's | [`DeviceSlice`] |
//! | [`LockedBuffer`] | the host's, page-locked | `[T]` |
//! | [`DevicePointer`] | an address, which owns nothing | |

mod device;
mod device_copy;
mod download;
mod host;
pub(crate) mod operand;
pub(crate) mod pair;
mod pointer;
mod size;
mod slice;

pub use device::{DeviceBox, DeviceBuffer};
pub use device_copy::DeviceCopy;
pub use host::LockedBuffer;
pub use pointer::DevicePointer;
pub use slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, DeviceIndex, DeviceSlice};
