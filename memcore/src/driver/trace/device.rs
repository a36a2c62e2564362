//! The rows of the streams: what the device did for them, and when.

use core::mem;
use core::panic::Location;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::event::{OwnEvent, Relaxed, can_record, current};
use super::file::TraceFile;
use crate::driver::Driver;
use crate::driver::ffi::{CUcontext, CUdevice, CUstream, Handle};
use crate::error::Status;

/// Of one stream, more operations than this are not measured until the program waits.
const MOST_PENDING: usize = 4096;

/// How long the first event of a context, on a stream without work, is asked for.
const PATIENCE: Duration = Duration::from_millis(1);

/// Times are measured in milliseconds, as `f32`: so far from its base, one is exact to half a microsecond.
const FAR: f64 = 4000.0;

/// The devices of a driver.
pub(super) struct Devices {
    driver: Arc<dyn Driver>,
    file: &'static TraceFile,
    /// The primary contexts that are retained.
    contexts: Mutex<Vec<Context>>,
}

struct Context {
    raw: Handle<CUcontext>,
    device: CUdevice,
    retained: u32,
    /// What its times are measured from; `None` until there is a stream.
    base: Option<Arc<Base>>,
    rows: Vec<Row>,
    /// Whether a thread reads the rows, and whether another one would have: the first then does it once more.
    is_read: bool,
    again: bool,
}

/// An event, and when it happened.
struct Base {
    event: OwnEvent,
    /// Microseconds from the start of the trace.
    at: f64,
}

/// A stream.
struct Row {
    /// `None` once it is destroyed: another may have its handle then.
    stream: Option<Handle<CUstream>>,
    number: u32,
    /// What was queued and has not been read, in order.
    pending: VecDeque<Work>,
    /// The end of its last work: what follows is not before, whatever two clocks say.
    busy_until: f64,
}

/// An operation, between two events.
struct Work {
    before: OwnEvent,
    after: OwnEvent,
    call: Queued,
}

/// The call that queues an operation.
pub(super) struct Queued {
    /// The operation's name.
    pub(super) name: &'static str,
    pub(super) bytes: Option<usize>,
    pub(super) place: &'static Location<'static>,
}

/// An operation that is about to be queued.
pub(super) struct Started {
    context: CUcontext,
    stream: CUstream,
    work: Work,
}

