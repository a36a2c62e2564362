//! Copies and fills by address: one driver call each, and its wait.
//!
//! Untyped: lengths are bytes, and the typed layer has checked them. Zero bytes make no call.

mod doubling;
mod fill;
mod fill_rows;
mod issue;
mod lane;
mod operation;
mod rows;
mod staged;
mod within;
mod write_combined;

pub(crate) use fill::{Filled, fills_by_one_call};
pub(crate) use fill_rows::RowFill;
pub(crate) use issue::Mode;
pub use issue::Order;
use issue::{Writes, bind_raw, issue};
pub(crate) use issue::{has_managed_memory, note_managed_memory};
use operation::Operation;
use rows::RowCopy;
pub(crate) use rows::{Extent, Memory, Place};
pub(crate) use within::Move;
pub(crate) use write_combined::{empty_write_buffers, note_write_combined_memory};

use core::ffi::c_void;

use crate::context::Inner;
use crate::driver::{check, symbol};
use crate::error::Result;

/// Host memory as an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HostKind {
    /// Known by its type to be page-locked or unified: the device may write it after the copy call returned.
    HostVisible,
    /// A slice: pageable, most likely, but it may be part of page-locked memory.
    Unknown,
    /// As `Unknown`, by the driver's call alone: where the program asked for that.
    ByDriver,
}

/// Copies host memory to a device.
///
/// # Safety
///
/// `src` is valid for reads of `bytes`, `dst` for writes of `bytes` in `context`, which is open, both by this operation
/// alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited.
#[inline]
#[track_caller]
pub(crate) unsafe fn upload(
    context: &Inner,
    dst: u64,
    src: *const c_void,
    kind: HostKind,
    bytes: usize,
    mode: Mode<'_>,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    write_combined::before_the_device_reads();
    // Straight to the call, without an `Operation`: queueing takes a driver 1.3 µs, of which every branch here is a part.
    if let Mode::Raw(stream) = mode {
        let bound = bind_raw(stream, context)?;
        // SAFETY: the caller's contract; the stream is alive and its context bound.
        let status = unsafe { bound.driver().memcpy_htod_async(dst, src, bytes, stream.handle()) };
        return check(symbol::memcpy_htod_async, status);
    }
    let operation = Operation::Upload { dst, src, kind, bytes };
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, Writes::Device { dst }, operation) }
}

/// Copies device memory to the host.
///
/// # Safety
///
/// `src` is valid for reads of `bytes` in `context`, which is open, `dst` for writes of `bytes`, both by this operation
/// alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited.
#[inline]
#[track_caller]
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
    // As in `upload`.
    if let Mode::Raw(stream) = mode {
        let bound = bind_raw(stream, context)?;
        // SAFETY: the caller's contract; the stream is alive and its context bound.
        let status = unsafe { bound.driver().memcpy_dtoh_async(dst, src, bytes, stream.handle()) };
        return check(symbol::memcpy_dtoh_async, status);
    }
    let writes = match kind {
        HostKind::HostVisible => Writes::HostVisible,
        HostKind::Unknown | HostKind::ByDriver => Writes::Host { start: dst, bytes },
    };
    let operation = Operation::Download { dst, kind, src, bytes };
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, writes, operation) }
}

/// Copies device memory to device memory, from one device to another where the contexts differ.
///
/// # Safety
///
/// `src` is valid for reads of `bytes` in `src_context`, `dst` for writes of `bytes` in `dst_context`, both open, both
/// by this operation alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited. They do
/// not overlap.
#[inline]
#[track_caller]
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
    // As in `upload`.
    if let Mode::Raw(stream) = mode
        && core::ptr::eq(dst_context, src_context)
    {
        let bound = bind_raw(stream, dst_context)?;
        // SAFETY: the caller's contract; the stream is alive and its context bound.
        let status = unsafe { bound.driver().memcpy_dtod_async(dst, src, bytes, stream.handle()) };
        return check(symbol::memcpy_dtod_async, status);
    }
    dst_context.require_same_driver(src_context)?;
    let (to, from) = (dst_context.raw(), src_context.raw());
    let (writes, operation) = if to == from {
        (Writes::Device { dst }, Operation::Copy { dst, src, bytes })
    } else {
        (Writes::HostVisible, Operation::PeerCopy { dst, dst_context: to, src, src_context: from, bytes })
    };
    // SAFETY: the caller's contract.
    unsafe { issue(dst_context, mode, writes, operation) }
}

/// Moves bytes within device memory, where the two ranges may overlap, as [`Move`] says.
///
/// # Safety
///
/// Both ranges, and the scratch memory, are valid for reads and writes in `context`, which is open, by this operation alone
/// until it is complete: on return, or under [`Mode::Raw`] when the caller has waited.
#[track_caller]
pub(crate) unsafe fn move_within(context: &Inner, within: Move, mode: Mode<'_>) -> Result<()> {
    if within.bytes == 0 || within.dst == within.src {
        return Ok(());
    }
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, Writes::Device { dst: within.dst }, Operation::Move(within)) }
}

