//! Copies: when they run, and what the host sees meanwhile.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr;

use super::array::Part;
use super::backing::Touch;
use super::call::{Answer, Call};
use super::graph::NodeId;
use super::machine::Machine;
use super::memory::Kind;
use super::operation::{Op, Pageable, Source, Span, Staged, Target};
use super::report::{Violation, ViolationKind, stream_name};
use super::rows::Rows;
use super::watch::Snapshot;
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::error::Status;

/// One side of a copy, as a call names it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Side {
    /// Rows at device addresses.
    Device(Rows),
    /// Rows at addresses of the host, whose provenance is exposed. What the table does not hold there is pageable memory of
    /// the program's.
    Host(Rows),
    /// Part of an array.
    Array(Part),
}

impl Side {
    fn is_empty(&self) -> bool {
        match self {
            Self::Device(rows) | Self::Host(rows) => rows.len() == 0,
            Self::Array(part) => part.shape.contains(&0),
        }
    }
}

/// What a side turned out to be.
enum Operand {
    /// Memory of the table.
    Memory(Span),
    /// Pageable memory of the program's, by address.
    Pageable(Rows),
}

/// `len` bytes at an address.
fn run(address: u64, len: usize) -> Answer<Rows> {
    Rows::new(address, [len as u64, 1, 1], 0, 0).ok_or(Status::INVALID_VALUE)
}

/// `len` bytes at a device address.
pub(super) fn device(address: u64, len: usize) -> Answer<Side> {
    run(address, len).map(Side::Device)
}

/// `len` bytes at a host pointer.
pub(super) fn host(pointer: *const c_void, len: usize) -> Answer<Side> {
    run(pointer.expose_provenance() as u64, len).map(Side::Host)
}

impl Machine {
    /// Copies between two sides of the same shape.
    ///
    /// # Safety
    ///
    /// The driver contract of both.
    pub(super) unsafe fn copy(
        &mut self,
        call: &Call,
        stream: u64,
        (to, from): (Side, Side),
        synchronous: bool,
    ) -> Answer {
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let target = match unsafe { self.side(call, stream, to, "writes") }? {
            Operand::Memory(span) => Target::Memory(span),
            // SAFETY: the table does not hold the target, which by the driver contract is left to the operation.
            Operand::Pageable(rows) => Target::Pageable(unsafe { Pageable::new(rows, true) }),
        };
        // SAFETY: this function's contract.
        let source = unsafe { self.side(call, stream, from, "reads") }.inspect_err(|_| {
            if let Some(span) = target.span() {
                self.mark_written(span.allocation(), span.rows());
            }
        })?;
        let source = match source {
            Operand::Memory(span) => Source::Memory(span),
            // Run within the call it can read them where they are; else it does only where the options say so.
            Operand::Pageable(rows) if self.runs_at_once(stream) || (self.options.late_pageable && !synchronous) => {
                // SAFETY: by the driver contract the bytes are readable and unwritten during the call, and those of an
                // asynchronous one until the operation has run or is dropped.
                Source::Pageable(unsafe { Pageable::new(rows, !synchronous) })
            }
            Operand::Pageable(rows) => {
                let pointer = ptr::with_exposed_provenance(rows.start() as usize);
                // SAFETY: the table does not hold the source, so that by the driver contract its bytes are readable now.
                let bytes = unsafe { stage(pointer, &rows) }?;
                Source::Staged(Staged { bytes, rows, is_held: !synchronous })
            }
        };
        if let (Some(to), Source::Memory(from)) = (target.span(), &source) {
            self.check_overlap(call, stream, to, from);
        }
        self.queue_copy(call, stream, target, source, synchronous)
    }

    /// Reports a copy whose sides have a byte in common: what it writes is anyone's.
    fn check_overlap(&mut self, call: &Call, stream: u64, to: &Span, from: &Span) {
        let Some(one) = self.memory.get(to.allocation()).filter(|_| to.overlaps(from)) else { return };
        let (subject, rows) = (one.subject(), to.rows());
        let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
        let summary = format!(
            "{} of {} bytes reads what it writes of allocation #{}, from byte {} to byte {}, on stream {}",
            call.label(),
            rows.len(),
            subject.number,
            from.rows().start(),
            rows.start(),
            stream_name(number)
        );
        let help = "copy through other memory, or in parts that do not overlap, as `copy_within` does";
        let violation = Violation::new(ViolationKind::Overlap, call.operation(), call.place, summary, help);
        self.reports.push(violation.about(Some(subject)).range(rows.start(), rows.len()));
    }

    /// The memory at a side of a copy.
    ///
    /// # Safety
    ///
    /// As for [`Machine::operand`].
    unsafe fn side(&mut self, call: &Call, stream: u64, side: Side, verb: &str) -> Answer<Operand> {
        match side {
            // SAFETY: this function's contract.
            Side::Device(rows) => unsafe { self.operand(call, stream, rows, verb) }.map(Operand::Memory),
            Side::Host(rows) => {
                // SAFETY: this function's contract.
                let known = unsafe { self.host_operand(call, stream, rows, verb) }?;
                Ok(known.map_or(Operand::Pageable(rows), Operand::Memory))
            }
            // SAFETY: this function's contract.
            Side::Array(part) => unsafe { self.array_operand(call, stream, part, verb) }.map(Operand::Memory),
        }
    }

