//! Owners of page-locked host memory.

mod locked;
mod owner;
mod raw;

pub use locked::LockedBuffer;
