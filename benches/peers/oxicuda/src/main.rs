//! oxicuda-memory.

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use harness::raw::Zeroed;
use harness::{COLUMNS, PITCH, Worker};
use oxicuda_driver::{Context, Device, Stream};
use oxicuda_memory::copy_2d3d::{Memcpy2DParams, copy_2d_dtoh, copy_2d_htod};
use oxicuda_memory::{DeviceBuffer, PinnedBuffer, copy};

/// Of all threads: the library makes a context of its own for each `Context`.
static CONTEXT: OnceLock<Arc<Context>> = OnceLock::new();

struct Oxicuda {
    context: &'static Arc<Context>,
    stream: Stream,
}

impl Worker for Oxicuda {
    const LIBRARY: &'static str = "oxicuda-memory 0.5.5";
    type Device = DeviceBuffer<u8>;
    type Host = Zeroed;
    type Locked = PinnedBuffer<u8>;

    fn new(_alone: bool) -> Self {
        let context = CONTEXT.get_or_init(|| {
            oxicuda_driver::init().expect("the driver");
            Arc::new(Context::new(&Device::get(0).expect("a device")).expect("a context"))
        });
        context.set_current().expect("a context");
        Self { context, stream: Stream::new(context).expect("a stream") }
    }

    fn device(&self, bytes: usize) -> DeviceBuffer<u8> {
        DeviceBuffer::zeroed(bytes).expect("device memory")
    }

    fn host(&self, bytes: usize) -> Zeroed {
        Zeroed::new(bytes)
    }

    fn upload(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        to.copy_from_host(from).expect("a copy");
    }

    fn download(&self, to: &mut [u8], from: &DeviceBuffer<u8>) {
        from.copy_to_host(to).expect("a copy");
    }

    unsafe fn submit(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        to.copy_from_host_async(from, &self.stream).expect("a copy");
    }

    fn wait(&self) {
        self.stream.synchronize().expect("a wait");
    }

    fn between(&self, to: &mut DeviceBuffer<u8>, from: &DeviceBuffer<u8>) {
        copy::copy_dtod_async(to, from, &self.stream).expect("a copy");
        self.wait();
    }

    fn to_vec(&self, from: &DeviceBuffer<u8>) -> Vec<u8> {
        let mut host = vec![0; from.len()];
        from.copy_to_host(&mut host).expect("a copy");
        host
    }

    fn allocate(&self, bytes: usize) {
        let dev = DeviceBuffer::<u8>::alloc(bytes).expect("device memory");
        self.context.synchronize().expect("a wait");
        drop(dev);
    }

    fn zeroed(&self, bytes: usize) {
        drop(DeviceBuffer::<u8>::zeroed(bytes).expect("device memory"));
        self.context.synchronize().expect("a wait");
    }

    fn locked(&self, bytes: usize) -> PinnedBuffer<u8> {
        PinnedBuffer::alloc(bytes).expect("page-locked memory")
    }

    fn upload_rows(&self, to: &mut DeviceBuffer<u8>, from: &[u8], rows: usize) -> bool {
        copy_2d_htod(to, from, &Memcpy2DParams::new(PITCH, PITCH, COLUMNS, rows)).expect("a copy");
        self.context.synchronize().expect("a wait");
        true
    }

    fn download_rows(&self, to: &mut [u8], from: &DeviceBuffer<u8>, rows: usize) -> bool {
        copy_2d_dtoh(to, from, &Memcpy2DParams::new(PITCH, PITCH, COLUMNS, rows)).expect("a copy");
        true
    }
}

fn main() -> ExitCode {
    harness::run::<Oxicuda>(|_| panic!("only memcore is measured in turns with the raw calls"))
}