impl Devices {
    pub(super) fn new(driver: Arc<dyn Driver>, file: &'static TraceFile) -> Self {
        Self { driver, file, contexts: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Context>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something of a context that is known.
    fn with<R>(&self, context: CUcontext, with: impl FnOnce(&mut Context) -> R) -> Option<R> {
        self.lock().iter_mut().find(|known| known.raw.0 == context).map(with)
    }

    /// A primary context was retained.
    pub(super) fn retain(&self, device: CUdevice, context: CUcontext) {
        let mut contexts = self.lock();
        if let Some(known) = contexts.iter_mut().find(|known| known.raw.0 == context) {
            known.retained += 1;
            return;
        }
        contexts.push(Context {
            raw: Handle(context),
            device,
            retained: 1,
            base: None,
            rows: Vec::new(),
            is_read: false,
            again: false,
        });
        drop(contexts);
        self.file.name_device(device);
    }

    /// A primary context is about to be released: if it is not retained otherwise, its events end here.
    pub(super) fn release(&self, device: CUdevice) {
        let mut contexts = self.lock();
        let Some(place) = contexts.iter().position(|context| context.device == device) else { return };
        contexts[place].retained -= 1;
        if contexts[place].retained > 0 {
            return;
        }
        // Read and destroyed when nothing is locked.
        let mut last = contexts.swap_remove(place);
        drop(contexts);
        let _relaxed = Relaxed::new(&*self.driver);
        if let Some(mut base) = last.base.take() {
            for row in &mut last.rows {
                self.read(device, &mut base, row);
            }
        }
        drop(last.rows);
    }

    /// A stream was made, and nothing is queued on it: an event on it happens at once, and says how the device's time
    /// and the host's go together.
    pub(super) fn calibrate(&self, stream: CUstream) {
        let context = current(&*self.driver);
        if self.with(context, |known| known.base.is_none()) != Some(true) {
            return;
        }
        let Some(_relaxed) = Relaxed::new(&*self.driver) else { return };
        if !can_record(&*self.driver, stream) {
            return;
        }
        let Some(event) = OwnEvent::new(&self.driver) else { return };
        let recorded = Instant::now();
        if !event.record(stream) {
            return;
        }
        let mut happened = recorded;
        while recorded.elapsed() < PATIENCE {
            match event.has_happened() {
                Status::SUCCESS => {
                    happened = Instant::now();
                    break;
                }
                Status::NOT_READY => {}
                _ => return,
            }
        }
        // Half the time that asking took, so that either side is as likely to be early.
        let at = self.file.microseconds(recorded + (happened - recorded) / 2);
        let base = Arc::new(Base { event, at });
        // Of two threads that do this at once, one's is dropped.
        let unused = self.with(context, move |known| match &known.base {
            Some(_) => Some(base),
            None => {
                known.base = Some(base);
                None
            }
        });
        drop(unused);
    }

    /// Something is about to be queued on a stream; `None` where it cannot be measured.
    pub(super) fn start(&self, stream: CUstream, call: Queued) -> Option<Started> {
        let context = current(&*self.driver);
        let has_room = |known: &mut Context| {
            let row = known.rows.iter().find(|row| row.stream == Some(Handle(stream)));
            known.base.is_some() && row.is_none_or(|row| row.pending.len() < MOST_PENDING)
        };
        if self.with(context, has_room) != Some(true) {
            return None;
        }
        let _relaxed = Relaxed::new(&*self.driver)?;
        if !can_record(&*self.driver, stream) {
            return None;
        }
        let (before, after) = (OwnEvent::new(&self.driver)?, OwnEvent::new(&self.driver)?);
        let work = Work { before, after, call };
        work.before.record(stream).then_some(Started { context, stream, work })
    }

    /// It has been queued.
    pub(super) fn finish(&self, started: Started) {
        let Started { context, stream, work } = started;
        let Some(_relaxed) = Relaxed::new(&*self.driver) else { return };
        if !work.after.record(stream) {
            return;
        }
        let new = self.with(context, |known| {
            let device = known.device;
            let place = known.rows.iter().position(|row| row.stream == Some(Handle(stream)));
            let new = place.is_none().then(|| {
                let number = self.file.next_row();
                known.rows.push(Row {
                    stream: Some(Handle(stream)),
                    number,
                    pending: VecDeque::new(),
                    busy_until: 0.0,
                });
                (device, number)
            });
            let place = place.unwrap_or(known.rows.len() - 1);
            known.rows[place].pending.push_back(work);
            new
        });
        if let Some((device, number)) = new.flatten() {
            self.file.name_stream(device, number, stream);
        }
    }

    /// A stream is no more; what it has queued goes on.
    pub(super) fn forget(&self, stream: CUstream) {
        for context in self.lock().iter_mut() {
            for row in &mut context.rows {
                row.stream = row.stream.filter(|of| of.0 != stream);
            }
            if !context.is_read {
                context.rows.retain(|row| row.stream.is_some() || !row.pending.is_empty());
            }
        }
    }

    /// The program has waited for something of the current context: writes down what is done. One thread at a time does,
    /// so that a row is in order.
    pub(super) fn collect(&self) {
        let context = current(&*self.driver);
        let is_free = self.with(context, |known| {
            known.again = known.is_read;
            !mem::replace(&mut known.is_read, true)
        });
        if is_free != Some(true) {
            return;
        }
        loop {
            self.collect_once(context);
            let again = self.with(context, |known| {
                known.is_read = known.again;
                mem::take(&mut known.again)
            });
            if again != Some(true) {
                return;
            }
        }
    }

    fn collect_once(&self, context: CUcontext) {
        // Taken out, so that nothing is locked while the driver is asked.
        let taken = self.with(context, |known| {
            let rows = known.rows.iter_mut().filter(|row| !row.pending.is_empty());
            let taken = rows.map(|row| Row { pending: mem::take(&mut row.pending), ..*row });
            (known.device, known.base.clone(), taken.collect::<Vec<_>>())
        });
        let Some((device, Some(mut base), mut rows)) = taken else { return };
        if rows.is_empty() {
            return;
        }
        let relaxed = Relaxed::new(&*self.driver);
        if relaxed.is_some() {
            for row in &mut rows {
                self.read(device, &mut base, row);
            }
        }
        let old = self.with(context, |known| {
            for mut row in rows {
                let Some(known) = known.rows.iter_mut().find(|known| known.number == row.number) else { continue };
                row.pending.append(&mut known.pending);
                known.pending = row.pending;
                known.busy_until = row.busy_until;
            }
            known.rows.retain(|row| row.stream.is_some() || !row.pending.is_empty());
            known.base.replace(base)
        });
        // Destroyed, perhaps, when nothing is locked.
        drop(old);
    }

    /// Writes down what of a row is done. Where the base lies far back, the last event becomes the base.
    fn read(&self, device: CUdevice, base: &mut Arc<Base>, row: &mut Row) {
        while let Some(work) = row.pending.front() {
            let measured = base.event.until(&work.before).and_then(|start| {
                let length = work.before.until(&work.after)?;
                Ok((start, length))
            });
            if measured == Err(Status::NOT_READY) {
                return;
            }
            let Some(work) = row.pending.pop_front() else { return };
            // Of a context that is dead, nothing more is known.
            let Ok((start, length)) = measured else { continue };
            let from = (base.at + start * 1e3).max(row.busy_until);
            let to = (base.at + (start + length) * 1e3).max(from);
            row.busy_until = to;
            self.file.device_work(device, row.number, from..to, &work.call);
            if start > FAR {
                *base = Arc::new(Base { event: work.after, at: base.at + (start + length) * 1e3 });
            }
        }
    }
}
