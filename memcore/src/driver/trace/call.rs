//! What the tracer has to know of a call: its arguments, and whether it queues or waits.

use core::ffi::{c_char, c_void};
use core::ptr;

use crate::driver::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid,
};

/// The arguments that are written down or looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments {
    /// Of a memset, units until [`in_bytes`](Self::in_bytes) was called.
    pub(super) bytes: Option<usize>,
    pub(super) stream: Option<CUstream>,
    pub(super) device: Option<CUdevice>,
    pub(super) flags: u32,
    pub(super) out_stream: *mut CUstream,
    pub(super) out_context: *mut CUcontext,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            bytes: None,
            stream: None,
            device: None,
            flags: 0,
            out_stream: ptr::null_mut(),
            out_context: ptr::null_mut(),
        }
    }
}

impl Arguments {
    /// Counts the units of a memset in bytes.
    pub(super) fn in_bytes(mut self, method: &str) -> Self {
        let unit = match method {
            "memset_d16" | "memset_d16_async" | "memset_d2d16" | "memset_d2d16_async" => 2,
            "memset_d32" | "memset_d32_async" | "memset_d2d32" | "memset_d2d32_async" => 4,
            _ => 1,
        };
        self.bytes = self.bytes.map(|bytes| bytes.saturating_mul(unit));
        self
    }
}

/// An argument of an entry point.
pub(super) trait Argument {
    /// Notes it, if it is of interest.
    fn note(self, name: &'static str, into: &mut Arguments);
}

impl Argument for usize {
    fn note(self, name: &'static str, into: &mut Arguments) {
        match name {
            "bytes" | "count" | "width" => into.bytes = Some(self),
            // Rows of the width before it.
            "height" => into.bytes = into.bytes.map(|width| width.saturating_mul(self)),
            _ => {}
        }
    }
}

impl Argument for u32 {
    fn note(self, name: &'static str, into: &mut Arguments) {
        if name == "flags" {
            into.flags = self;
        }
    }
}

impl Argument for CUdevice {
    fn note(self, name: &'static str, into: &mut Arguments) {
        if name == "device" {
            into.device = Some(self);
        }
    }
}

impl Argument for CUstream {
    fn note(self, _: &'static str, into: &mut Arguments) {
        into.stream = Some(self);
    }
}

impl Argument for *mut CUstream {
    fn note(self, _: &'static str, into: &mut Arguments) {
        into.out_stream = self;
    }
}

impl Argument for *mut CUcontext {
    fn note(self, _: &'static str, into: &mut Arguments) {
        into.out_context = self;
    }
}

macro_rules! of_no_interest {
    ($($type:ty),* $(,)?) => {
        $(impl Argument for $type {
            fn note(self, _: &'static str, _: &mut Arguments) {}
        })*
    };
}

of_no_interest! {
    u8, u16, CUdeviceptr, CUcontext, CUevent, CUgraph, CUhostFn, CUmemoryPool, *mut i32, *mut u32, *mut f32, *mut usize,
    *mut c_char, *mut c_void, *const c_void, *mut *mut c_void, *mut CUdeviceptr, *mut CUuuid, *mut CUevent, *mut CUgraph,
    *mut CUmemoryPool, *mut CUmemLocation, *const CUmemAccessDesc, *const CUmemPoolProps, *const CUDA_MEMCPY2D, *const CUDA_MEMCPY3D, CUarray, *mut CUarray, *const CUDA_ARRAY_DESCRIPTOR, *const CUDA_ARRAY3D_DESCRIPTOR, *mut CUDA_ARRAY_DESCRIPTOR, *mut CUDA_ARRAY3D_DESCRIPTOR,
}

/// What a call is to the tracer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It queues work for the device, which has this name on the stream's row.
    Queues(&'static str),
    /// Once it succeeds, something queued is done.
    Waits,
    /// It comes with nearly every operation, or queues no work that takes time: the file can wait.
    Quick,
    /// Anything else.
    Other,
}

impl Kind {
    pub(super) fn of(method: &str) -> Self {
        match method {
            "memcpy_htod_async" => Self::Queues("copy HtoD"),
            "memcpy_dtoh_async" => Self::Queues("copy DtoH"),
            "memcpy_dtod_async" => Self::Queues("copy DtoD"),
            "memcpy_peer_async" | "memcpy_3d_peer_async" => Self::Queues("copy to a peer"),
            "memcpy_2d_async" | "memcpy_3d_async" => Self::Queues("copy of rows"),
            "memset_d8_async" | "memset_d16_async" | "memset_d32_async" => Self::Queues("set"),
            "memset_d2d8_async" | "memset_d2d16_async" | "memset_d2d32_async" => Self::Queues("set rows"),
            "mem_prefetch" => Self::Queues("prefetch"),
            "launch_host_function" => Self::Queues("host function"),
            "stream_write_value_32" => Self::Queues("write a value"),
            "context_synchronize" | "stream_synchronize" | "stream_query" | "event_synchronize" | "event_query" => {
                Self::Waits
            }
            "context_current"
            | "context_set_current"
            | "exchange_capture_mode"
            | "stream_is_capturing"
            | "stream_wait_event"
            | "stream_attach_memory"
            | "event_create"
            | "event_destroy"
            | "event_record"
            | "event_elapsed_time"
            | "pointer_attribute"
            | "mem_alloc_async"
            | "mem_alloc_from_pool"
            | "mem_free_async" => Self::Quick,
            _ => Self::Other,
        }
    }
}
