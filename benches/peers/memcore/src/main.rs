//! memcore, and its calls in turns with the driver's.

mod turns;

use std::process::ExitCode;

use harness::{COLUMNS, PITCH, Worker};
use memcore::prelude::*;

/// The same of memory of either side.
macro_rules! copy_rows {
    ($to:ident, $from:ident, $rows:ident) => {{
        let bytes = $rows * PITCH;
        let copied = (|| {
            let (mut to, from) = ($to[..bytes].as_2d_mut(PITCH)?, $from[..bytes].as_2d(PITCH)?);
            copy!(to[.., ..COLUMNS] <- from[.., ..COLUMNS])
        })();
        copied.expect("a copy");
        true
    }};
}

struct Memcore {
    context: Context,
    /// For what is queued by hand; copies that wait borrow a stream of the context's own.
    stream: Stream,
}

impl Worker for Memcore {
    const LIBRARY: &'static str = "memcore";
    const KEEPS_PAGES: bool = true;
    type Device = DeviceBuffer<u8>;
    type Host = Host;
    type Locked = LockedBuffer<u8>;

    fn new(_alone: bool) -> Self {
        let context = Context::current().expect("a device");
        let stream = Stream::new_in(&context).expect("a stream");
        Self { context, stream }
    }

    fn about(&self) -> (String, String, bool) {
        let device = self.context.device();
        let (major, minor) = device.driver_version().expect("a version");
        (device.name().expect("a name"), format!("CUDA {major}.{minor}"), device.is_simulated())
    }

    fn device(&self, bytes: usize) -> DeviceBuffer<u8> {
        DeviceBuffer::zeroed(bytes).expect("device memory")
    }

    fn host(&self, bytes: usize) -> Host {
        Host(LockedBuffer::zeroed(bytes).expect("page-locked memory"))
    }

    fn upload(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        copy!(to <- from).expect("a copy");
    }

    fn download(&self, to: &mut [u8], from: &DeviceBuffer<u8>) {
        copy!(to <- from).expect("a copy");
    }

    unsafe fn submit(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        // SAFETY: the caller's.
        unsafe { copy!(to <- from, async &self.stream) }.expect("a copy");
    }

    fn wait(&self) {
        self.stream.synchronize().expect("a wait");
    }

    fn between(&self, to: &mut DeviceBuffer<u8>, from: &DeviceBuffer<u8>) {
        copy!(to <- from).expect("a copy");
    }

    fn fill(&self, to: &mut DeviceBuffer<u8>) -> bool {
        fill!(to <- 0).expect("a fill");
        true
    }

    fn to_vec(&self, from: &DeviceBuffer<u8>) -> Vec<u8> {
        from.to_vec().expect("a copy")
    }

    fn allocate(&self, bytes: usize) {
        // SAFETY: nothing reads it.
        drop(unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.expect("device memory"));
    }

    fn zeroed(&self, bytes: usize) {
        drop(DeviceBuffer::<u8>::zeroed(bytes).expect("device memory"));
        self.context.synchronize().expect("a wait");
    }

    fn locked(&self, bytes: usize) -> LockedBuffer<u8> {
        // SAFETY: nothing reads it.
        unsafe { LockedBuffer::uninitialized(bytes) }.expect("page-locked memory")
    }

    fn keep_pages(&self, keeps: bool) {
        self.context.keep_locked_memory(if keeps { 2 << 30 } else { 0 }).expect("a limit");
    }

    fn upload_rows(&self, to: &mut DeviceBuffer<u8>, from: &[u8], rows: usize) -> bool {
        copy_rows!(to, from, rows)
    }

    fn download_rows(&self, to: &mut [u8], from: &DeviceBuffer<u8>, rows: usize) -> bool {
        copy_rows!(to, from, rows)
    }
}

struct Host(LockedBuffer<u8>);

impl AsMut<[u8]> for Host {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

fn main() -> ExitCode {
    harness::run::<Memcore>(|options| turns::all(options.max_bytes).expect("the calls in turns"))
}
