//! The driver API as it is.

use std::process::ExitCode;
use std::ptr;

use harness::raw::{Copy2d, DRIVER, Locked, Stream, Zeroed, check, enter};
use harness::{COLUMNS, PITCH, Worker};

struct Raw {
    stream: Stream,
}

struct Device {
    address: u64,
    bytes: usize,
}

impl Device {
    fn new(bytes: usize) -> Self {
        let mut address = 0;
        // SAFETY: `address` has room for what is asked.
        check(unsafe { (DRIVER.alloc)(&raw mut address, bytes) });
        Self { address, bytes }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: allocated by the driver, and in use by nothing: every operation has been waited for.
        check(unsafe { (DRIVER.free)(self.address) });
    }
}

impl Raw {
    fn rows(&self, copy: Copy2d) -> bool {
        // SAFETY: the rows lie within both memories, which live until the wait.
        check(unsafe { (DRIVER.rows)(&raw const copy, self.stream) });
        self.wait();
        true
    }
}

/// CU_MEMORYTYPE_HOST and CU_MEMORYTYPE_DEVICE.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

fn copy_of(rows: usize) -> Copy2d {
    Copy2d {
        src_x: 0,
        src_y: 0,
        src_kind: 0,
        src_host: ptr::null(),
        src_device: 0,
        src_array: ptr::null(),
        src_pitch: PITCH,
        dst_x: 0,
        dst_y: 0,
        dst_kind: 0,
        dst_host: ptr::null_mut(),
        dst_device: 0,
        dst_array: ptr::null(),
        dst_pitch: PITCH,
        width: COLUMNS,
        height: rows,
    }
}

impl Worker for Raw {
    const LIBRARY: &'static str = "raw";
    type Device = Device;
    type Host = Zeroed;
    type Locked = Locked;

    fn new(_alone: bool) -> Self {
        enter();
        let mut stream = ptr::null_mut();
        // SAFETY: `stream` has room for what is asked; 1 is CU_STREAM_NON_BLOCKING.
        check(unsafe { (DRIVER.stream)(&raw mut stream, 1, 0) });
        Self { stream }
    }

    fn device(&self, bytes: usize) -> Device {
        Device::new(bytes)
    }

    fn host(&self, bytes: usize) -> Zeroed {
        Zeroed::new(bytes)
    }

    fn upload(&self, to: &mut Device, from: &[u8]) {
        // SAFETY: both live until the wait.
        unsafe { self.submit(to, from) };
        self.wait();
    }

    fn download(&self, to: &mut [u8], from: &Device) {
        // SAFETY: both have that many bytes, and live until the wait.
        check(unsafe { (DRIVER.dtoh)(to.as_mut_ptr().cast(), from.address, from.bytes, self.stream) });
        self.wait();
    }

    unsafe fn submit(&self, to: &mut Device, from: &[u8]) {
        // SAFETY: both have that many bytes; the caller keeps them alive.
        check(unsafe { (DRIVER.htod)(to.address, from.as_ptr().cast(), from.len(), self.stream) });
    }

    fn wait(&self) {
        // SAFETY: the stream is never destroyed.
        check(unsafe { (DRIVER.wait)(self.stream) });
    }

    fn between(&self, to: &mut Device, from: &Device) {
        // SAFETY: both have that many bytes, and live until the wait.
        check(unsafe { (DRIVER.dtod)(to.address, from.address, from.bytes, self.stream) });
        self.wait();
    }

    fn fill(&self, to: &mut Device) -> bool {
        // SAFETY: it has that many bytes, and lives until the wait.
        check(unsafe { (DRIVER.memset)(to.address, 0, to.bytes, self.stream) });
        self.wait();
        true
    }

    fn to_vec(&self, from: &Device) -> Vec<u8> {
        let mut host = Vec::<u8>::with_capacity(from.bytes);
        // SAFETY: the vector has room for that many bytes; both live until the wait.
        check(unsafe { (DRIVER.dtoh)(host.as_mut_ptr().cast(), from.address, from.bytes, self.stream) });
        self.wait();
        // SAFETY: the copy has written them.
        unsafe { host.set_len(from.bytes) };
        host
    }

    fn allocate(&self, bytes: usize) {
        drop(Device::new(bytes));
    }

    fn zeroed(&self, bytes: usize) {
        let dev = Device::new(bytes);
        // SAFETY: it has that many bytes, and `cuMemFree` waits.
        check(unsafe { (DRIVER.memset)(dev.address, 0, bytes, self.stream) });
        drop(dev);
        self.wait();
    }

    fn locked(&self, bytes: usize) -> Locked {
        Locked::new(bytes)
    }

    fn upload_rows(&self, to: &mut Device, from: &[u8], rows: usize) -> bool {
        let (src_host, dst_device) = (from.as_ptr().cast(), to.address);
        self.rows(Copy2d { src_kind: HOST, src_host, dst_kind: DEVICE, dst_device, ..copy_of(rows) })
    }

    fn download_rows(&self, to: &mut [u8], from: &Device, rows: usize) -> bool {
        let (src_device, dst_host) = (from.address, to.as_mut_ptr().cast());
        self.rows(Copy2d { src_kind: DEVICE, src_device, dst_kind: HOST, dst_host, ..copy_of(rows) })
    }
}

fn main() -> ExitCode {
    harness::run::<Raw>(|_| panic!("the raw calls are measured beside memcore's by its own program"))
}
