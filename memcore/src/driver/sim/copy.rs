//! Copies and fills: where their operands lie, when they run, and what the host sees meanwhile.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr;

use super::backing::{POISON, Touch};
use super::exec::{Op, Side, Span, stream_name};
use super::machine::{Answer, Call, Machine, as_handle};
use super::memory::{Found, Kind};
use super::report::{Violation, ViolationKind};
use crate::Status;
use crate::driver::ffi::{CUcontext, CUdeviceptr, CUstream};

/// A side that is compared with more pending operations than this is not poisoned: it would cost too much.
const MOST_COMPARED: usize = 64;

impl Machine {
    /// Whether any byte of the range lies in a device's reserved addresses.
    pub(super) fn is_reserved(&self, address: u64, len: u64) -> bool {
        let end = address.saturating_add(len.max(1));
        self.devices.iter().any(|device| {
            let range = device.space.range();
            address < range.end && range.start < end
        })
    }

    /// Memory of the table at an address that a call takes for a device address.
    pub(super) fn device_side(&mut self, call: &Call, stream: u64, address: u64, len: u64, verb: &str) -> Answer<Side> {
        let end = address.checked_add(len).ok_or(Status::INVALID_VALUE)?;
        let (kind, subject, offset, help) = match self.memory.find(address) {
            Found::Live(id) | Found::Behind(id) => {
                let Some(one) = self.memory.get(id) else { return Err(Status::INVALID_VALUE) };
                let offset = address - one.base;
                if one.freed.is_some() {
                    let help = "queue the free after everything that uses the memory";
                    (ViolationKind::UseAfterFree, one.subject(), offset, help)
                } else if end <= one.end() {
                    return Ok(Side::Memory(Span { allocation: id, offset, len }));
                } else {
                    let help = "keep the offset and the length within the allocation";
                    (ViolationKind::OutOfBounds, one.subject(), offset, help)
                }
            }
            Found::Freed(grave) => {
                let help = "keep the memory until everything that uses it is done";
                (ViolationKind::UseAfterFree, grave.subject, address - grave.base, help)
            }
            Found::Unknown => return Err(Status::INVALID_VALUE),
        };
        let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
        let (words, name) = (call.words(), stream_name(number));
        let summary = match kind {
            ViolationKind::OutOfBounds => format!(
                "{words} {verb} {len} bytes at byte {offset} of allocation #{}, which has {} bytes, on stream {name}",
                subject.number, subject.size
            ),
            _ => format!(
                "{words} of {len} bytes {verb} allocation #{} at byte {offset}, on stream {name}",
                subject.number
            ),
        };
        let violation = Violation::new(kind, call.operation(), call.place, summary, help)
            .about(Some(subject))
            .range(offset, len)
            .on_stream(Some(number));
        self.reports.push(violation);
        Err(Status::INVALID_VALUE)
    }

    /// The memory at a host pointer: page-locked, registered or managed memory of the table, or else the program's own.
    fn host_side(&mut self, call: &Call, stream: u64, address: usize, len: u64, verb: &str) -> Answer<Side> {
        let (start, end) = (address as u64, (address as u64).checked_add(len).ok_or(Status::INVALID_VALUE)?);
        if address == 0 || end == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let known = matches!(self.memory.find(start), Found::Live(_)) || self.is_reserved(start, len);
        if !known {
            return Ok(Side::Pageable(address));
        }
        // With unified addresses a device address will do.
        self.device_side(call, stream, start, len, verb)
    }

    fn kind_of(&self, side: &Side) -> Option<Kind> {
        match side {
            Side::Memory(span) => self.memory.get(span.allocation).map(|one| one.kind),
            _ => None,
        }
    }

    /// Queues a copy, and runs it if the call returns only once it is done.
    fn copy(&mut self, call: &Call, stream: u64, to: Side, from: Side, len: usize, synchronous: bool) -> Answer {
        let (to_kind, from_kind) = (self.kind_of(&to), self.kind_of(&from));
        let on_host = |kind: Option<Kind>| kind.is_none_or(Kind::is_host);
        let waits = if synchronous {
            // From device or pageable memory to device memory the call returns with the transfer pending.
            let to_device = to_kind.is_some_and(Kind::is_device);
            !(to_device && from_kind.is_none_or(Kind::is_device))
        } else {
            // The driver may run a download into pageable memory at once, and here it must: nothing keeps that memory.
            to_kind.is_none() || (on_host(to_kind) && on_host(from_kind))
        };
        let at_once = waits || self.schedule.is_eager();
        let from = match from {
            Side::Pageable(address) if !at_once => Side::Staged(stage(address, len)?),
            other => other,
        };
        if !at_once {
            self.poison_target(&to, &from);
        }
        let id = self.issue(call, stream, Op::Copy { to, from, len }, None)?;
        if waits {
            self.force(&[id]);
        }
        Ok(())
    }

