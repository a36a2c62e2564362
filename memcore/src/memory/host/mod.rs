//! Owners of host memory that the device reaches: page-locked, registered, and unified.

mod array;
mod boxed;
mod buffer;
mod flags;
mod locked;
mod owner;
mod register;
mod registered;
mod registration;
mod unified;
mod with_registered;

pub use flags::{AttachFlag, LockedFlags, RegisterFlags};
pub use locked::{LockedBox, LockedBuffer};
pub(crate) use owner::HostOwner;
pub(crate) use register::Registered;
pub use registered::RegisteredBuffer;
pub use registration::Registration;
pub use unified::{UnifiedBox, UnifiedBuffer};
pub(crate) use with_registered::Ending;
