//! What only programs of other libraries ask of streams, and have them do.

use core::ffi::c_void;

use super::super::call::{Answer, Call, as_pointer, write_out};
use super::super::host_function::Function;
use super::super::machine::Machine;
use super::super::operation::Op;
use super::super::stream::Stream;
use crate::driver::ffi::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUgraph, CUstream, Handle, STREAM_NON_BLOCKING};
use crate::error::Status;

/// `CUstreamCallback`.
pub(super) type StreamCallback = Option<unsafe extern "C" fn(CUstream, u32, *mut c_void)>;

/// `CU_EVENT_RECORD_EXTERNAL`, which only a capture allows.
const RECORD_EXTERNAL: u32 = 1;

impl Machine {
    pub(in super::super) unsafe fn stream_create_plain(
        &mut self,
        call: &Call,
        out: *mut CUstream,
        flags: u32,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the driver contract.
        unsafe { self.stream_create(call, out, flags, 0) }
    }

    /// Writes what is asked of a stream, which does not matter to what is queued on it.
    ///
    /// # Safety
    ///
    /// `out` is null or good for a write.
    unsafe fn ask_stream<T>(
        &mut self,
        call: &Call,
        stream: CUstream,
        out: *mut T,
        answer: impl FnOnce(&Self, u64, &Stream) -> T,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.any_stream_key(call, stream)?;
        let stream = self.streams.get(&key).ok_or(Status::INVALID_HANDLE)?;
        // SAFETY: this function's contract.
        unsafe { write_out(out, answer(self, key, stream)) }
    }

    pub(in super::super) unsafe fn stream_flags(&mut self, call: &Call, stream: CUstream, out: *mut u32) -> Answer {
        let flags = |_: &Self, _: u64, stream: &Stream| if stream.blocking { 0 } else { STREAM_NON_BLOCKING };
        // SAFETY: the driver contract of `out`.
        unsafe { self.ask_stream(call, stream, out, flags) }
    }

    pub(in super::super) unsafe fn stream_priority(&mut self, call: &Call, stream: CUstream, out: *mut i32) -> Answer {
        // SAFETY: the driver contract of `out`.
        unsafe { self.ask_stream(call, stream, out, |_, _, stream| stream.priority) }
    }

    pub(in super::super) unsafe fn stream_id(&mut self, call: &Call, stream: CUstream, out: *mut u64) -> Answer {
        // SAFETY: the driver contract of `out`.
        unsafe { self.ask_stream(call, stream, out, |_, key, _| key) }
    }

    pub(in super::super) unsafe fn stream_context(
        &mut self,
        call: &Call,
        stream: CUstream,
        out: *mut CUcontext,
    ) -> Answer {
        // SAFETY: the driver contract of `out`.
        unsafe { self.ask_stream(call, stream, out, |_, _, stream| as_pointer(stream.context)) }
    }

    pub(in super::super) unsafe fn stream_device(
        &mut self,
        call: &Call,
        stream: CUstream,
        out: *mut CUdevice,
    ) -> Answer {
        let device = |machine: &Self, _: u64, stream: &Stream| {
            i32::try_from(machine.device_of(stream.context)).unwrap_or(i32::MAX)
        };
        // SAFETY: the driver contract of `out`.
        unsafe { self.ask_stream(call, stream, out, device) }
    }

    /// No capture takes a callback.
    pub(in super::super) fn stream_add_callback(
        &mut self,
        call: &Call,
        stream: CUstream,
        callback: StreamCallback,
        data: *mut c_void,
        flags: u32,
    ) -> Answer {
        let Some(callback) = callback.filter(|_| flags == 0) else { return Err(Status::INVALID_VALUE) };
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        self.queue_function(call, key, Function::Callback(callback, Handle(stream)), data)
    }

    pub(in super::super) unsafe fn stream_write_value_64(
        &mut self,
        call: &Call,
        stream: CUstream,
        address: CUdeviceptr,
        value: u64,
        flags: u32,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.write_value(call, stream, address, &value.to_ne_bytes(), flags) }
    }

    pub(in super::super) fn event_record_with(
        &mut self,
        call: &Call,
        event: CUevent,
        stream: CUstream,
        flags: u32,
    ) -> Answer {
        match flags {
            0 => self.event_record(call, event, stream),
            RECORD_EXTERNAL => {
                self.check_event(call, event)?;
                let key = self.stream_key(call, stream)?;
                if !self.is_captured(key) {
                    return Err(Status::ILLEGAL_STATE);
                }
                // It would be recorded when the graph runs, and no graph does.
                self.issue(call, key, Op::Wait, None).map(|_| ())
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    pub(in super::super) unsafe fn stream_capture_info(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
    ) -> Answer {
        use core::ptr::null_mut;
        // SAFETY: the driver contract of both.
        unsafe { self.stream_capture_info_2(call, stream, status, id, null_mut(), null_mut(), null_mut()) }
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(in super::super) unsafe fn stream_capture_info_2(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
        graph: *mut CUgraph,
        nodes: *mut *const c_void,
        count: *mut usize,
    ) -> Answer {
        // SAFETY: the driver contract of all.
        unsafe { self.stream_capture_info_3(call, stream, status, id, graph, nodes, core::ptr::null_mut(), count) }
    }

    /// What is captured is forgotten, so that the graph, whose number is the capture's, has no nodes.
    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(in super::super) unsafe fn stream_capture_info_3(
        &mut self,
        call: &Call,
        stream: CUstream,
        status: *mut u32,
        id: *mut u64,
        graph: *mut CUgraph,
        nodes: *mut *const c_void,
        edges: *mut *const c_void,
        count: *mut usize,
    ) -> Answer {
        if status.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the driver contract.
        unsafe { self.stream_is_capturing(call, stream, status) }?;
        let key = self.any_stream_key(call, stream)?;
        let Some(capture) = self.capture_of(key) else { return Ok(()) };
        // SAFETY: the driver contract.
        unsafe { write_wanted(id, capture) }?;
        // SAFETY: as above.
        unsafe { write_wanted(graph, as_pointer(capture)) }?;
        for none in [nodes, edges] {
            // SAFETY: as above.
            unsafe { write_wanted(none, core::ptr::null()) }?;
        }
        // SAFETY: as above.
        unsafe { write_wanted(count, 0) }
    }
}

/// Writes to a place that is null where that is not asked for.
///
/// # Safety
///
/// `out` is null or good for a write.
unsafe fn write_wanted<T>(out: *mut T, value: T) -> Answer {
    if out.is_null() {
        return Ok(());
    }
    // SAFETY: this function's contract.
    unsafe { write_out(out, value) }
}
