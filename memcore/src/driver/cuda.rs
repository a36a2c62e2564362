//! The CUDA driver, loaded at run time.

use core::ffi::{CStr, c_char, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use libloading::Library;

use super::entry_points::entry_points;
use super::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid,
};
use super::{Driver, DriverKind, HostRows};
use crate::error::{Error, Result, Status};

/// The names under which the driver is installed: the versioned ones, since images made to run programs, not to build
/// them, have no other.
const LIBRARIES: [&str; 2] = ["libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"];

/// One function of the library, looked up when it is first called.
struct Symbol(AtomicPtr<c_void>);

/// In a [`Symbol`]: looked up, and not there.
const MISSING: *mut c_void = ptr::without_provenance_mut(1);

impl Symbol {
    const fn unresolved() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The function's address, if it has been looked up and is there.
    #[inline]
    fn get(&self) -> Option<*mut c_void> {
        let address = self.0.load(Ordering::Acquire);
        (address.addr() > MISSING.addr()).then_some(address)
    }

    /// Whether the library has the function, which [`get`](Self::get) knows from here on. Two threads that ask at once find
    /// the same.
    fn look_up(&self, library: &Library, name: &'static CStr) -> bool {
        let mut address = self.0.load(Ordering::Acquire);
        if address.is_null() {
            // SAFETY: the symbol is only read as an address here; it is given its C type where it is called.
            let symbol = unsafe { library.get::<*mut c_void>(name.to_bytes_with_nul()) };
            address = symbol.map_or(MISSING, |symbol| *symbol);
            self.0.store(address, Ordering::Release);
        }
        address != MISSING
    }
}

macro_rules! cuda_driver {
    ($($method:ident = $symbol:literal $(| $per_thread:literal)? ($($arg:ident: $type:ty),*);)*) => {
        /// The loaded driver library and its functions.
        pub(super) struct CudaDriver {
            /// Never unloaded: threads and exit handlers of the driver may outlive any use of it here.
            library: &'static Library,
            $($method: Symbol,)*
        }

        impl CudaDriver {
            const fn with_library(library: &'static Library) -> Self {
                Self { library, $($method: Symbol::unresolved(),)* }
            }
        }

        impl Driver for CudaDriver {
            $(
                unsafe fn $method(&self, $($arg: $type),*) -> Status {
                    type Function = unsafe extern "C" fn($($type),*) -> u32;

                    /// A function of its own, so that the calls after the first save no registers for it.
                    #[cold]
                    unsafe fn first(driver: &CudaDriver, $($arg: $type),*) -> Status {
                        const NAME: &CStr = match CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                            Ok(name) => name,
                            Err(_) => panic!("a symbol's name holds no NUL"),
                        };
                        if !driver.$method.look_up(driver.library, NAME) {
                            return Status::MISSING_SYMBOL;
                        }
                        // SAFETY: the caller keeps the contract of the driver function of this name.
                        unsafe { driver.$method($($arg),*) }
                    }

                    let Some(address) = self.$method.get() else {
                        // SAFETY: as above.
                        return unsafe { first(self, $($arg),*) };
                    };
                    // SAFETY: the driver's versioned symbol of this name has this C signature; what it returns as an
                    // enum in C is an `unsigned int`, any value of which is a `u32`.
                    let function = unsafe { core::mem::transmute::<*mut c_void, Function>(address) };
                    // SAFETY: the caller keeps the contract of the driver function of this name.
                    Status(unsafe { function($($arg),*) })
                }
            )*
        }
    };
}
entry_points!(cuda_driver);

impl CudaDriver {
    /// Loads the driver library, by the first of its names that serves.
    pub(super) fn load() -> Result<Self> {
        let mut tried = Vec::new();
        for name in LIBRARIES {
            // SAFETY: the driver's initialisers are made to run at any time, on any thread.
            match unsafe { Library::new(name) } {
                Ok(library) => return Ok(Self::with_library(Box::leak(Box::new(library)))),
                Err(error) => tried.push(format!("{name}: {}", reason(&error))),
            }
        }
        Err(Error::NoDriver { tried, has_contexts: false })
    }
}

/// The system's own words on why a library did not load, without the name that is said before it.
fn reason(error: &libloading::Error) -> String {
    let text = match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    };
    match text.split_once(": ") {
        Some((name, rest)) if LIBRARIES.contains(&name) => rest.to_owned(),
        _ => text,
    }
}

impl DriverKind for CudaDriver {
    fn is_simulated(&self) -> bool {
        false
    }

    fn reserved_by(&self, _address: u64) -> Option<i32> {
        None
    }

    fn observe(&self, _stream: CUstream) {}

    fn keep(&self, _address: u64) {}

    unsafe fn note_host_allocation(&self, _address: u64, _bytes: usize, _zeros: bool) {}

    unsafe fn note_host_free(&self, _address: u64) {}

    fn refuses_pages(&self) -> bool {
        false
    }

    fn refuses_huge_pages(&self) -> bool {
        false
    }

    #[inline]
    fn lets_host_copy(&self, _rows: HostRows) -> bool {
        true
    }
}

impl core::fmt::Debug for CudaDriver {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("CudaDriver")
    }
}
