//! A driver under test, driven as a C program would drive it.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr;
use std::sync::Arc;

use super::parts::{Part, copy_2d};
use crate::driver::Driver;
use crate::driver::ffi::{
    ARRAY_FORMAT_U8, CUDA_ARRAY_DESCRIPTOR, CUarray, CUcontext, CUdeviceptr, CUevent, CUmemLocation, CUmemPoolProps,
    CUmemoryPool, CUstream,
};
use crate::driver::sim::pages::{self, Access};
use crate::driver::sim::{Sim, SimOptions, Violation, ViolationKind};
use crate::error::Status;

/// A driver and the context that this thread has made current.
pub(in crate::driver) struct Program {
    pub(in crate::driver) driver: Arc<dyn Driver>,
    pub(in crate::driver) context: CUcontext,
}

/// A program on a simulator of its own.
pub(super) struct Rig {
    pub(super) sim: Sim,
    pub(super) program: Program,
}

impl Deref for Rig {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

/// Calls an entry point.
macro_rules! call {
    ($rig:expr, $method:ident($($arg:expr),* $(,)?)) => {{
        #[allow(unused_unsafe, reason = "some calls stand in the arguments of others")]
        // SAFETY: the tests pass pointers to their own live memory, and handles that are live or that the driver
        // refuses.
        let status = unsafe { $rig.driver.$method($($arg),*) };
        status
    }};
}
/// Calls an entry point that must succeed.
macro_rules! ok {
    ($rig:expr, $method:ident($($arg:expr),* $(,)?)) => {
        assert_eq!(
            $crate::driver::sim::tests::rig::call!($rig, $method($($arg),*)),
            $crate::error::Status::SUCCESS
        )
    };
}
pub(in crate::driver) use {call, ok};

impl Program {
    /// A program that has made nothing current yet.
    pub(in crate::driver) fn new(driver: Arc<dyn Driver>) -> Self {
        Self { driver, context: ptr::null_mut() }
    }

    /// A program in the first device's context.
    pub(in crate::driver) fn in_context(driver: Arc<dyn Driver>) -> Self {
        let mut program = Self::new(driver);
        ok!(program, init(0));
        program.context = program.retain(0);
        ok!(program, context_set_current(program.context));
        program
    }

    pub(in crate::driver) fn retain(&self, device: i32) -> CUcontext {
        let mut context = ptr::null_mut();
        ok!(self, primary_context_retain(&mut context, device));
        context
    }

    pub(in crate::driver) fn stream(&self, flags: u32) -> CUstream {
        let mut stream = ptr::null_mut();
        ok!(self, stream_create(&mut stream, flags, 0));
        stream
    }

    pub(in crate::driver) fn event(&self) -> CUevent {
        let mut event = ptr::null_mut();
        ok!(self, event_create(&mut event, 0));
        event
    }

    pub(super) fn pool(&self) -> CUmemoryPool {
        let props = CUmemPoolProps {
            alloc_type: 1,
            handle_types: 0,
            location: CUmemLocation { kind: 1, id: 0 },
            win32_security_attributes: ptr::null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool = ptr::null_mut();
        ok!(self, pool_create(&mut pool, &props));
        pool
    }

    #[track_caller]
    pub(in crate::driver) fn alloc(&self, bytes: usize) -> CUdeviceptr {
        let mut address = 0;
        ok!(self, mem_alloc(&mut address, bytes));
        address
    }

    #[track_caller]
    pub(in crate::driver) fn managed(&self, bytes: usize) -> CUdeviceptr {
        let mut address = 0;
        ok!(self, mem_alloc_managed(&mut address, bytes, 1));
        address
    }

    #[track_caller]
    pub(in crate::driver) fn locked(&self, bytes: usize) -> Locked {
        let mut pointer = ptr::null_mut();
        ok!(self, mem_host_alloc(&mut pointer, bytes, 0));
        Locked { pointer, bytes }
    }

    /// A 2-D array of bytes.
    #[track_caller]
    pub(super) fn image(&self, width: usize, height: usize) -> CUarray {
        let descriptor = CUDA_ARRAY_DESCRIPTOR { width, height, format: ARRAY_FORMAT_U8, channels: 1 };
        let mut array = ptr::null_mut();
        ok!(self, array_create(&mut array, &descriptor));
        array
    }

    /// One whose bytes are 7.
    #[track_caller]
    pub(super) fn written_image(&self, width: usize, height: usize) -> CUarray {
        let array = self.image(width, height);
        let bytes = vec![7; width * height];
        ok!(self, memcpy_2d(&copy_2d(Part::array(array), Part::bytes(&bytes, width), [width, height])));
        ok!(self, context_synchronize());
        array
    }

    /// The bytes of device memory, by a call that waits.
    pub(in crate::driver) fn bytes(&self, address: CUdeviceptr, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        ok!(self, context_synchronize());
        ok!(self, memcpy_dtoh(out.as_mut_ptr().cast(), address, len));
        out
    }

    pub(in crate::driver) fn upload(&self, address: CUdeviceptr, bytes: &[u8]) -> Status {
        call!(self, memcpy_htod(address, bytes.as_ptr().cast(), bytes.len()))
    }

    pub(super) fn free_memory(&self) -> (usize, usize) {
        let (mut free, mut total) = (0, 0);
        ok!(self, memory_info(&mut free, &mut total));
        (free, total)
    }
}

impl Rig {
    /// In the context of its first device.
    pub(super) fn new(options: SimOptions) -> Self {
        let sim = Sim::new(options);
        Self { program: Program::in_context(sim.driver()), sim }
    }

    /// Before its driver is initialised.
    pub(super) fn uninitialised(options: SimOptions) -> Self {
        let sim = Sim::new(options);
        Self { program: Program::new(sim.driver()), sim }
    }

    /// The kinds found, the leaks of this rig's end included.
    pub(super) fn kinds(self) -> Vec<ViolationKind> {
        self.check().iter().map(Violation::kind).collect()
    }

    pub(super) fn check(self) -> Vec<Violation> {
        self.sim.finish()
    }
}

/// Page-locked memory.
#[derive(Clone, Copy)]
pub(in crate::driver) struct Locked {
    pub(in crate::driver) pointer: *mut c_void,
    pub(super) bytes: usize,
}

impl Locked {
    pub(super) fn read(&self) -> Vec<u8> {
        // SAFETY: the tests look only at memory they have not freed, between driver calls.
        unsafe { std::slice::from_raw_parts(self.pointer.cast::<u8>(), self.bytes) }.to_vec()
    }

    pub(in crate::driver) fn write(&self, bytes: &[u8]) {
        assert!(bytes.len() <= self.bytes);
        // SAFETY: as above; the length was just checked.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer.cast::<u8>(), bytes.len()) };
    }
}

/// Pages of the program's own, closed when dropped: unmapped they could be someone else's at once.
pub(super) struct Pages(ptr::NonNull<u8>, usize);

impl Pages {
    pub(super) fn new() -> Self {
        let len = pages::whole_pages(1);
        Self(pages::map(len, Access::ReadWrite).expect("a page"), len)
    }

    pub(super) fn pointer(&self) -> *mut c_void {
        self.0.as_ptr().cast()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the pages that `new` mapped; what still uses them is the mistake that is tested.
        unsafe { pages::close(self.0.addr().get() as u64, self.1) };
    }
}
