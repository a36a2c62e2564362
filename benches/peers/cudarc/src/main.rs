//! cudarc: its default stream where one thread works alone, and a stream of each thread's own, with the events that cudarc
//! then records, where several do.

use std::process::ExitCode;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, PinnedHostSlice};
use harness::Worker;
use harness::raw::Zeroed;

struct Cudarc {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
}

impl Worker for Cudarc {
    const LIBRARY: &'static str = "cudarc 0.19.10";
    type Device = CudaSlice<u8>;
    type Host = Zeroed;
    type Locked = PinnedHostSlice<u8>;

    fn new(alone: bool) -> Self {
        let context = CudaContext::new(0).expect("a context");
        let stream = if alone { context.default_stream() } else { context.new_stream().expect("a stream") };
        Self { context, stream }
    }

    fn device(&self, bytes: usize) -> CudaSlice<u8> {
        self.stream.alloc_zeros(bytes).expect("device memory")
    }

    fn host(&self, bytes: usize) -> Zeroed {
        Zeroed::new(bytes)
    }

    fn upload(&self, to: &mut CudaSlice<u8>, from: &[u8]) {
        self.stream.memcpy_htod(from, to).expect("a copy");
        self.wait();
    }

    fn download(&self, to: &mut [u8], from: &CudaSlice<u8>) {
        self.stream.memcpy_dtoh(from, to).expect("a copy");
        self.wait();
    }

    unsafe fn submit(&self, to: &mut CudaSlice<u8>, from: &[u8]) {
        self.stream.memcpy_htod(from, to).expect("a copy");
    }

    fn wait(&self) {
        self.stream.synchronize().expect("a wait");
    }

    fn between(&self, to: &mut CudaSlice<u8>, from: &CudaSlice<u8>) {
        self.stream.memcpy_dtod(from, to).expect("a copy");
        self.wait();
    }

    fn fill(&self, to: &mut CudaSlice<u8>) -> bool {
        self.stream.memset_zeros(to).expect("a fill");
        self.wait();
        true
    }

    fn to_vec(&self, from: &CudaSlice<u8>) -> Vec<u8> {
        let host = self.stream.clone_dtoh(from).expect("a copy");
        self.wait();
        host
    }

    fn allocate(&self, bytes: usize) {
        // SAFETY: nothing reads it.
        let dev = unsafe { self.stream.alloc::<u8>(bytes) }.expect("device memory");
        self.wait();
        drop(dev);
    }

    fn zeroed(&self, bytes: usize) {
        drop(self.stream.alloc_zeros::<u8>(bytes).expect("device memory"));
        self.wait();
    }

    fn locked(&self, bytes: usize) -> PinnedHostSlice<u8> {
        // SAFETY: nothing reads it.
        unsafe { self.context.alloc_pinned(bytes) }.expect("page-locked memory")
    }
}

fn main() -> ExitCode {
    harness::run::<Cudarc>(|_| panic!("only memcore is measured in turns with the raw calls"))
}
