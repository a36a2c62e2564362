//! Owners of host memory that the device reaches: page-locked, registered, and unified.

mod array;
mod boxed;
mod buffer;
mod flags;
mod locked;
mod owner;
mod registered;
mod registration;
mod unified;

pub use flags::{AttachFlag, LockedFlags, RegisterFlags};
pub use locked::{LockedBox, LockedBuffer};
pub(crate) use owner::HostOwner;
pub use registered::RegisteredBuffer;
pub use registration::Registration;
pub(crate) use registration::{Ending, Registered};
pub use unified::{UnifiedBox, UnifiedBuffer};
