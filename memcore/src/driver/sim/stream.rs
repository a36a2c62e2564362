//! Streams: what is queued after what, and waiting for it.

use super::call::{Answer, Call, as_handle, as_pointer, new_handle, write_out};
use super::capture::Captured;
use super::clock::{Agent, Clock, Epoch};
use super::current;
use super::graph::NodeId;
use super::machine::Machine;
use super::operation::Op;
use super::rows::Rows;
use crate::driver::ffi::{CUdeviceptr, CUevent, CUstream, STREAM_NON_BLOCKING};
use crate::error::Status;

/// The priorities that there are, as an H200 has them; here they change nothing.
pub(super) const LEAST_PRIORITY: i32 = 0;
pub(super) const GREATEST_PRIORITY: i32 = -5;
/// The legacy stream's handle beside null.
const STREAM_LEGACY: u64 = 1;
/// The per-thread default stream's handle.
const STREAM_PER_THREAD: u64 = 2;
/// A query answers so often that work is pending, before the work goes on.
pub(super) const PENDING_POLLS: u32 = 3;

/// A stream.
#[derive(Debug)]
pub(super) struct Stream {
    /// Its context.
    pub(super) context: u64,
    /// Its number in reports, 0 for a legacy stream.
    pub(super) number: u64,
    /// Whether it is ordered with the legacy stream; true of the legacy stream itself.
    pub(super) blocking: bool,
    /// As it was asked for, which changes nothing.
    #[cfg(feature = "libcuda")]
    pub(super) priority: i32,
    /// The operation that was queued last.
    pub(super) tail: Option<NodeId>,
    /// How often a query answered "pending" since work last went on.
    pub(super) polls: u32,
    /// The capture that it is part of.
    pub(super) captured: Option<Captured>,
    /// Who counts its operations.
    pub(super) agent: Agent,
    /// What its next operation comes after.
    pub(super) clock: Clock,
}

impl Stream {
    /// A stream whose operations an agent counts that counted `before` others.
    pub(super) fn new(context: u64, number: u64, blocking: bool, (agent, before): (Agent, u64)) -> Self {
        let mut clock = Clock::default();
        clock.raise(Epoch { agent, number: before });
        Self {
            context,
            number,
            blocking,
            #[cfg(feature = "libcuda")]
            priority: 0,
            tail: None,
            polls: 0,
            captured: None,
            agent,
            clock,
        }
    }
}

impl Machine {
    /// The key of the stream that a handle means. A stream made by the program brings its context; a default stream is
    /// the current context's.
    pub(super) fn any_stream_key(&mut self, call: &Call, stream: CUstream) -> Answer<u64> {
        let key = match as_handle(stream) {
            0..=STREAM_PER_THREAD if current::in_host_function(&self.token) => return Err(Status::NOT_PERMITTED),
            0 if call.is_per_thread => self.per_thread_key(call)?,
            0 | STREAM_LEGACY => self.contexts.get(&self.context(call)?).map_or(0, |context| context.legacy),
            STREAM_PER_THREAD => self.per_thread_key(call)?,
            key => key,
        };
        if self.streams.contains_key(&key) {
            return Ok(key);
        }
        #[cfg(feature = "libcuda")]
        if self.gone_streams.contains(&key) {
            return Err(Status::INVALID_CONTEXT);
        }
        self.check_current(call)?;
        Err(Status::INVALID_HANDLE)
    }

    /// The key of the calling thread's own default stream, in the current context.
    fn per_thread_key(&mut self, call: &Call) -> Answer<u64> {
        let (context, thread) = (self.context(call)?, std::thread::current().id());
        let known = self.contexts.get(&context).and_then(|context| context.per_thread.get(&thread));
        if let Some(key) = known {
            return Ok(*key);
        }
        let key = self.new_stream(context, true);
        if let Some(context) = self.contexts.get_mut(&context) {
            context.per_thread.insert(thread, key);
        }
        Ok(key)
    }

    fn new_stream(&mut self, context: u64, blocking: bool) -> u64 {
        self.stream_count += 1;
        let key = new_handle();
        let stream = Stream::new(context, self.stream_count, blocking, self.agents.take(&self.host_clock));
        self.streams.insert(key, stream);
        if let Some(context) = self.contexts.get_mut(&context).filter(|_| blocking) {
            context.blocking.push(key);
        }
        key
    }

    /// The key of a stream whose context is not dead and that work can be queued on, if only in a capture.
    pub(super) fn stream_key(&mut self, call: &Call, stream: CUstream) -> Answer<u64> {
        let key = self.any_stream_key(call, stream)?;
        self.alive(self.streams.get(&key).map_or(0, |stream| stream.context))?;
        self.check_capture_of(key)?;
        Ok(key)
    }

    /// The key of the current context's legacy stream.
    pub(super) fn legacy_key(&mut self, call: &Call) -> Answer<u64> {
        self.stream_key(call, core::ptr::null_mut())
    }

    /// What the next operation of a stream comes after.
    pub(super) fn before_next(&self, key: u64) -> Vec<NodeId> {
        let Some(stream) = self.streams.get(&key) else { return Vec::new() };
        let mut before: Vec<_> = stream.tail.into_iter().collect();
        let Some(context) = self.contexts.get(&stream.context).filter(|_| stream.blocking) else { return before };
        if context.legacy == key {
            before.extend_from_slice(&context.orphans);
            before.extend(context.blocking.iter().filter_map(|key| self.streams.get(key)?.tail));
        } else {
            before.extend(self.streams.get(&context.legacy).and_then(|legacy| legacy.tail));
        }
        before
    }

