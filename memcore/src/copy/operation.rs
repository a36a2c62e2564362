//! The operations that can be queued on a stream, as data.

use core::ffi::c_void;

use super::HostKind;
use super::fill::{Seed, queue_fill};
use super::fill_rows::RowFill;
use super::rows::RowCopy;
use super::within::{Move, queue_move};
use crate::driver::ffi::{CUcontext, CUdeviceptr, CUstream};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result};

/// One operation. Sizes are bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation<'v> {
    Upload {
        dst: CUdeviceptr,
        src: *const c_void,
        kind: HostKind,
        bytes: usize,
    },
    Download {
        dst: *mut c_void,
        kind: HostKind,
        src: CUdeviceptr,
        bytes: usize,
    },
    Copy {
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
    },
    PeerCopy {
        dst: CUdeviceptr,
        dst_context: CUcontext,
        src: CUdeviceptr,
        src_context: CUcontext,
        bytes: usize,
    },
    Move(Move),
    Fill {
        dst: CUdeviceptr,
        value: &'v [u8],
        count: usize,
    },
    /// As `Fill`, with the value in the calls themselves.
    FillBySets {
        dst: CUdeviceptr,
        value: &'v [u8],
        count: usize,
    },
    Rows(RowCopy),
    /// Between the memory of two contexts: the destination's and the source's.
    PeerRows {
        copy: RowCopy,
        contexts: [CUcontext; 2],
    },
    FillRows(RowFill<'v>),
    /// As `FillRows`, with the value in the calls themselves.
    FillRowsBySets(RowFill<'v>),
}

impl Operation<'_> {
    /// Makes the driver calls.
    ///
    /// # Errors
    ///
    /// The first that was refused.
    ///
    /// # Safety
    ///
    /// What is read is valid for reads and what is written for writes, by this operation alone until it is complete;
    /// the two do not overlap, unless it moves. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue(self, driver: &dyn Driver, stream: CUstream) -> Result<(), Refused> {
        let queued = match self {
            Self::Upload { dst, src, bytes, .. } => {
                // SAFETY: the caller's contract.
                check(symbol::memcpy_htod_async, unsafe { driver.memcpy_htod_async(dst, src, bytes, stream) })
            }
            Self::Download { dst, src, bytes, .. } => {
                // SAFETY: the caller's contract.
                check(symbol::memcpy_dtoh_async, unsafe { driver.memcpy_dtoh_async(dst, src, bytes, stream) })
            }
            Self::Copy { dst, src, bytes } => {
                // SAFETY: the caller's contract.
                check(symbol::memcpy_dtod_async, unsafe { driver.memcpy_dtod_async(dst, src, bytes, stream) })
            }
            Self::PeerCopy { dst, dst_context, src, src_context, bytes } => {
                // SAFETY: the caller's contract.
                let status = unsafe { driver.memcpy_peer_async(dst, dst_context, src, src_context, bytes, stream) };
                check(symbol::memcpy_peer_async, status)
            }
            Self::Move(within) => {
                // SAFETY: the caller's contract.
                return unsafe { queue_move(driver, stream, within) };
            }
            Self::Fill { dst, value, count } => {
                // SAFETY: the caller's contract.
                return unsafe { queue_fill(driver, stream, dst, value, count, Seed::Upload) };
            }
            Self::FillBySets { dst, value, count } => {
                // SAFETY: the caller's contract.
                return unsafe { queue_fill(driver, stream, dst, value, count, Seed::Sets) };
            }
            // SAFETY: the caller's contract.
            Self::Rows(copy) => unsafe { copy.queue(driver, stream) },
            // SAFETY: the caller's contract.
            Self::PeerRows { copy, contexts } => unsafe { copy.queue_peer(driver, contexts, stream) },
            Self::FillRows(fill) => {
                // SAFETY: the caller's contract.
                return unsafe { fill.queue(driver, stream, Seed::Upload) };
            }
            Self::FillRowsBySets(fill) => {
                // SAFETY: the caller's contract.
                return unsafe { fill.queue(driver, stream, Seed::Sets) };
            }
        };
        queued.map_err(Refused::whole)
    }
}

/// Why an operation was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) error: Error,
    /// Whether it is several driver calls, of which some were taken: these are in flight.
    pub(super) is_half_way: bool,
}

impl Refused {
    /// Nothing of it was taken.
    pub(super) const fn whole(error: Error) -> Self {
        Self { error, is_half_way: false }
    }

    /// Whether calls of it that came before were taken is known better now.
    pub(super) fn after(self, some_were_taken: bool) -> Self {
        Self { is_half_way: self.is_half_way || some_were_taken, ..self }
    }

    /// Calls of it that came before were taken.
    pub(super) const fn half_way(error: Error) -> Self {
        Self { error, is_half_way: true }
    }
}

// No `From<Refused> for Error`: one more would make `?` ambiguous in the closures of programs.
impl Refused {
    pub(super) fn into_error(self) -> Error {
        self.error
    }
}
