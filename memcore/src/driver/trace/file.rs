//! The file: the JSON array format of Chrome's traces, which Perfetto opens.
//!
//! Each time that something is written the array is closed behind it, and the next part goes where the end was: the file
//! is whole whenever the process ends.

use core::cell::Cell;
use core::fmt::Write;
use core::ops::Range;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, Ordering};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::VARIABLE;
use super::call::Arguments;
use super::device::Queued;
use crate::driver::ffi::{CUdevice, CUstream};
use crate::error::{Error, Result, Status};

/// The group of rows that has the host's threads; a device's has the number behind its own.
const HOST: u32 = 1;

/// So much is kept at most before it is written.
const MOST_KEPT: usize = 64 << 10;

/// What the file ends with.
const END: &str = "\n]\n";

/// The trace of this process.
pub(super) struct TraceFile {
    file: File,
    start: Instant,
    rows: AtomicU32,
    unwritten: Mutex<Unwritten>,
}

struct Unwritten {
    events: String,
    /// Where they go.
    at: u64,
    has_failed: bool,
}

thread_local! {
    /// This thread's row, 0 until it has one.
    static ROW: Cell<u32> = const { Cell::new(0) };
}

impl TraceFile {
    /// The file of this process, which is made once, however many drivers are tried.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidVariable`] where it cannot be made.
    pub(super) fn of_process(name: &OsStr) -> Result<&'static Self> {
        static MADE: Mutex<Option<&TraceFile>> = Mutex::new(None);

        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = *made {
            return Ok(made);
        }
        let value = name.to_string_lossy().into_owned();
        let path = value.replace("%p", &process::id().to_string());
        let file = Self::create(&path).map_err(|error| Error::InvalidVariable {
            variable: VARIABLE,
            value,
            expected: expected(&error),
        })?;
        let file: &Self = Box::leak(Box::new(file));
        *made = Some(file);
        Ok(file)
    }

    pub(super) fn create(path: &str) -> io::Result<Self> {
        let file = File::create(path)?;
        let events = format!(
            "[\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{HOST},\"tid\":0,\"args\":{{\"name\":\"host threads\"}}}}"
        );
        let unwritten = Unwritten { events, at: 0, has_failed: false };
        let trace = Self { file, start: Instant::now(), rows: AtomicU32::new(1), unwritten: Mutex::new(unwritten) };
        // A file that cannot be written at a place, such as a pipe, is found out here.
        trace.write(&mut trace.lock())?;
        Ok(trace)
    }

    fn lock(&self) -> MutexGuard<'_, Unwritten> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Microseconds from the start of the trace.
    pub(super) fn microseconds(&self, time: Instant) -> f64 {
        time.saturating_duration_since(self.start).as_secs_f64() * 1e6
    }

    /// The number of a new row.
    pub(super) fn next_row(&self) -> u32 {
        self.rows.fetch_add(1, Ordering::Relaxed)
    }

    /// This thread's row, named when it is new.
    fn thread(&self) -> u32 {
        let row = ROW.get();
        if row != 0 {
            return row;
        }
        let row = self.next_row();
        ROW.set(row);
        let name = thread::current().name().map_or_else(|| format!("thread {row}"), str::to_owned);
        self.name("thread_name", HOST, row, &name);
        row
    }

    /// A device has rows.
    pub(super) fn name_device(&self, device: CUdevice) {
        self.name("process_name", group(device), 0, &format!("device {device}"));
    }

    /// A stream has a row.
    pub(super) fn name_stream(&self, device: CUdevice, row: u32, stream: CUstream) {
        let name = if stream.is_null() { "legacy stream".to_owned() } else { format!("stream {stream:p}") };
        self.name("thread_name", group(device), row, &name);
    }

    fn name(&self, what: &str, group: u32, row: u32, name: &str) {
        let mut event =
            format!("{{\"name\":\"{what}\",\"ph\":\"M\",\"pid\":{group},\"tid\":{row},\"args\":{{\"name\":");
        push_text(&mut event, name);
        event.push_str("}}");
        self.push(&event);
    }

    /// A driver call of this thread.
    pub(super) fn host_call(
        &self,
        symbol: &'static str,
        time: Range<Instant>,
        arguments: &Arguments,
        status: Status,
        place: &Location<'_>,
    ) {
        let row = self.thread();
        let time = self.microseconds(time.start)..self.microseconds(time.end);
        let mut event = complete(symbol, "host", HOST, row, time);
        push_bytes(&mut event, arguments.bytes);
        if let Some(stream) = arguments.stream {
            push(&mut event, format_args!("\"stream\":\"{stream:p}\","));
        }
        push(&mut event, format_args!("\"status\":\"{status}\",\"at\":"));
        push_text(&mut event, &place.to_string());
        event.push_str("}}");
        self.push(&event);
    }

    /// Work of a stream, in microseconds from the start of the trace.
    pub(super) fn device_work(&self, device: CUdevice, row: u32, time: Range<f64>, call: &Queued) {
        let mut event = complete(call.name, "device", group(device), row, time);
        push_bytes(&mut event, call.bytes);
        event.push_str("\"at\":");
        push_text(&mut event, &call.place.to_string());
        event.push_str("}}");
        self.push(&event);
    }

    fn push(&self, event: &str) {
        let is_full = {
            let mut unwritten = self.lock();
            unwritten.events.push_str(",\n");
            unwritten.events.push_str(event);
            unwritten.events.len() > MOST_KEPT
        };
        if is_full {
            self.flush();
        }
    }

    /// Writes what there is.
    pub(super) fn flush(&self) {
        let written = {
            let mut unwritten = self.lock();
            if unwritten.has_failed {
                unwritten.events.clear();
                return;
            }
            self.write(&mut unwritten)
        };
        // Said when nothing is locked: a logger may come back here.
        if let Err(error) = written {
            log::warn!("the trace ends here, since it cannot be written: {error}");
        }
    }

    fn write(&self, unwritten: &mut Unwritten) -> io::Result<()> {
        let Unwritten { events, at, has_failed } = unwritten;
        let kept = events.len();
        events.push_str(END);
        let written = self.file.write_all_at(events.as_bytes(), *at);
        *has_failed = written.is_err();
        events.clear();
        *at += kept as u64;
        written
    }
}

