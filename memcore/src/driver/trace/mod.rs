//! A timeline of what runs: `MEMCORE_TRACE=file.json`.
//!
//! A driver around another one. Each call goes to that one as it is, and is written to a file in the JSON array format
//! of Chrome's traces. What the streams of the device do is measured by events of the tracer's own, recorded before and
//! after each operation and read when the program has waited (`device`).
//!
//! Rules that every part keeps:
//! - The program sees nothing of the tracer: no wait of its own, no error of its own, no capture disturbed.
//! - Nothing is locked while the driver is called: it may log, and a logger may come back here.

mod call;
mod device;
mod event;
mod file;
#[cfg(test)]
mod tests;

use core::ffi::{c_char, c_void};
use core::fmt;
use core::panic::Location;
use std::env;
use std::sync::Arc;
use std::time::Instant;

use super::entry_points::entry_points;
use super::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid, STREAM_NON_BLOCKING,
};
use super::{Driver, DriverKind, HostRows};
use crate::error::{Result, Status};
use call::{Argument, Arguments, Kind};
use device::{Devices, Queued, Started};
use file::TraceFile;

/// The variable that names the file.
const VARIABLE: &str = "MEMCORE_TRACE";

/// The driver, traced if the variable is set.
///
/// # Errors
///
/// [`Error::InvalidVariable`](crate::Error::InvalidVariable) where the file cannot be written.
pub(super) fn traced(driver: Arc<dyn Driver>) -> Result<Arc<dyn Driver>> {
    let Some(path) = env::var_os(VARIABLE) else { return Ok(driver) };
    let file = TraceFile::of_process(&path)?;
    Ok(Arc::new(TraceDriver::new(driver, file)))
}

/// A driver whose calls are written down.
struct TraceDriver {
    inner: Arc<dyn Driver>,
    devices: Devices,
    file: &'static TraceFile,
}

/// A call that has begun.
struct Call {
    method: &'static str,
    symbol: &'static str,
    place: &'static Location<'static>,
    arguments: Arguments,
    /// What the device is about to do for it.
    started: Option<Started>,
    start: Instant,
}

impl TraceDriver {
    fn new(inner: Arc<dyn Driver>, file: &'static TraceFile) -> Self {
        Self { devices: Devices::new(Arc::clone(&inner), file), inner, file }
    }

    /// What comes before a call.
    fn begin(
        &self,
        (method, symbol): (&'static str, &'static str),
        place: &'static Location<'static>,
        arguments: Arguments,
    ) -> Call {
        let arguments = arguments.in_bytes(method);
        let started = match (Kind::of(method), arguments.stream) {
            (Kind::Queues(name), Some(stream)) => {
                self.devices.start(stream, Queued { name, bytes: arguments.bytes, place })
            }
            _ => None,
        };
        if let ("primary_context_release", Some(device)) = (method, arguments.device) {
            self.devices.release(device);
        }
        Call { method, symbol, place, arguments, started, start: Instant::now() }
    }

    /// What comes after it.
    ///
    /// # Safety
    ///
    /// If the call succeeded, what its out pointers point to was written, and is good for reads.
    unsafe fn end(&self, call: Call, status: Status) {
        let end = Instant::now();
        let Call { method, symbol, place, arguments, started, start } = call;
        self.file.host_call(symbol, start..end, &arguments, status, place);
        if !status.is_success() {
            return;
        }
        match Kind::of(method) {
            Kind::Queues(_) => {
                if let Some(started) = started {
                    self.devices.finish(started);
                }
            }
            Kind::Quick => {}
            Kind::Waits => {
                self.devices.collect();
                self.file.flush();
            }
            Kind::Other => {
                match (method, arguments.stream, arguments.device) {
                    ("stream_destroy", Some(stream), _) => self.devices.forget(stream),
                    ("stream_create", ..)
                        if arguments.flags & STREAM_NON_BLOCKING != 0 && !arguments.out_stream.is_null() =>
                    {
                        // SAFETY: the caller's contract: the call has written it. Of its alignment nothing is said.
                        let stream = unsafe { arguments.out_stream.read_unaligned() };
                        self.devices.calibrate(stream);
                    }
                    ("primary_context_retain", _, Some(device)) if !arguments.out_context.is_null() => {
                        // SAFETY: the caller's contract: the call has written it. Of its alignment nothing is said.
                        let context = unsafe { arguments.out_context.read_unaligned() };
                        self.devices.retain(device, context);
                    }
                    _ => {}
                }
                self.file.flush();
            }
        }
    }
}

macro_rules! trace_driver {
    ($($method:ident = $symbol:literal $(| $per_thread:literal)? ($($arg:ident: $type:ty),*);)*) => {
        impl Driver for TraceDriver {
            $(
                unsafe fn $method(&self, $($arg: $type),*) -> Status {
                    #[allow(unused_mut, reason = "some entry points take nothing")]
                    let mut arguments = Arguments::default();
                    $($arg.note(stringify!($arg), &mut arguments);)*
                    let call = self.begin((stringify!($method), $symbol), Location::caller(), arguments);
                    // SAFETY: the caller keeps the contract of the method of this name, which is the inner driver's too.
                    let status = unsafe { self.inner.$method($($arg),*) };
                    // SAFETY: by that contract the out pointers are good for writes, and a call that succeeds writes them.
                    unsafe { self.end(call, status) };
                    status
                }
            )*
        }
    };
}
entry_points!(trace_driver);

impl DriverKind for TraceDriver {
    fn is_simulated(&self) -> bool {
        self.inner.is_simulated()
    }

    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn reserved_by(&self, address: u64) -> Option<i32> {
        self.inner.reserved_by(address)
    }

    fn observe(&self, stream: CUstream) {
        self.inner.observe(stream);
    }

    fn keep(&self, address: u64) {
        self.inner.keep(address);
    }

    unsafe fn note_host_allocation(&self, address: u64, bytes: usize, zeros: bool) {
        // SAFETY: the caller's contract.
        unsafe { self.inner.note_host_allocation(address, bytes, zeros) };
    }

    unsafe fn note_host_free(&self, address: u64) {
        // SAFETY: the caller's contract.
        unsafe { self.inner.note_host_free(address) };
    }

    fn refuses_pages(&self) -> bool {
        self.inner.refuses_pages()
    }

    fn refuses_huge_pages(&self) -> bool {
        self.inner.refuses_huge_pages()
    }

    fn lets_host_copy(&self, rows: HostRows) -> bool {
        self.inner.lets_host_copy(rows)
    }

    fn progresses(&self) -> bool {
        self.inner.progresses()
    }
}

impl fmt::Debug for TraceDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TraceDriver").field(&self.inner).finish()
    }
}
