//! Owners of host memory that the device reaches: page-locked, and unified.

mod array;
mod boxed;
mod buffer;
mod locked;
mod owner;
mod unified;

pub use locked::{LockedBox, LockedBuffer};
pub use unified::{UnifiedBox, UnifiedBuffer};