/// The group of rows of a device.
fn group(device: CUdevice) -> u32 {
    HOST + 1 + device.unsigned_abs()
}

/// The start of an event with a length, up to its arguments.
fn complete(name: &str, category: &str, group: u32, row: u32, time: Range<f64>) -> String {
    let (start, length) = (time.start, (time.end - time.start).max(0.0));
    format!(
        "{{\"name\":\"{name}\",\"cat\":\"{category}\",\"ph\":\"X\",\"pid\":{group},\"tid\":{row},\"ts\":{start:.3},\
         \"dur\":{length:.3},\"args\":{{"
    )
}

fn push_bytes(event: &mut String, bytes: Option<usize>) {
    if let Some(bytes) = bytes {
        push(event, format_args!("\"bytes\":{bytes},"));
    }
}

fn push(text: &mut String, more: core::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = text.write_fmt(more);
}

/// A string of JSON.
fn push_text(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c < ' ' => push(text, format_args!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// What the variable is to be, where making the file failed.
fn expected(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "the name of a file, in a folder that exists",
        io::ErrorKind::PermissionDenied => "a file that this user may write",
        io::ErrorKind::IsADirectory => "a file, and no folder",
        io::ErrorKind::NotSeekable => "a file of a disk, and no pipe or terminal",
        _ => "a file that can be written",
    }
}

#[cfg(test)]
mod tests {
    use super::push_text;

    #[test]
    fn texts_are_those_of_json() {
        let mut text = String::new();
        push_text(&mut text, "a \"b\" c:\\d\n\u{1}é");
        assert_eq!(text, r#""a \"b\" c:\\d\u000a\u0001é""#);
    }
}