    /// Queues a copy, and runs it if the call returns only once it is done.
    ///
    /// One to pageable memory the driver may run at once, and here it must, unless the options say otherwise: a program
    /// that is wrong is not to be harmed by what lands late.
    fn queue_copy(&mut self, call: &Call, stream: u64, to: Target, from: Source, synchronous: bool) -> Answer {
        // Of pageable memory there is no kind.
        let to_kind = to.span().and_then(|span| self.kind_of(span));
        let from_kind = from.span().and_then(|span| self.kind_of(span));
        let waits = if synchronous {
            // From device or pageable memory to device memory the call returns with the transfer pending.
            let to_device = to_kind.is_some_and(Kind::is_device);
            !(to_device && from_kind.is_none_or(Kind::is_device))
        } else {
            to_kind.is_none_or(Kind::is_host) && from_kind.is_none_or(Kind::is_host)
        };
        let lands_now = match &to {
            Target::Pageable(to) if !self.options.late_pageable => Some(*to.rows()),
            _ => None,
        };
        let is_captured = self.is_captured(stream);
        let is_queued = !waits && lands_now.is_none() && !self.schedule.is_eager() && !is_captured;
        let watch = if is_queued { self.watch(to.span(), from.span()) } else { None };
        let id = self.issue(call, stream, Op::Copy { to, from }, None)?;
        if let Some(node) = self.graph.get_mut(id) {
            node.watch = watch;
        }
        if is_captured {
            return Ok(());
        }
        if waits {
            self.force(&[id]);
            self.host_joins(stream);
        } else if let Some(target) = lands_now {
            self.force(&[id]);
            if !self.graph.is_pending(id)
                && !self.schedule.is_eager()
                && let Some(was) = Snapshot::at(&target)
            {
                self.issue(call, stream, Op::Verify { target, was }, None)?;
            }
        }
        Ok(())
    }

    /// Reads the source of a queued copy now, if the host reaches it.
    pub(super) fn stage_host_source(&mut self, id: NodeId) {
        let Some(Op::Copy { from: Source::Memory(span), .. }) = self.graph.get(id).map(|node| &node.op) else { return };
        if self.kind_of(span).is_none_or(Kind::is_device) {
            return;
        }
        let Some(source) = self.memory.reach(span, Touch::Read) else { return };
        let rows = *span.rows();
        // SAFETY: the allocation is in the table, so that the bytes are there; by the span's invariant the program does not
        // write them.
        let staged = unsafe { stage(source.cast_const().cast(), &rows) };
        if let (Ok(bytes), Some(Op::Copy { from, .. })) = (staged, self.graph.get_mut(id).map(|node| &mut node.op)) {
            *from = Source::Staged(Staged { bytes, rows, is_held: false });
        }
    }

    /// Whether an operation that is queued now will have run when it has been queued.
    fn runs_at_once(&self, stream: u64) -> bool {
        self.schedule.is_eager() && self.host_functions.is_empty() && !self.is_captured(stream)
    }

    pub(super) unsafe fn memcpy_htod(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: *const c_void,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, host(src, bytes)?), true) }
    }

    pub(super) unsafe fn memcpy_dtoh(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (host(dst, bytes)?, device(src, bytes)?), true) }
    }

    pub(super) unsafe fn memcpy_dtod(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, device(src, bytes)?), true) }
    }

    pub(super) unsafe fn memcpy_htod_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, host(src, bytes)?), false) }
    }

    pub(super) unsafe fn memcpy_dtoh_async(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (host(dst, bytes)?, device(src, bytes)?), false) }
    }

    pub(super) unsafe fn memcpy_dtod_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, device(src, bytes)?), false) }
    }
}

/// Reads a source of the host's when its copy is queued: the program may free it once the call has returned.
///
/// # Safety
///
/// `source` is where the rows begin, which are good for reads and may be uninitialised.
unsafe fn stage(source: *const MaybeUninit<u8>, rows: &Rows) -> Answer<Box<[MaybeUninit<u8>]>> {
    let len = usize::try_from(rows.len()).map_err(|_| Status::OUT_OF_MEMORY)?;
    let mut bytes: Vec<MaybeUninit<u8>> = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Status::OUT_OF_MEMORY)?;
    for (row, to) in rows.counted_from(rows.start()).pairs(&rows.packed()) {
        // SAFETY: this function's contract.
        let source = unsafe { source.add(row.start as usize) };
        // SAFETY: the packed rows are `len` bytes, for which the vector has room.
        let target = unsafe { bytes.as_mut_ptr().add(to.start as usize) };
        // SAFETY: as above.
        unsafe { ptr::copy_nonoverlapping(source, target, (row.end - row.start) as usize) };
    }
    // SAFETY: the capacity is at least `len`, and `MaybeUninit` is always initialised.
    unsafe { bytes.set_len(len) };
    Ok(bytes.into_boxed_slice())
}
