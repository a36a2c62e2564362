//! Stream captures: which calls they forbid, and what those do to them. What is captured is checked and forgotten, since
//! graphs cannot be launched here. memcore itself queues nothing on a captured stream: the entry points here answer other
//! callers of the driver, and `driver::conformance` compares them with a GPU's.
//!
//! The codes are those that an H200 gave (`scripts/probes/capture.py`, `scripts/probes/arrays.py`), but for those of `cuMemAllocFromPoolAsync` and
//! `cuMemAllocPitch`, which are taken from `cuMemAllocAsync` and `cuMemAlloc`, of merged captures, and of one that another
//! stream's handle ends: these are as documented.

use std::thread::{self, ThreadId};

use super::call::{Answer, Call, as_handle, as_pointer, new_handle, write_out};
use super::current;
use super::graph::NodeId;
use super::machine::Machine;
use super::operation::Op;
use crate::driver::ffi::{
    CAPTURE_MODE_GLOBAL, CAPTURE_MODE_RELAXED, CAPTURE_MODE_THREAD_LOCAL, CAPTURE_NONE, CUgraph, CUstream,
};
use crate::error::Status;

/// `CU_STREAM_CAPTURE_STATUS_ACTIVE` and `_INVALIDATED`.
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

/// The number of an operation that was captured: none that is queued has it.
const NOT_QUEUED: NodeId = 0;

/// The calls that a capture in the wrong mode forbids.
const UNSAFE: [&str; 21] = [
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuEventSynchronize",
    "cuEventQuery",
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemFree_v2",
    "cuMemAllocAsync",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemAllocManaged",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuMemHostRegister_v2",
    "cuMemHostUnregister",
    "cuStreamAttachMemAsync",
    "cuMemAdvise",
    "cuMemPoolTrimTo",
    "cuArrayCreate_v2",
    "cuArray3DCreate_v2",
    "cuArrayDestroy",
];

/// A capture.
#[derive(Debug)]
pub(super) struct Capture {
    mode: u32,
    /// Who began it.
    thread: ThreadId,
    /// On which stream.
    origin: u64,
    context: u64,
    is_valid: bool,
}

/// What a stream has to do with a capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captured {
    pub(super) capture: u64,
    /// How many operations of it were captured.
    work: u64,
    /// How many of these a stream of the capture has waited for.
    joined: u64,
}

/// The capture that an event was last recorded in, the stream, and how much work it comes after.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedEvent {
    capture: u64,
    stream: u64,
    work: u64,
}

