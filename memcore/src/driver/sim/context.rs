//! Contexts, and which one is current.

use std::collections::HashMap;
use std::thread::ThreadId;

use super::call::{Answer, Call, as_handle, as_pointer, new_handle, read_in, write_out};
use super::clock::{Clock, Epoch};
use super::current;
use super::graph::NodeId;
use super::machine::{Machine, Run};
#[cfg(feature = "libcuda")]
use super::memory::Kind;
use super::report::{Violation, ViolationKind};
use super::stream::{GREATEST_PRIORITY, LEAST_PRIORITY, Stream};
use crate::driver::ffi::{CAPTURE_MODE_RELAXED, CUcontext, CUdevice};
use crate::error::Status;

/// A live context: a primary one, or one that a program of the C functions made.
#[derive(Debug)]
pub(super) struct Context {
    /// The index of its device.
    pub(super) device: usize,
    /// The key of its legacy stream.
    pub(super) legacy: u64,
    /// Its blocking streams, which the legacy stream orders.
    pub(super) blocking: Vec<u64>,
    /// The last operations of blocking streams that were destroyed with work queued.
    pub(super) orphans: Vec<NodeId>,
    /// What all work of blocking streams that were destroyed comes after.
    pub(super) orphan_clock: Clock,
    /// The same of all streams that were destroyed.
    pub(super) gone_clock: Clock,
    /// The per-thread default streams that have been used.
    pub(super) per_thread: HashMap<ThreadId, u64>,
    /// What it died of.
    pub(super) dead: Option<Status>,
    /// How it was asked for, which changes nothing.
    #[cfg(feature = "libcuda")]
    pub(super) flags: u32,
}

