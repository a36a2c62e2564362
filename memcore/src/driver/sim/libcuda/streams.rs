//! What can be asked of streams and events, and what is another form of what there is.

use core::ffi::c_void;

use super::super::call::{Answer, Call, as_pointer, write_out};
use super::super::machine::Machine;
use super::super::operation::Op;
use super::super::rows::Rows;
use super::super::stream::Stream;
use crate::driver::ffi::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUgraph, CUstream, STREAM_NON_BLOCKING};
use crate::error::Status;

impl Machine {
    /// A stream, and its key, of a context that is not dead.
    fn asked(&mut self, call: &Call, stream: CUstream) -> Answer<(u64, &Stream)> {
        let key = self.any_stream_key(call, stream)?;
        self.alive(self.streams.get(&key).map_or(0, |stream| stream.context))?;
        self.streams.get(&key).map(|stream| (key, stream)).ok_or(Status::INVALID_HANDLE)
    }

    pub(in super::super) unsafe fn stream_create_plain(
        &mut self,
        call: &Call,
        out: *mut CUstream,
        flags: u32,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.stream_create(call, out, flags, 0) }
    }

    pub(in super::super) unsafe fn stream_flags(&mut self, call: &Call, stream: CUstream, out: *mut u32) -> Answer {
        refuse_null(out)?;
        let flags = if self.asked(call, stream)?.1.blocking { 0 } else { STREAM_NON_BLOCKING };
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, flags) }
    }

    pub(in super::super) unsafe fn stream_priority(&mut self, call: &Call, stream: CUstream, out: *mut i32) -> Answer {
        refuse_null(out)?;
        let priority = self.asked(call, stream)?.1.priority;
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, priority) }
    }

    pub(in super::super) unsafe fn stream_id(&mut self, call: &Call, stream: CUstream, out: *mut u64) -> Answer {
        refuse_null(out)?;
        let (key, _) = self.asked(call, stream)?;
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, key) }
    }

    pub(in super::super) unsafe fn stream_context(
        &mut self,
        call: &Call,
        stream: CUstream,
        out: *mut CUcontext,
    ) -> Answer {
        refuse_null(out)?;
        let context = self.asked(call, stream)?.1.context;
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, as_pointer(context)) }
    }

    pub(in super::super) unsafe fn stream_device(
        &mut self,
        call: &Call,
        stream: CUstream,
        out: *mut CUdevice,
    ) -> Answer {
        refuse_null(out)?;
        let context = self.asked(call, stream)?.1.context;
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, i32::try_from(self.device_of(context)).unwrap_or(i32::MAX)) }
    }

    pub(in super::super) unsafe fn stream_capture_info(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
    ) -> Answer {
        refuse_null(status)?;
        let key = self.any_stream_key(call, stream)?;
        let capture = self.streams.get(&key).and_then(|stream| stream.captured).map(|captured| captured.capture);
        if let Some(capture) = capture.filter(|_| !id.is_null()) {
            // SAFETY: not null, so writable by the driver contract.
            unsafe { write_out(id, capture) }?;
        }
        // SAFETY: the driver contract.
        unsafe { self.stream_is_capturing(call, stream, status) }
    }

    /// The same with the graph and what the next operation will depend on, which no captured stream has here.
    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(in super::super) unsafe fn stream_capture_info_2(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
        graph: *mut CUgraph,
        dependencies: *mut *const c_void,
        count: *mut usize,
    ) -> Answer {
        refuse_null(status)?;
        let key = self.any_stream_key(call, stream)?;
        let wants_graph = !graph.is_null() || !dependencies.is_null() || !count.is_null();
        if wants_graph && self.is_captured(key) {
            return Err(Status::NOT_SUPPORTED);
        }
        // SAFETY: the driver contract.
        unsafe { self.stream_capture_info(call, stream, status, id) }
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(in super::super) unsafe fn stream_capture_info_3(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
        graph: *mut CUgraph,
        dependencies: *mut *const c_void,
        edges: *mut *const c_void,
        count: *mut usize,
    ) -> Answer {
        let key = self.any_stream_key(call, stream);
        if !edges.is_null() && key.is_ok_and(|key| self.is_captured(key)) {
            return Err(Status::NOT_SUPPORTED);
        }
        // SAFETY: the driver contract.
        unsafe { self.stream_capture_info_2(call, stream, status, id, graph, dependencies, count) }
    }

    pub(in super::super) unsafe fn stream_write_value_64(
        &mut self,
        call: &Call,
        stream: CUstream,
        address: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        if flags > 1 || !address.is_multiple_of(8) {
            return Err(Status::INVALID_VALUE);
        }
        // Looked at as a whole, then written by halves: nothing of the same stream sees one of them.
        // SAFETY: the driver contract.
        let _whole = unsafe { self.operand(call, key, Rows::run(address, 8), "writes") }?;
        for (at, half) in [(address, value as u32), (address + 4, (value >> 32) as u32)] {
            // SAFETY: the driver contract.
            let to = unsafe { self.operand(call, key, Rows::run(at, 4), "writes") }?;
            self.issue(call, key, Op::Fill { to, pattern: half.to_ne_bytes(), unit: 4 }, None)?;
        }
        Ok(())
    }

    pub(in super::super) fn event_record_with_flags(
        &mut self,
        call: &Call,
        event: CUevent,
        stream: CUstream,
        flags: u32,
    ) -> Answer {
        match flags {
            0 => self.event_record(call, event, stream),
            // CU_EVENT_RECORD_EXTERNAL, which only a capture allows.
            1 => Err(Status::ILLEGAL_STATE),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    pub(in super::super) unsafe fn event_elapsed_time_2(
        &mut self,
        call: &Call,
        out: *mut f32,
        start: CUevent,
        end: CUevent,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.event_elapsed_time(call, out, start, end) }
    }
}

/// The driver looks at the result's place first.
fn refuse_null<T>(out: *mut T) -> Answer {
    if out.is_null() { Err(Status::INVALID_VALUE) } else { Ok(()) }
}