    /// Poisons page-locked memory that a queued copy will write, so that reading it early shows.
    fn poison_target(&mut self, to: &Side, from: &Side) {
        let Side::Memory(to) = to else { return };
        let Some(one) = self.memory.get(to.allocation).filter(|one| one.kind.is_host()) else { return };
        // What is queued before may still read these bytes.
        let pending: Vec<_> = one.users.iter().filter_map(|id| self.graph.get(*id)).take(MOST_COMPARED + 1).collect();
        let used = pending.iter().any(|node| node.op.spans().any(|span| span.overlaps(to)));
        let own_source = matches!(from, Side::Memory(span) if span.overlaps(to));
        if used || own_source || pending.len() > MOST_COMPARED {
            return;
        }
        if let Some(target) = self.memory.reach(to, Touch::Overwrite) {
            // SAFETY: the span is live, and the caller gave its bytes to be overwritten from here on.
            unsafe { target.write_bytes(POISON, to.len as usize) };
        }
    }

    fn htod(&mut self, call: &Call, stream: u64, dst: u64, src: *const c_void, bytes: usize, sync: bool) -> Answer {
        if bytes == 0 {
            return Ok(());
        }
        let to = self.device_side(call, stream, dst, bytes as u64, "writes")?;
        let from = self.host_side(call, stream, src.expose_provenance(), bytes as u64, "reads")?;
        self.copy(call, stream, to, from, bytes, sync)
    }

    fn dtoh(&mut self, call: &Call, stream: u64, dst: *mut c_void, src: u64, bytes: usize, sync: bool) -> Answer {
        if bytes == 0 {
            return Ok(());
        }
        let from = self.device_side(call, stream, src, bytes as u64, "reads")?;
        let to = self.host_side(call, stream, dst.expose_provenance(), bytes as u64, "writes")?;
        self.copy(call, stream, to, from, bytes, sync)
    }

    fn dtod(&mut self, call: &Call, stream: u64, dst: u64, src: u64, bytes: usize, sync: bool) -> Answer {
        if bytes == 0 {
            return Ok(());
        }
        let to = self.device_side(call, stream, dst, bytes as u64, "writes")?;
        let from = self.device_side(call, stream, src, bytes as u64, "reads")?;
        self.copy(call, stream, to, from, bytes, sync)
    }

    pub(super) unsafe fn memcpy_htod(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: *const c_void,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        self.htod(call, stream, dst, src, bytes, true)
    }

    pub(super) unsafe fn memcpy_dtoh(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        self.dtoh(call, stream, dst, src, bytes, true)
    }

    pub(super) fn memcpy_dtod(&mut self, call: &Call, dst: CUdeviceptr, src: CUdeviceptr, bytes: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        self.dtod(call, stream, dst, src, bytes, true)
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
        self.htod(call, stream, dst, src, bytes, false)
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
        self.dtoh(call, stream, dst, src, bytes, false)
    }

    pub(super) fn memcpy_dtod_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        self.dtod(call, stream, dst, src, bytes, false)
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(super) fn memcpy_peer_async(
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
        self.dtod(call, stream, dst, src, bytes, false)
    }

    fn set(&mut self, call: &Call, stream: u64, dst: u64, pattern: &[u8], count: usize, synchronous: bool) -> Answer {
        let unit = pattern.len();
        let bytes = count.checked_mul(unit).ok_or(Status::INVALID_VALUE)?;
        if !dst.is_multiple_of(unit as u64) {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 {
            return Ok(());
        }
        let side = self.device_side(call, stream, dst, bytes as u64, "writes")?;
        let on_device = self.kind_of(&side).is_some_and(Kind::is_device);
        let Side::Memory(to) = side else { return Err(Status::INVALID_VALUE) };
        let mut value = [0; 4];
        for (byte, of) in value.iter_mut().zip(pattern) {
            *byte = *of;
        }
        let id = self.issue(call, stream, Op::Fill { to, pattern: value, unit }, None)?;
        if synchronous && !on_device {
            self.force(&[id]);
        }
        Ok(())
    }

    pub(super) fn memset_d8(&mut self, call: &Call, dst: CUdeviceptr, value: u8, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, true)
    }

    pub(super) fn memset_d16(&mut self, call: &Call, dst: CUdeviceptr, value: u16, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, true)
    }

    pub(super) fn memset_d32(&mut self, call: &Call, dst: CUdeviceptr, value: u32, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, true)
    }

    pub(super) fn memset_d8_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u8,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, false)
    }

    pub(super) fn memset_d16_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u16,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, false)
    }

    pub(super) fn memset_d32_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u32,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        self.set(call, stream, dst, &value.to_ne_bytes(), count, false)
    }
}

/// Reads a pageable source when its copy is queued: the program may free it once the call has returned.
fn stage(address: usize, len: usize) -> Answer<Box<[MaybeUninit<u8>]>> {
    let mut bytes: Vec<MaybeUninit<u8>> = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Status::OUT_OF_MEMORY)?;
    let source: *const MaybeUninit<u8> = ptr::with_exposed_provenance(address);
    // SAFETY: the call that this runs in was promised `len` readable bytes there; the vector has room for as many.
    unsafe { ptr::copy_nonoverlapping(source, bytes.as_mut_ptr(), len) };
    // SAFETY: the capacity is at least `len`, and `MaybeUninit` is always initialised.
    unsafe { bytes.set_len(len) };
    Ok(bytes.into_boxed_slice())
}
