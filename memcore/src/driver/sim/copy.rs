//! Copies: when they run, and what the host sees meanwhile.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr;

use super::backing::Touch;
use super::call::{Answer, Call, as_handle};
use super::graph::NodeId;
use super::machine::Machine;
use super::memory::Kind;
use super::operation::{Op, Pageable, Source, Span, Staged, Target};
use super::watch::Snapshot;
use crate::driver::ffi::{CUcontext, CUdeviceptr, CUstream};
use crate::error::Status;

impl Machine {
    /// Queues a copy to memory of the table, and runs it if the call returns only once it is done.
    fn copy(&mut self, call: &Call, stream: u64, to: Span, from: Source, synchronous: bool) -> Answer {
        let to_kind = self.kind_of(&to);
        // Of pageable memory there is no kind.
        let from_kind = from.span().and_then(|span| self.kind_of(span));
        let waits = if synchronous {
            // From device or pageable memory to device memory the call returns with the transfer pending.
            let to_device = to_kind.is_some_and(Kind::is_device);
            !(to_device && from_kind.is_none_or(Kind::is_device))
        } else {
            to_kind.is_some_and(Kind::is_host) && from_kind.is_none_or(Kind::is_host)
        };
        let is_queued = !waits && !self.schedule.is_eager() && !self.is_captured(stream);
        let watch = if is_queued { self.watch(&to, &from) } else { None };
        let id = self.issue(call, stream, Op::Copy { to: Target::Memory(to), from }, None)?;
        if let Some(node) = self.graph.get_mut(id) {
            node.watch = watch;
        }
        if waits {
            self.force(&[id]);
            self.host_joins(stream);
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
        // SAFETY: the allocation is in the table, so that the bytes are there; by the span's invariant the program does not
        // write them.
        let staged = unsafe { stage(source.cast_const().cast(), span.len() as usize) };
        if let (Ok(bytes), Some(Op::Copy { from, .. })) = (staged, self.graph.get_mut(id).map(|node| &mut node.op)) {
            *from = Source::Staged(Staged { bytes, in_use_at: None });
        }
    }

    /// # Safety
    ///
    /// The driver contract of the operands.
    unsafe fn htod(
        &mut self,
        call: &Call,
        stream: u64,
        dst: u64,
        src: *const c_void,
        bytes: usize,
        synchronous: bool,
    ) -> Answer {
        let len = bytes as u64;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let to = unsafe { self.operand(call, stream, (dst, len), "writes") }?;
        // SAFETY: as above.
        let from = match unsafe { self.host_operand(call, stream, (src.addr() as u64, len), "reads") }? {
            Some(span) => Source::Memory(span),
            // Run within the call it can read them where they are; else it does only where the options say so.
            None if self.runs_at_once(stream) || (self.options.late_pageable && !synchronous) => {
                // SAFETY: by the driver contract the bytes are readable and unwritten during the call, and those of an
                // asynchronous one until the operation has run or is dropped.
                Source::Pageable(unsafe { Pageable::new(src, bytes, !synchronous) })
            }
            None => {
                // SAFETY: the table does not hold the source, so that by the driver contract its bytes are readable now.
                let bytes = unsafe { stage(src.cast(), bytes) }?;
                Source::Staged(Staged { bytes, in_use_at: (!synchronous).then_some(src.addr() as u64) })
            }
        };
        self.copy(call, stream, to, from, synchronous)
    }

    /// # Safety
    ///
    /// The driver contract of the operands.
    unsafe fn dtoh(
        &mut self,
        call: &Call,
        stream: u64,
        dst: *mut c_void,
        src: u64,
        bytes: usize,
        synchronous: bool,
    ) -> Answer {
        let len = bytes as u64;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let from = unsafe { self.operand(call, stream, (src, len), "reads") }?;
        // SAFETY: as above.
        match unsafe { self.host_operand(call, stream, (dst.addr() as u64, len), "writes") }? {
            Some(to) => self.copy(call, stream, to, Source::Memory(from), synchronous),
            None => {
                // SAFETY: the table does not hold the target, which by the driver contract is left to the operation.
                let to = unsafe { Pageable::new(dst, bytes, true) };
                self.download(call, stream, to, from, synchronous)
            }
        }
    }

    /// Whether an operation that is queued now will have run when it has been queued.
    fn runs_at_once(&self, stream: u64) -> bool {
        self.schedule.is_eager() && self.host_functions.is_empty() && !self.is_captured(stream)
    }

    /// Copies to pageable memory. The driver may run such a copy at once, and here it must, unless the options say
    /// otherwise: a program that is wrong is not to be harmed by what lands late.
    fn download(&mut self, call: &Call, stream: u64, to: Pageable, from: Span, synchronous: bool) -> Answer {
        let (target, is_late) = (to.bytes(), self.options.late_pageable && !synchronous);
        let op = Op::Copy { to: Target::Pageable(to), from: Source::Memory(from) };
        let id = self.issue(call, stream, op, None)?;
        if is_late || self.is_captured(stream) {
            return Ok(());
        }
        self.force(&[id]);
        if synchronous {
            self.host_joins(stream);
        } else if !self.graph.is_pending(id)
            && !self.schedule.is_eager()
            && let Some(was) = Snapshot::at(&target)
        {
            self.issue(call, stream, Op::Verify { target, was }, None)?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// The driver contract of the operands.
    unsafe fn dtod(&mut self, call: &Call, stream: u64, dst: u64, src: u64, bytes: usize, synchronous: bool) -> Answer {
        let len = bytes as u64;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let to = unsafe { self.operand(call, stream, (dst, len), "writes") }?;
        // SAFETY: as above.
        let from = unsafe { self.operand(call, stream, (src, len), "reads") };
        let from = from.inspect_err(|_| self.mark_written(to.allocation(), to.bytes()))?;
        self.copy(call, stream, to, Source::Memory(from), synchronous)
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
        unsafe { self.htod(call, stream, dst, src, bytes, true) }
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
        unsafe { self.dtoh(call, stream, dst, src, bytes, true) }
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
        unsafe { self.dtod(call, stream, dst, src, bytes, true) }
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
        unsafe { self.htod(call, stream, dst, src, bytes, false) }
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
        unsafe { self.dtoh(call, stream, dst, src, bytes, false) }
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
        unsafe { self.dtod(call, stream, dst, src, bytes, false) }
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(super) unsafe fn memcpy_peer_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        dst_context: CUcontext,
        src: CUdeviceptr,
        src_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        for context in [dst_context, src_context] {
            let key = as_handle(context);
            if !self.contexts.contains_key(&key) {
                return Err(Status::INVALID_CONTEXT);
            }
            self.alive(key)?;
        }
        // SAFETY: the driver contract.
        unsafe { self.dtod(call, stream, dst, src, bytes, false) }
    }
}

/// Reads a pageable source when its copy is queued: the program may free it once the call has returned.
///
/// # Safety
///
/// `source` is good for reads of `len` bytes, which may be uninitialised.
unsafe fn stage(source: *const MaybeUninit<u8>, len: usize) -> Answer<Box<[MaybeUninit<u8>]>> {
    let mut bytes: Vec<MaybeUninit<u8>> = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Status::OUT_OF_MEMORY)?;
    // SAFETY: the source by this function's contract; the vector has room for as many.
    unsafe { ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), len) };
    // SAFETY: the capacity is at least `len`, and `MaybeUninit` is always initialised.
    unsafe { bytes.set_len(len) };
    Ok(bytes.into_boxed_slice())
}
