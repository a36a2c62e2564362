//! What a transfer fails with.

use core::fmt;

use crate::error::Error;

/// Why a transfer failed, with its buffers if the device is certain to be done with them.
///
/// It does not turn into an [`Error`] by `?`: a second `From` would leave the error type of a scope's closure open
/// where nothing else fixes it. Write `.map_err(TransferError::into_error)`.
pub struct TransferError<S, D> {
    error: Error,
    buffers: Option<Box<(S, D)>>,
}

impl<S, D> TransferError<S, D> {
    pub(super) fn new(error: Error, buffers: Option<(S, D)>) -> Self {
        Self { error, buffers: buffers.map(Box::new) }
    }

    /// What went wrong.
    #[must_use]
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// What went wrong, without the buffers, which are dropped.
    #[must_use]
    pub fn into_error(self) -> Error {
        self.error
    }

    /// The source and the destination; `None` if the device may still work on them, in which case they are leaked, or
    /// dropped when it is done where that can be known.
    #[must_use]
    pub fn into_buffers(self) -> Option<(S, D)> {
        self.buffers.map(|buffers| *buffers)
    }
}

impl<S, D> fmt::Display for TransferError<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<S, D> fmt::Debug for TransferError<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<S, D> std::error::Error for TransferError<S, D> {}