impl Machine {
    pub(super) unsafe fn primary_context_retain(&mut self, _: &Call, out: *mut CUcontext, device: CUdevice) -> Answer {
        let index = self.device_index(device)?;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_DEVICE)?;
        device.retained += 1;
        let key = device.primary;
        #[cfg(feature = "libcuda")]
        let flags = device.primary_flags;
        if !self.contexts.contains_key(&key) {
            self.open_context(key, index);
        }
        #[cfg(feature = "libcuda")]
        if let Some(context) = self.contexts.get_mut(&key) {
            context.flags = flags;
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(key)) }
    }

    /// Makes a context of a device, with its legacy stream.
    pub(super) fn open_context(&mut self, key: u64, device: usize) {
        let legacy = new_handle();
        self.streams.insert(legacy, Stream::new(key, 0, true, self.agents.take(&self.host_clock)));
        let context = Context {
            device,
            legacy,
            blocking: Vec::new(),
            orphans: Vec::new(),
            orphan_clock: Clock::default(),
            gone_clock: Clock::default(),
            per_thread: HashMap::new(),
            dead: None,
            #[cfg(feature = "libcuda")]
            flags: 0,
        };
        self.contexts.insert(key, context);
    }

    pub(super) fn primary_context_release(&mut self, call: &Call, device: CUdevice) -> Answer {
        let index = self.device_index(device)?;
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_DEVICE)?;
        let (key, left) = (device.primary, device.retained.checked_sub(1).ok_or(Status::INVALID_CONTEXT)?);
        if left == 0 && self.force_first(&self.graph.of_context(key)) == Run::Later {
            return Ok(());
        }
        if let Some(device) = self.devices.get_mut(index) {
            device.retained = left;
        }
        if left == 0 {
            self.destroy_context(call, key);
        }
        Ok(())
    }

    /// Ends a context. Its device memory is gone; host memory and managed memory stay mapped, for they may have owners: of a
    /// context that a program made only managed memory does.
    pub(super) fn destroy_context(&mut self, call: &Call, key: u64) {
        let dead = self.contexts.get(&key).is_some_and(|context| context.dead.is_some());
        let left: Vec<_> = self.memory.iter().filter(|one| one.context == key).map(|one| (one.id, one.kind)).collect();
        for (id, kind) in left {
            if !dead {
                self.report_leak(id);
            } else if let Some(one) = self.memory.get_mut(id) {
                // Frees are refused in a dead context: what it leaves is the fault's doing.
                one.accounted_for = true;
            }
            if kind.is_device() {
                self.free_device(id, call.place);
            }
            #[cfg(feature = "libcuda")]
            if kind == Kind::Locked && self.made_contexts.contains_key(&key) {
                // SAFETY: by the driver contract a program does not use memory of a context that it has destroyed.
                unsafe { self.free_locked(id, call.place) };
            }
        }
        self.forget_mappings(key);
        self.contexts.remove(&key);
        self.peers.retain(|(of, to)| *of != key && *to != key);
        let gone: Vec<_> =
            self.streams.iter().filter(|(_, stream)| stream.context == key).map(|(key, _)| *key).collect();
        for key in gone {
            self.end_capture_of_gone(key);
        }
        #[cfg(feature = "libcuda")]
        if self.made_contexts.contains_key(&key) {
            let gone = self.streams.iter().filter(|(_, stream)| stream.context == key);
            self.gone_streams.extend(gone.map(|(stream, _)| *stream));
        }
        for (_, stream) in self.streams.extract_if(|_, stream| stream.context == key) {
            self.agents.release(Epoch { agent: stream.agent, number: stream.clock.of(stream.agent) });
            // Its work has run: the context's end waited for it.
            self.host_clock.join(&stream.clock);
        }
        self.events.retain(|_, event| event.context != key);
    }

    #[allow(clippy::unused_self, reason = "every entry point is a method of the machine")]
    pub(super) unsafe fn context_current(&mut self, call: &Call, out: *mut CUcontext) -> Answer {
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(call.current)) }
    }

    pub(super) fn context_set_current(&mut self, _: &Call, context: CUcontext) -> Answer {
        let key = as_handle(context);
        // A context that was released may be made current: the calls after it fail.
        if key != 0 {
            self.check_was_context(key)?;
        }
        current::set(&self.token, key);
        Ok(())
    }

    /// The device of a context that is, or was.
    pub(super) fn device_that_was(&self, key: u64) -> Option<usize> {
        let primary = self.devices.iter().position(|device| device.primary == key);
        #[cfg(feature = "libcuda")]
        let primary = primary.or_else(|| self.made_contexts.get(&key).copied());
        primary
    }

    /// Refuses what was never a context.
    pub(super) fn check_was_context(&self, key: u64) -> Answer {
        self.device_that_was(key).map(|_| ()).ok_or(Status::INVALID_CONTEXT)
    }

    pub(super) unsafe fn stream_priority_range(&mut self, call: &Call, least: *mut i32, greatest: *mut i32) -> Answer {
        self.working(call)?;
        // Either may be left out.
        for (out, value) in [(least, LEAST_PRIORITY), (greatest, GREATEST_PRIORITY)] {
            if !out.is_null() {
                // SAFETY: writable by the driver contract.
                unsafe { write_out(out, value)? };
            }
        }
        Ok(())
    }

    pub(super) fn context_synchronize(&mut self, call: &Call) -> Answer {
        let key = self.working(call)?;
        let pending = self.graph.of_context(key);
        self.force(&pending);
        self.host_joins_context(key);
        self.trim_after_wait();
        Ok(())
    }

    /// Reports a call that needed a context and had none.
    pub(super) fn report_context(&mut self, call: &Call, answer: Answer) {
        let what = match answer {
            Err(Status::INVALID_CONTEXT) if call.current == 0 => "with no context current on its thread",
            Err(Status::CONTEXT_IS_DESTROYED) if self.context(call).is_err() => "in a context that is gone",
            _ => return,
        };
        self.report_wrong_context(call, what);
    }

    pub(super) fn report_wrong_context(&mut self, call: &Call, what: &str) {
        let summary = format!("{} was called {what}", call.label());
        let help = "make a context current that is open, on the thread that makes the call";
        let kind = ViolationKind::WrongContext;
        self.reports.push(Violation::new(kind, call.operation(), call.place, summary, help));
    }

    /// Reports an operation on an event and a stream, or two events, of different contexts.
    pub(super) fn report_foreign(&mut self, call: &Call, what: &str) {
        let summary = format!("{} of {what} of different contexts", call.label());
        let help = "record an event on streams of its own context; any stream may wait for it";
        let kind = ViolationKind::WrongContext;
        self.reports.push(Violation::new(kind, call.operation(), call.place, summary, help));
    }

    #[allow(clippy::unused_self, reason = "every entry point is a method of the machine")]
    pub(super) unsafe fn exchange_capture_mode(&mut self, _: &Call, mode: *mut u32) -> Answer {
        // SAFETY: the driver contract.
        let wanted = unsafe { read_in(mode) }?;
        if wanted > CAPTURE_MODE_RELAXED {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: as above, and good for a write.
        unsafe { write_out(mode, current::exchange_capture_mode(wanted)) }
    }
}
