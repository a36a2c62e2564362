//! Copies and fills by address: one driver call each, and its wait.
//!
//! Untyped: lengths are bytes, and the typed layer has checked them. Zero bytes make no call.

mod fill;
mod issue;

pub(crate) use fill::{enqueue_fill, fill};
pub(crate) use issue::Mode;
pub use issue::Order;
use issue::{Issue, Writes};

use core::ffi::c_void;

use crate::context::Inner;
use crate::driver::{check, symbol};
use crate::error::{Error, Result};

/// Host memory as an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HostKind {
    /// Known by its type to be page-locked by memcore.
    PageLocked,
    /// A slice: pageable, most likely, but it may be part of page-locked memory.
    Unknown,
}

/// Copies host memory to a device.
///
/// # Safety
///
/// `src` is valid for reads of `bytes`, `dst` for writes of `bytes` in `context`, which is open, both by this operation
/// alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited.
pub(crate) unsafe fn upload(context: &Inner, dst: u64, src: *const c_void, bytes: usize, mode: Mode<'_>) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    Issue { context, mode, writes: Writes::Device }.run(|driver, stream| {
        // SAFETY: the caller's contract; `Issue` waits where the caller does not.
        check(symbol::memcpy_htod_async, unsafe { driver.memcpy_htod_async(dst, src, bytes, stream) })
    })
}

/// Copies device memory to the host.
///
/// # Safety
///
/// `src` is valid for reads of `bytes` in `context`, which is open, `dst` for writes of `bytes`, both by this operation
/// alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited.
pub(crate) unsafe fn download(
    context: &Inner,
    dst: *mut c_void,
    kind: HostKind,
    src: u64,
    bytes: usize,
    mode: Mode<'_>,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let writes = match kind {
        HostKind::PageLocked => Writes::HostVisible,
        HostKind::Unknown => Writes::Host { start: dst, bytes },
    };
    Issue { context, mode, writes }.run(|driver, stream| {
        // SAFETY: the caller's contract; `Issue` waits where the caller does not.
        check(symbol::memcpy_dtoh_async, unsafe { driver.memcpy_dtoh_async(dst, src, bytes, stream) })
    })
}

/// Copies device memory to device memory, from one device to another where the contexts differ.
///
/// # Safety
///
/// `src` is valid for reads of `bytes` in `src_context`, `dst` for writes of `bytes` in `dst_context`, both open, both by
/// this operation alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited. They do not
/// overlap.
pub(crate) unsafe fn device_to_device(
    dst_context: &Inner,
    dst: u64,
    src_context: &Inner,
    src: u64,
    bytes: usize,
    mode: Mode<'_>,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    if !dst_context.same_driver(src_context) {
        return Err(Error::DifferentDrivers);
    }
    let is_peer = dst_context.raw() != src_context.raw();
    let writes = if is_peer { Writes::HostVisible } else { Writes::Device };
    Issue { context: dst_context, mode, writes }.run(|driver, stream| {
        if is_peer {
            let (to, from) = (dst_context.raw(), src_context.raw());
            // SAFETY: the caller's contract; both contexts are open; `Issue` waits where the caller does not.
            let status = unsafe { driver.memcpy_peer_async(dst, to, src, from, bytes, stream) };
            check(symbol::memcpy_peer_async, status)
        } else {
            // SAFETY: the caller's contract; `Issue` waits where the caller does not.
            check(symbol::memcpy_dtod_async, unsafe { driver.memcpy_dtod_async(dst, src, bytes, stream) })
        }
    })
}
