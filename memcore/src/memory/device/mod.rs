//! Owners of device memory.

mod boxed;
mod buffer;
mod in_order;
mod owner;
mod raw;

pub use boxed::DeviceBox;
pub use buffer::DeviceBuffer;
