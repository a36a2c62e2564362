//! The seam between memcore and whatever carries out its calls: the CUDA driver, or the simulated device.

mod choose;
#[cfg(test)]
mod conformance;
mod cuda;
mod entry_points;
pub(crate) mod ffi;
pub mod sim;
mod trace;

pub(crate) use choose::{OwnDriver, default_driver, initialise, tests_are_simulated};

use core::ffi::{c_char, c_void};
use core::fmt::Debug;

use crate::error::{Error, Result, Status};
use entry_points::entry_points;
use ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid,
};

/// What a driver is, beside its entry points.
pub(crate) trait DriverKind {
    /// Whether this is the simulated device.
    fn is_simulated(&self) -> bool;

    /// `"CUDA"` or `"simulated"`.
    fn kind(&self) -> &'static str {
        if self.is_simulated() { "simulated" } else { "CUDA" }
    }

    /// The device whose reserved addresses hold `address`: only simulated devices reserve any.
    fn reserved_by(&self, address: u64) -> Option<i32>;

    /// Says that the host has seen a stream's work done, by other means than a wait.
    fn observe(&self, stream: CUstream);

    /// Says that memory which starts at `address` is memcore's own and no leak of the program's.
    fn keep(&self, address: u64);

    /// Says that `bytes` at `address`, where pages start that memcore has registered for this, are page-locked memory of the
    /// program's from now on. Of what they hold nothing is known, unless they hold zeros.
    ///
    /// # Safety
    ///
    /// Nobody else has the pages, which stay mapped until they are unregistered.
    #[track_caller]
    unsafe fn note_host_allocation(&self, address: u64, bytes: usize, zeros: bool);

    /// Says that the program has freed what [`note_host_allocation`](Self::note_host_allocation) gave it at `address`; the
    /// pages stay registered. Only the simulated device waits here, for work that the program has not waited for.
    ///
    /// # Safety
    ///
    /// Nobody touches the pages before they are given out again, or unregistered.
    #[track_caller]
    unsafe fn note_host_free(&self, address: u64);

    /// Whether the operating system is to be taken for one that maps no pages, to register them.
    fn refuses_pages(&self) -> bool;

    /// Whether the operating system is to be taken for one without huge pages.
    fn refuses_huge_pages(&self) -> bool;

    /// Whether the host may copy these bytes now, to or from page-locked memory that stands for them in an operation of a
    /// device. Only the simulated device ever says no: where nothing proves that the host comes after all that uses them, or
    /// where it cannot touch them. The driver is to copy them then, which tells what is wrong, if anything is.
    fn lets_host_copy(&self, rows: HostRows) -> bool;

    /// Whether what is queued goes on while the host calls nothing, so that it can be watched for in memory.
    fn progresses(&self) -> bool {
        !self.is_simulated()
    }
}

/// Rows of host memory that a copy reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRows {
    /// The address of the first.
    pub(crate) start: u64,
    /// Bytes of a row, rows of a slice, and slices.
    pub(crate) shape: [usize; 3],
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Rows from one slice to the next.
    pub(crate) height: usize,
    pub(crate) is_written: bool,
}

macro_rules! driver_trait {
    ($($method:ident = $symbol:literal $(| $per_thread:literal)? ($($arg:ident: $type:ty),*);)*) => {
        /// One method per driver entry point that memcore uses.
        ///
        /// # Safety
        ///
        /// Of each method: pointers are valid for what the driver function of that name reads and writes through them,
        /// also after the call returns where the function is asynchronous; handles are live handles of this driver.
        #[cfg_attr(not(test), allow(dead_code, reason = "the simulated device and its tests have the whole driver"))]
        pub(crate) trait Driver: DriverKind + Debug + Send + Sync {
            $(
                #[doc = concat!("`", $symbol, "`.")]
                #[track_caller]
                unsafe fn $method(&self, $($arg: $type),*) -> Status;
            )*
        }

        /// The driver's symbol of each method, under the method's name.
        pub(crate) mod symbol {
            $(
                #[allow(non_upper_case_globals, dead_code, reason = "named like the method it belongs to")]
                pub(crate) const $method: &str = $symbol;
            )*
        }
    };
}
entry_points!(driver_trait);

/// Makes an entry point's status a [`Result`].
#[inline]
pub(crate) fn check(operation: &'static str, status: Status) -> Result<()> {
    if status.is_success() { Ok(()) } else { Err(Error::from_status(operation, status)) }
}