/// Copies rows, of which some are on a device. `contexts` are those of the destination and the source; host memory has
/// that of the other side. Calls: `cuMemcpy2DAsync_v2` where there is one slice, else `cuMemcpy3DAsync_v2`, or
/// `cuMemcpy3DPeerAsync` between contexts.
///
/// # Safety
///
/// `from` is valid for reads of the extent in its context, `to` for writes in its own, both open, both by this operation
/// alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited. They do not overlap.
#[track_caller]
pub(crate) unsafe fn copy_rows(
    contexts: [&Inner; 2],
    to: Place,
    from: Place,
    extent: Extent,
    mode: Mode<'_>,
) -> Result<()> {
    if extent.is_empty() {
        return Ok(());
    }
    let [to_context, from_context] = contexts;
    to_context.require_same_driver(from_context)?;
    to.check_pitch(extent)?;
    from.check_pitch(extent)?;
    if matches!(from.memory, Memory::Host(_)) {
        write_combined::before_the_device_reads();
    }
    let copy = RowCopy { to, from, extent };
    let (writes, operation) = if to_context.raw() == from_context.raw() {
        (to.writes(extent), Operation::Rows(copy))
    } else {
        (Writes::HostVisible, Operation::PeerRows { copy, contexts: contexts.map(Inner::raw) })
    };
    // SAFETY: the caller's contract.
    unsafe { issue(to_context, mode, writes, operation) }
}

/// Fills rows. Calls: one `cuMemsetD2D*Async` where the value's bytes repeat every 1, 2 or 4 and the slices have no gap
/// between them; else one for the first slice, or as [`fill`] for its first row, and copies of rows that double it. Of an array
/// one of the first row, `cuMemcpy2DAsync_v2` or, where that is not in the first slice, `cuMemcpy3DAsync_v2`, and the same.
///
/// # Safety
///
/// The rows may be written in `context`, which is open, by this operation alone until it is complete. Under
/// [`Mode::Raw`] the value too stays as it is until then.
#[track_caller]
pub(crate) unsafe fn fill_rows(context: &Inner, fill: RowFill<'_>, mode: Mode<'_>) -> Result<()> {
    fill.place.check_pitch(fill.extent)?;
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, fill.place.writes(fill.extent), Operation::FillRows(fill)) }
}

/// As [`fill_rows`], with the value in the calls themselves: no memory of the host is read, now or later.
///
/// # Safety
///
/// The rows are device memory, and may be written in `context`, which is open, by this operation alone until it is complete.
#[track_caller]
pub(crate) unsafe fn fill_rows_by_sets(context: &Inner, fill: RowFill<'_>, mode: Mode<'_>) -> Result<()> {
    fill.place.check_pitch(fill.extent)?;
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, fill.place.writes(fill.extent), Operation::FillRowsBySets(fill)) }
}

/// As [`fill`], with the value in the calls themselves: no memory of the host is read, now or later. Calls: one memset;
/// or one for each word (4, 2 or 1 bytes) of the value, and ⌈log₂ count⌉ `cuMemcpyDtoDAsync_v2`.
///
/// # Safety
///
/// `dst` is valid for writes of `count` times the value's bytes in `context`, which is open, by this operation alone
/// until it is complete.
#[track_caller]
pub(crate) unsafe fn fill_by_sets(context: &Inner, dst: u64, value: &[u8], count: usize, mode: Mode<'_>) -> Result<()> {
    if value.is_empty() || count == 0 {
        return Ok(());
    }
    let operation = Operation::FillBySets { dst, value, count };
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, Writes::Device { dst }, operation) }
}

/// Writes `value` `count` times from `dst` on. Calls: one memset where the value's bytes repeat every 1, 2 or 4 bytes;
/// else one `cuMemcpyHtoDAsync_v2` and ⌈log₂ count⌉ `cuMemcpyDtoDAsync_v2`.
///
/// # Safety
///
/// `dst` is valid for writes of `count` times the value's bytes in `context`, which is open, by this operation alone
/// until it is complete. Under [`Mode::Raw`] `value` too stays as it is until then.
#[track_caller]
pub(crate) unsafe fn fill(context: &Inner, dst: u64, value: &[u8], count: usize, mode: Mode<'_>) -> Result<()> {
    if value.is_empty() || count == 0 {
        return Ok(());
    }
    let operation = Operation::Fill { dst, value, count };
    // SAFETY: the caller's contract.
    unsafe { issue(context, mode, Writes::Device { dst }, operation) }
}
