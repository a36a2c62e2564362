//! The threads that work on one copy: one speaks with the driver, and all copy between the program's memory and the slots.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::HostCopy;
use super::host_copy::Part;
use super::plan::Plan;
use super::slots::{Side, Slots};
use crate::context::{Events, RawStream};
use crate::copy::operation::Refused;
use crate::crew::Teamwork;
use crate::driver::Driver;
use crate::error::Result;
use crate::spin::Watch;

/// Bytes that the leading thread copies before it looks after the device again.
const STEP: usize = 128 << 10;

/// How long the device is watched before the driver is asked to wait: longer than the slots of a copy take.
const PATIENCE: Duration = Duration::from_millis(2);

/// One copy, as its threads share it.
pub(super) struct Team<'t> {
    driver: &'t dyn Driver,
    stream: &'t RawStream,
    copy: &'t HostCopy,
    plan: &'t Plan,
    slots: Slots,
    /// One for each slot.
    events: Events<'t>,
    parts: usize,
    /// The next part that no thread has copied, or copies.
    next: AtomicUsize,
    /// Set when the leading thread has ended: nothing more is to be waited for.
    is_over: AtomicBool,
}

/// Tells the helpers that it is over, however the leading thread ends.
struct End<'e>(&'e AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// How far the device is: it has copied the parts below the one, and those below the other are queued.
#[derive(Default)]
struct Progress {
    done: usize,
    queued: usize,
}

impl<'t> Team<'t> {
    /// # Safety
    ///
    /// As [`HostCopy::copy`]; the slots are this operation's until the stream was waited for, and as many as the events.
    pub(super) unsafe fn new(
        driver: &'t dyn Driver,
        stream: &'t RawStream,
        copy: &'t HostCopy,
        plan: &'t Plan,
        slots: Slots,
        events: Events<'t>,
    ) -> Self {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { driver, stream, copy, plan, slots, events, parts: copy.parts(plan.part_bytes), next, is_over }
    }

    fn part(&self, number: usize) -> Part {
        self.copy.part(number, self.plan.part_bytes)
    }

    /// The number of a part that no thread has.
    fn take(&self) -> Option<usize> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.parts).then_some(number)
    }

    /// Whether the host may copy a part: an upload's slot is free, a download's filled.
    fn is_ready(&self, number: usize) -> bool {
        if self.copy.is_upload {
            self.slots.is_free(number, Side::Device)
        } else {
            self.slots.is_done(number, Side::Device)
        }
    }

    /// The host's copy of a step of a part; whether it was the last, with which the part is done.
    ///
    /// # Safety
    ///
    /// This thread has [taken](Self::take) the part, and it [is ready](Self::is_ready).
    unsafe fn copy_step(&self, number: usize, step: usize, bytes: usize) -> bool {
        let part = self.part(number);
        let (of_step, offset) = part.step(step, bytes);
        let slot = self.slots.start(number).wrapping_add(offset);
        // SAFETY: by the contract of `new` the program's memory is this copy's, of it the part this thread's; so is the slot
        // of a part that is ready.
        unsafe { self.copy.host_copy(of_step, slot, self.plan.non_temporal) };
        let is_last = step + 1 == part.steps(bytes);
        if is_last {
            self.slots.done(number, Side::Host);
        }
        is_last
    }

    /// Queues the device's copies of the next parts, as far as their slots are filled, or free.
    #[track_caller]
    fn queue(&self, progress: &mut Progress) -> Result<()> {
        while progress.queued < self.parts {
            let number = progress.queued;
            let is_ready = if self.copy.is_upload {
                self.slots.is_done(number, Side::Host)
            } else {
                self.slots.is_free(number, Side::Host)
            };
            if !is_ready {
                break;
            }
            let (part, slot, stream) = (self.part(number), self.slots.start(number), self.stream.handle());
            // SAFETY: by the contract of `new`; the slot is left alone until this is found done.
            let queued = unsafe { self.copy.operation(part, slot.cast()).queue(self.driver, stream) };
            // No closure: the line that a report names does not pass through it.
            if let Err(refused) = queued {
                return Err(Refused::into_error(refused));
            }
            progress.queued += 1;
            if self.is_followed(number) {
                // SAFETY: the stream is alive and its context bound.
                unsafe { self.events.record(self.slots.index(number), stream)? };
            }
        }
        Ok(())
    }

    /// Whether anyone has to know when the device has copied a part: of an upload only if its slot is used again.
    fn is_followed(&self, number: usize) -> bool {
        !self.copy.is_upload || number + self.slots.count() < self.parts
    }

    /// Notes what the device has done; `waits` for one part at least.
    #[track_caller]
    fn note_done(&self, progress: &mut Progress, mut waits: bool) -> Result<()> {
        while progress.done < progress.queued && self.is_followed(progress.done) {
            let slot = self.slots.index(progress.done);
            if waits {
                self.events.synchronize(slot)?;
                waits = false;
            } else if !self.events.query(slot)? {
                break;
            }
            self.slots.done(progress.done, Side::Device);
            progress.done += 1;
        }
        Ok(())
    }
}

impl Teamwork for Team<'_> {
    type Output = Result<()>;

    #[track_caller]
    fn lead(&self) -> Result<()> {
        let _end = End(&self.is_over);
        let (mut progress, mut idle) = (Progress::default(), Watch::default());
        // The part that this thread copies, and its next step.
        let mut own = self.take().map(|number| (number, 0));
        loop {
            let before = progress.done + progress.queued;
            // Where the device does not work on by itself, only a wait moves it.
            let can_copy = own.is_some_and(|(number, _)| self.is_ready(number));
            let waits = !can_copy && (idle.is_longer_than(PATIENCE) || !self.driver.progresses());
            self.note_done(&mut progress, waits)?;
            self.queue(&mut progress)?;
            let is_copied = own.is_none();
            if progress.queued == self.parts && is_copied && (self.copy.is_upload || progress.done == self.parts) {
                return Ok(());
            }
            if progress.done + progress.queued != before {
                idle = Watch::default();
            }
            if let Some((number, step)) = own
                && self.is_ready(number)
            {
                // SAFETY: taken above, and ready.
                let is_last = unsafe { self.copy_step(number, step, STEP) };
                own = if is_last { self.take().map(|number| (number, 0)) } else { Some((number, step + 1)) };
                idle = Watch::default();
            }
        }
    }

    fn help(&self) {
        while let Some(number) = self.take() {
            let mut idle = Watch::default();
            while !self.is_ready(number) {
                if self.is_over.load(Ordering::Acquire) && !self.is_ready(number) {
                    return;
                }
                idle.is_longer_than(PATIENCE);
            }
            // SAFETY: taken and ready.
            unsafe { self.copy_step(number, 0, usize::MAX) };
        }
    }
}