    /// What a wait for a stream waits for.
    fn outstanding(&self, key: u64) -> Vec<NodeId> {
        let is_legacy = self.streams.get(&key).is_some_and(|stream| stream.number == 0);
        let mut before = if is_legacy {
            self.before_next(key)
        } else {
            self.streams.get(&key).and_then(|s| s.tail).into_iter().collect()
        };
        before.retain(|id| self.graph.is_pending(*id));
        before
    }

    /// Makes a stream. The driver takes any priority, to the nearest that it has; here priorities change nothing.
    pub(super) unsafe fn stream_create(
        &mut self,
        call: &Call,
        out: *mut CUstream,
        flags: u32,
        #[cfg_attr(not(feature = "libcuda"), expect(unused_variables, reason = "only programs of others ask for it"))]
        priority: i32,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let context = self.working(call)?;
        if flags & !STREAM_NON_BLOCKING != 0 {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.new_stream(context, flags & STREAM_NON_BLOCKING == 0);
        #[cfg(feature = "libcuda")]
        if let Some(stream) = self.streams.get_mut(&key) {
            stream.priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(key)) }
    }

    /// Ends a stream. Its queued work stays queued, and in order with the legacy stream.
    pub(super) fn stream_destroy(&mut self, call: &Call, stream: CUstream) -> Answer {
        if [0, STREAM_LEGACY, STREAM_PER_THREAD].contains(&as_handle(stream)) {
            return Err(Status::INVALID_HANDLE);
        }
        let key = self.any_stream_key(call, stream)?;
        self.alive(self.streams.get(&key).map_or(0, |stream| stream.context))?;
        let Some(stream) = self.streams.remove(&key) else { return Err(Status::INVALID_HANDLE) };
        self.end_capture_of_gone(key);
        self.detach_from(key);
        let graph = &self.graph;
        if let Some(context) = self.contexts.get_mut(&stream.context).filter(|_| stream.blocking) {
            context.blocking.retain(|other| *other != key);
            context.orphans.retain(|id| graph.is_pending(*id));
            context.orphans.extend(stream.tail.filter(|id| graph.is_pending(*id)));
            context.orphan_clock.join(&stream.clock);
        }
        if let Some(context) = self.contexts.get_mut(&stream.context) {
            context.gone_clock.join(&stream.clock);
        }
        self.agents.release(Epoch { agent: stream.agent, number: stream.clock.of(stream.agent) });
        Ok(())
    }

    pub(super) fn stream_synchronize(&mut self, call: &Call, stream: CUstream) -> Answer {
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        let outstanding = self.outstanding(key);
        self.force(&outstanding);
        self.host_joins(key);
        self.trim_after_wait();
        Ok(())
    }

    pub(super) fn stream_query(&mut self, call: &Call, stream: CUstream) -> Answer {
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        let outstanding = self.outstanding(key);
        if outstanding.is_empty() {
            self.host_joins(key);
            return Ok(());
        }
        let Some(stream) = self.streams.get_mut(&key) else { return Err(Status::INVALID_HANDLE) };
        stream.polls += 1;
        if stream.polls <= PENDING_POLLS {
            return Err(Status::NOT_READY);
        }
        stream.polls = 0;
        self.run_ready(&outstanding);
        if !self.outstanding(key).is_empty() {
            return Err(Status::NOT_READY);
        }
        self.host_joins(key);
        Ok(())
    }

    pub(super) fn stream_wait_event(&mut self, call: &Call, stream: CUstream, event: CUevent, flags: u32) -> Answer {
        let key = self.stream_key(call, stream)?;
        let event = as_handle(event);
        let snapshot = self.events.get(&event).ok_or(Status::INVALID_HANDLE)?.snapshot;
        match flags {
            0 => {}
            // CU_EVENT_WAIT_EXTERNAL, which only a capture allows.
            1 => return Err(Status::ILLEGAL_STATE),
            _ => return Err(Status::INVALID_VALUE),
        }
        if self.wait_in_capture(key, event)? {
            return Ok(());
        }
        self.wait_in_order(call, key, event);
        if let Some(snapshot) = snapshot.filter(|id| self.graph.is_pending(*id)) {
            self.issue(call, key, Op::Wait, Some(snapshot))?;
        }
        Ok(())
    }

    pub(super) unsafe fn stream_is_capturing(&mut self, call: &Call, stream: CUstream, out: *mut u32) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.any_stream_key(call, stream)?;
        if self.is_legacy_in_capture(key) {
            return Err(Status::STREAM_CAPTURE_IMPLICIT);
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, self.capture_status(key)) }
    }

    pub(super) unsafe fn stream_write_value_32(
        &mut self,
        call: &Call,
        stream: CUstream,
        address: CUdeviceptr,
        value: u32,
        flags: u32,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        if flags > 1 || !address.is_multiple_of(4) {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the driver contract.
        let to = unsafe { self.operand(call, key, Rows::run(address, 4), "writes") }?;
        self.issue(call, key, Op::Fill { to, pattern: value.to_ne_bytes(), unit: 4 }, None)?;
        Ok(())
    }
}