impl Machine {
    /// Refuses a call that a capture forbids, which invalidates the capture.
    pub(super) fn check_captures(&mut self, call: &Call) -> Answer {
        if self.captures.is_empty() {
            return Ok(());
        }
        let (mode, thread) = (current::capture_mode(), thread::current().id());
        let forbids = |capture: &Capture| match call.symbol {
            "cuCtxSynchronize" => capture.context == call.current,
            symbol if UNSAFE.contains(&symbol) => {
                let own = capture.thread == thread && capture.mode != CAPTURE_MODE_RELAXED;
                let others = capture.thread != thread && capture.mode == CAPTURE_MODE_GLOBAL;
                match mode {
                    CAPTURE_MODE_GLOBAL => own || others,
                    CAPTURE_MODE_THREAD_LOCAL => own,
                    _ => false,
                }
            }
            _ => false,
        };
        let mut refused = false;
        for capture in self.captures.values_mut().filter(|capture| forbids(capture)) {
            capture.is_valid = false;
            refused = true;
        }
        if refused { Err(Status::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    fn captured(&self, stream: u64) -> Option<Captured> {
        self.streams.get(&stream)?.captured
    }

    /// Whether the stream is being captured.
    pub(super) fn is_captured(&self, stream: u64) -> bool {
        self.captured(stream).is_some()
    }

    fn invalidate(&mut self, capture: u64) {
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.is_valid = false;
        }
    }

    /// What `cuStreamIsCapturing` says of a stream.
    pub(super) fn capture_status(&self, stream: u64) -> u32 {
        let capture = self.captured(stream).and_then(|captured| self.captures.get(&captured.capture));
        capture.map_or(CAPTURE_NONE, |capture| if capture.is_valid { ACTIVE } else { INVALIDATED })
    }

    /// The captures that the legacy stream would be drawn into, since it orders a stream that is captured.
    fn drawn_in(&self, stream: u64) -> Vec<u64> {
        let Some(context) = self.streams.get(&stream).and_then(|stream| self.contexts.get(&stream.context)) else {
            return Vec::new();
        };
        if self.captures.is_empty() || context.legacy != stream {
            return Vec::new();
        }
        context.blocking.iter().filter_map(|stream| Some(self.captured(*stream)?.capture)).collect()
    }

    /// Whether `stream` is a legacy stream that would be drawn into a capture.
    pub(super) fn is_legacy_in_capture(&self, stream: u64) -> bool {
        !self.drawn_in(stream).is_empty()
    }

    /// Refuses work on a stream whose capture is not valid any more, and on a legacy stream that would be drawn in.
    pub(super) fn check_capture_of(&mut self, stream: u64) -> Answer {
        let drawn_in = self.drawn_in(stream);
        for capture in &drawn_in {
            self.invalidate(*capture);
        }
        if !drawn_in.is_empty() {
            return Err(Status::STREAM_CAPTURE_IMPLICIT);
        }
        if self.capture_status(stream) == INVALIDATED {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        Ok(())
    }

    /// Refuses what cannot be captured, which invalidates the capture.
    pub(super) fn refuse_captured(&mut self, stream: u64) -> Answer {
        let Some(captured) = self.captured(stream) else { return Ok(()) };
        self.invalidate(captured.capture);
        Err(Status::STREAM_CAPTURE_UNSUPPORTED)
    }

    /// Captures an operation, if its stream is captured: it is not queued.
    pub(super) fn note_captured(&mut self, stream: u64, op: &Op) -> Option<NodeId> {
        let captured = self.streams.get_mut(&stream)?.captured.as_mut()?;
        captured.work += u64::from(!matches!(op, Op::Barrier | Op::Wait));
        Some(NOT_QUEUED)
    }

    /// Records an event in a capture, if the stream is captured.
    pub(super) fn record_in_capture(&mut self, stream: u64, event: u64) -> bool {
        let Some(Captured { capture, work, .. }) = self.captured(stream) else { return false };
        if let Some(event) = self.events.get_mut(&event) {
            event.snapshot = None;
            event.captured = Some(CapturedEvent { capture, stream, work });
        }
        true
    }

    /// The capture that an event was last recorded in, if it goes on.
    fn capture_of_event(&self, event: u64) -> Option<CapturedEvent> {
        self.events.get(&event)?.captured.filter(|event| self.captures.contains_key(&event.capture))
    }

    /// Refuses to look at an event that was recorded in a capture, which invalidates the capture.
    pub(super) fn refuse_captured_event(&mut self, event: u64) -> Answer {
        let Some(event) = self.capture_of_event(event) else { return Ok(()) };
        self.invalidate(event.capture);
        Err(Status::CAPTURED_EVENT)
    }

    /// Lets a stream wait for an event where either is captured; whether that is so. A stream that waits for a captured
    /// event is captured from then on.
    pub(super) fn wait_in_capture(&mut self, stream: u64, event: u64) -> Answer<bool> {
        match (self.captured(stream), self.capture_of_event(event)) {
            (None, None) => Ok(false),
            (Some(captured), None) => {
                self.invalidate(captured.capture);
                Err(Status::STREAM_CAPTURE_ISOLATION)
            }
            (Some(captured), Some(event)) if captured.capture != event.capture => {
                self.invalidate(captured.capture);
                self.invalidate(event.capture);
                Err(Status::STREAM_CAPTURE_MERGE)
            }
            (Some(_), Some(event)) => {
                let waited_for = self.streams.get_mut(&event.stream).and_then(|stream| stream.captured.as_mut());
                if let Some(waited_for) = waited_for {
                    waited_for.joined = waited_for.joined.max(event.work);
                }
                Ok(true)
            }
            (None, Some(event)) => {
                if let Some(stream) = self.streams.get_mut(&stream) {
                    stream.captured = Some(Captured { capture: event.capture, work: 0, joined: 0 });
                }
                Ok(true)
            }
        }
    }

    pub(super) fn stream_begin_capture(&mut self, call: &Call, stream: CUstream, mode: u32) -> Answer {
        let key = self.stream_key(call, stream)?;
        if mode > CAPTURE_MODE_RELAXED {
            return Err(Status::INVALID_VALUE);
        }
        let Some(stream) = self.streams.get_mut(&key) else { return Err(Status::INVALID_HANDLE) };
        if stream.number == 0 {
            return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
        }
        if stream.captured.is_some() {
            return Err(Status::ILLEGAL_STATE);
        }
        let capture = new_handle();
        stream.captured = Some(Captured { capture, work: 0, joined: 0 });
        let (thread, context) = (thread::current().id(), stream.context);
        self.captures.insert(capture, Capture { mode, thread, origin: key, context, is_valid: true });
        Ok(())
    }

    pub(super) unsafe fn stream_end_capture(&mut self, call: &Call, stream: CUstream, out: *mut CUgraph) -> Answer {
        let key = self.any_stream_key(call, stream)?;
        let id = self.captured(key).ok_or(Status::ILLEGAL_STATE)?.capture;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let Some(capture) = self.captures.get(&id) else { return Err(Status::ILLEGAL_STATE) };
        if capture.origin != key {
            self.invalidate(id);
            return Err(Status::STREAM_CAPTURE_UNMATCHED);
        }
        let wrong_thread = capture.mode != CAPTURE_MODE_RELAXED && capture.thread != thread::current().id();
        let is_valid = capture.is_valid;
        let unjoined = self.end_capture(id, key);
        if wrong_thread {
            return Err(Status::STREAM_CAPTURE_WRONG_THREAD);
        }
        if !is_valid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        if unjoined {
            return Err(Status::STREAM_CAPTURE_UNJOINED);
        }
        let graph = new_handle();
        self.captured_graphs.insert(graph);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(graph)) }
    }

    /// Ends a capture; whether another stream has work in it that the first one does not come after.
    fn end_capture(&mut self, capture: u64, origin: u64) -> bool {
        self.captures.remove(&capture);
        let mut unjoined = false;
        for (key, stream) in &mut self.streams {
            if let Some(captured) = stream.captured.take_if(|captured| captured.capture == capture) {
                unjoined |= *key != origin && captured.work > captured.joined;
            }
        }
        unjoined
    }

    /// Ends the capture that a stream which is gone had begun.
    pub(super) fn end_capture_of_gone(&mut self, stream: u64) {
        let capture = self.captures.iter().find(|(_, capture)| capture.origin == stream).map(|(id, _)| *id);
        if let Some(capture) = capture {
            self.end_capture(capture, stream);
        }
    }

    pub(super) fn graph_destroy(&mut self, _: &Call, graph: CUgraph) -> Answer {
        if self.captured_graphs.remove(&as_handle(graph)) { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }
}
