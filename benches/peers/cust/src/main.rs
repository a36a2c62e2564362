//! cust.

use std::process::ExitCode;

use cust::context::{Context, CurrentContext};
use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer, LockedBuffer};
use cust::stream::{Stream, StreamFlags};
use harness::Worker;
use harness::raw::Zeroed;

struct Cust {
    _context: Context,
    stream: Stream,
}

impl Worker for Cust {
    const LIBRARY: &'static str = "cust 0.3.2";
    type Device = DeviceBuffer<u8>;
    type Host = Zeroed;
    type Locked = LockedBuffer<u8>;

    fn new(_alone: bool) -> Self {
        // The device's primary context, which every thread has.
        cust::init(cust::CudaFlags::empty()).expect("the driver");
        let context = Context::new(cust::device::Device::get_device(0).expect("a device")).expect("a context");
        CurrentContext::set_current(&context).expect("a context");
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream");
        Self { _context: context, stream }
    }

    fn device(&self, bytes: usize) -> DeviceBuffer<u8> {
        DeviceBuffer::zeroed(bytes).expect("device memory")
    }

    fn host(&self, bytes: usize) -> Zeroed {
        Zeroed::new(bytes)
    }

    fn upload(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        to.copy_from(from).expect("a copy");
        CurrentContext::synchronize().expect("a wait");
    }

    fn download(&self, to: &mut [u8], from: &DeviceBuffer<u8>) {
        from.copy_to(to).expect("a copy");
    }

    unsafe fn submit(&self, to: &mut DeviceBuffer<u8>, from: &[u8]) {
        // SAFETY: the caller's.
        unsafe { to.async_copy_from(from, &self.stream) }.expect("a copy");
    }

    fn wait(&self) {
        self.stream.synchronize().expect("a wait");
    }

    fn between(&self, to: &mut DeviceBuffer<u8>, from: &DeviceBuffer<u8>) {
        to.copy_from(from).expect("a copy");
        CurrentContext::synchronize().expect("a wait");
    }

    fn fill(&self, to: &mut DeviceBuffer<u8>) -> bool {
        to.set_zero().expect("a fill");
        CurrentContext::synchronize().expect("a wait");
        true
    }

    fn to_vec(&self, from: &DeviceBuffer<u8>) -> Vec<u8> {
        from.as_host_vec().expect("a copy")
    }

    fn allocate(&self, bytes: usize) {
        // SAFETY: nothing reads it.
        let dev = unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }.expect("device memory");
        CurrentContext::synchronize().expect("a wait");
        drop(dev);
    }

    fn zeroed(&self, bytes: usize) {
        drop(DeviceBuffer::<u8>::zeroed(bytes).expect("device memory"));
        CurrentContext::synchronize().expect("a wait");
    }

    fn locked(&self, bytes: usize) -> LockedBuffer<u8> {
        // SAFETY: nothing reads it.
        unsafe { LockedBuffer::uninitialized(bytes) }.expect("page-locked memory")
    }
}

fn main() -> ExitCode {
    harness::run::<Cust>(|_| panic!("only memcore is measured in turns with the raw calls"))
}
