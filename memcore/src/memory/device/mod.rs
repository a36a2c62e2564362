//! Owners of device memory.

mod boxed;
mod buffer;
mod owner;
mod pitched;
mod raw;

pub use boxed::DeviceBox;
pub use buffer::DeviceBuffer;
pub use pitched::PitchedBuffer;
