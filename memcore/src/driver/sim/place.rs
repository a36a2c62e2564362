//! Where in the checked program's source something was done.

use core::fmt;
use core::panic::Location;

#[cfg(feature = "libcuda")]
use super::libcuda::Stack;

/// A place in the checked program's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// Rust's own, of a program that calls memcore.
    Source(&'static Location<'static>),
    /// What called the driver, of a program that knows nothing of memcore.
    #[cfg(feature = "libcuda")]
    Stack(&'static Stack),
}

impl Place {
    /// Where this is called.
    #[track_caller]
    pub(super) fn caller() -> Self {
        Self::Source(Location::caller())
    }

    /// The file; of a caller without debug information the library or program that it is in.
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Source(location) => location.file(),
            #[cfg(feature = "libcuda")]
            Self::Stack(stack) => stack.file(),
        }
    }

    /// The line, from 1; 0 where it is not known.
    pub(super) fn line(self) -> u32 {
        match self {
            Self::Source(location) => location.line(),
            #[cfg(feature = "libcuda")]
            Self::Stack(stack) => stack.line(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(location) => location.fmt(f),
            #[cfg(feature = "libcuda")]
            Self::Stack(stack) => stack.fmt(f),
        }
    }
}
