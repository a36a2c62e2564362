//! NVIDIA's cuda-core: its default stream where one thread works alone, else a stream of each thread's own.

use std::process::ExitCode;
use std::sync::Arc;

use cuda_core::{Context, DeviceBuffer, PinnedHostBuffer, Stream};
use harness::Worker;
use harness::raw::Zeroed;

struct CudaCore {
    context: Arc<Context>,
    stream: Arc<Stream>,
}

impl Worker for CudaCore {
    const LIBRARY: &'static str = "cuda-core 0.5.0";
    type Device = DeviceBuffer<u8>;
    type Host = Zeroed;
    type Locked = PinnedHostBuffer<u8>;

    fn new(alone: bool) -> Self {
        let context = Context::new(0).expect("a context");
        context.bind_to_thread().expect("a context");
        let stream = if alone { context.default_stream() } else { context.new_stream().expect("a stream") };
        Self { context, stream }
    }

    fn device(&self, bytes: usize) -> DeviceBuffer<u8> {
        DeviceBuffer::zeroed(&self.stream, bytes).expect("device memory")
    }

    fn host(&self, bytes: usize) -> Zeroed {
        Zeroed::new(bytes)
    }

    fn upload(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        to.copy_from_host(&self.stream, from).expect("a copy");
    }

    fn download(&self, to: &mut [u8], from: &DeviceBuffer<u8>) {
        from.copy_to_host(&self.stream, to).expect("a copy");
    }

    unsafe fn submit(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        // SAFETY: the caller's.
        unsafe { to.copy_from_host_async_unchecked(&self.stream, from) }.expect("a copy");
    }

    fn wait(&self) {
        self.stream.synchronize().expect("a wait");
    }

    fn between(&self, to: &mut DeviceBuffer<u8>, from: &DeviceBuffer<u8>) {
        to.copy_from_device_async(from, &self.stream).expect("a copy");
        self.wait();
    }

    fn fill(&self, to: &mut DeviceBuffer<u8>) -> bool {
        to.zero_async(&self.stream).expect("a fill");
        self.wait();
        true
    }

    fn to_vec(&self, from: &DeviceBuffer<u8>) -> Vec<u8> {
        from.to_host_vec(&self.stream).expect("a copy")
    }

    fn allocate(&self, bytes: usize) {
        // SAFETY: nothing reads it.
        let dev = unsafe { DeviceBuffer::<u8>::uninitialized_async(&self.stream, bytes) }.expect("device memory");
        self.wait();
        drop(dev);
    }

    fn zeroed(&self, bytes: usize) {
        drop(DeviceBuffer::<u8>::zeroed(&self.stream, bytes).expect("device memory"));
        self.wait();
    }

    fn locked(&self, bytes: usize) -> PinnedHostBuffer<u8> {
        PinnedHostBuffer::zeroed(&self.context, bytes).expect("page-locked memory")
    }
}

fn main() -> ExitCode {
    harness::run::<CudaCore>(|_| panic!("only memcore is measured in turns with the raw calls"))
}
