//! Events: recording, waiting and timing.

use std::time::Instant;

use super::call::{Answer, Call, as_handle, as_pointer, new_handle, write_out};
use super::capture::CapturedEvent;
use super::clock::Clock;
use super::graph::NodeId;
use super::machine::Machine;
use super::operation::Op;
use super::stream::PENDING_POLLS;
use crate::driver::ffi::{CUevent, CUstream};
use crate::error::Status;

/// `CU_EVENT_BLOCKING_SYNC`, `CU_EVENT_DISABLE_TIMING` and `CU_EVENT_INTERPROCESS`.
const KNOWN_FLAGS: u32 = 0b111;
const DISABLE_TIMING: u32 = 0b010;
const INTERPROCESS: u32 = 0b100;

/// An event.
#[derive(Debug)]
pub(super) struct Event {
    /// Its context.
    pub(super) context: u64,
    timed: bool,
    /// The operation that records it, of its last recording.
    pub(super) snapshot: Option<NodeId>,
    /// How often it was recorded.
    pub(super) recording: u64,
    /// When the last recording took place.
    pub(super) happened: Option<Instant>,
    /// What its last recording comes after.
    pub(super) recorded: Option<Clock>,
    /// The capture that it was last recorded in, and the stream.
    pub(super) captured: Option<CapturedEvent>,
    polls: u32,
}

impl Machine {
    fn event(&self, call: &Call, event: CUevent) -> Answer<&Event> {
        let Some(event) = self.events.get(&as_handle(event)) else {
            self.check_current(call)?;
            return Err(Status::INVALID_HANDLE);
        };
        self.alive(event.context)?;
        Ok(event)
    }

    pub(super) unsafe fn event_create(&mut self, call: &Call, out: *mut CUevent, flags: u32) -> Answer {
        let context = self.working(call)?;
        let timed = flags & DISABLE_TIMING == 0;
        // The driver has no timed events between processes.
        if out.is_null() || flags & !KNOWN_FLAGS != 0 || (timed && flags & INTERPROCESS != 0) {
            return Err(Status::INVALID_VALUE);
        }
        let key = new_handle();
        let event = Event {
            context,
            timed,
            snapshot: None,
            recording: 0,
            happened: None,
            recorded: None,
            captured: None,
            polls: 0,
        };
        self.events.insert(key, event);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(key)) }
    }

    /// Ends an event. What waits for its recording goes on waiting.
    pub(super) fn event_destroy(&mut self, call: &Call, event: CUevent) -> Answer {
        self.event(call, event)?;
        self.events.remove(&as_handle(event));
        Ok(())
    }

    pub(super) fn event_record(&mut self, call: &Call, event: CUevent, stream: CUstream) -> Answer {
        let key = self.stream_key(call, stream)?;
        let context = self.event(call, event)?.context;
        if self.streams.get(&key).is_none_or(|stream| stream.context != context) {
            self.report_foreign(call, "an event and a stream");
            return Err(Status::INVALID_HANDLE);
        }
        let handle = as_handle(event);
        let Some(event) = self.events.get_mut(&handle) else { return Err(Status::INVALID_HANDLE) };
        event.recording += 1;
        event.happened = None;
        event.polls = 0;
        event.captured = None;
        let recording = event.recording;
        if self.record_in_capture(key, handle) {
            return Ok(());
        }
        let id = self.issue(call, key, Op::Record { event: handle, recording }, None)?;
        if let Some(event) = self.events.get_mut(&handle) {
            event.snapshot = Some(id);
            event.recorded = self.streams.get(&key).map(|stream| stream.clock.clone());
        }
        Ok(())
    }

    pub(super) fn event_query(&mut self, call: &Call, event: CUevent) -> Answer {
        let snapshot = self.event(call, event)?.snapshot;
        self.refuse_captured_event(as_handle(event))?;
        let Some(snapshot) = snapshot.filter(|id| self.graph.is_pending(*id)) else {
            self.host_joins_event(as_handle(event));
            return Ok(());
        };
        let handle = as_handle(event);
        let Some(event) = self.events.get_mut(&handle) else { return Err(Status::INVALID_HANDLE) };
        event.polls += 1;
        if event.polls <= PENDING_POLLS {
            return Err(Status::NOT_READY);
        }
        event.polls = 0;
        self.run_ready(&[snapshot]);
        if self.graph.is_pending(snapshot) {
            return Err(Status::NOT_READY);
        }
        self.host_joins_event(handle);
        Ok(())
    }

    pub(super) fn event_synchronize(&mut self, call: &Call, event: CUevent) -> Answer {
        let snapshot = self.event(call, event)?.snapshot;
        self.refuse_captured_event(as_handle(event))?;
        match snapshot {
            Some(snapshot) => self.force(&[snapshot]),
            None => self.report_unrecorded(call, None),
        }
        self.host_joins_event(as_handle(event));
        self.trim_after_wait();
        Ok(())
    }

    pub(super) unsafe fn event_elapsed_time(
        &mut self,
        call: &Call,
        out: *mut f32,
        start: CUevent,
        end: CUevent,
    ) -> Answer {
        let (start, end) = (self.event(call, start)?, self.event(call, end)?);
        let measures = |event: &Event| event.timed && event.snapshot.is_some();
        let (foreign, measured) = (start.context != end.context, measures(start) && measures(end));
        if foreign || !measured {
            if foreign {
                self.report_foreign(call, "events");
            }
            return Err(Status::INVALID_HANDLE);
        }
        let (Some(from), Some(to)) = (start.happened, end.happened) else { return Err(Status::NOT_READY) };
        let milliseconds = to.saturating_duration_since(from).as_secs_f32() * 1e3;
        let before = from.saturating_duration_since(to).as_secs_f32() * 1e3;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, milliseconds - before) }
    }
}
