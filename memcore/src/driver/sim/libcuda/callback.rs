//! `cuStreamAddCallback`, as a host function.

use core::ffi::c_void;

use super::super::call::{Answer, Call};
use super::super::machine::Machine;
use crate::driver::ffi::CUstream;
use crate::error::Status;

/// `CUstreamCallback`: called with the stream, how its work went, and the program's own pointer.
pub(super) type CUstreamCallback = Option<unsafe extern "C" fn(CUstream, u32, *mut c_void)>;

/// What a callback is called with.
struct Queued {
    callback: unsafe extern "C" fn(CUstream, u32, *mut c_void),
    stream: CUstream,
    data: *mut c_void,
}

impl Machine {
    pub(in super::super) fn stream_add_callback(
        &mut self,
        call: &Call,
        stream: CUstream,
        callback: CUstreamCallback,
        data: *mut c_void,
        flags: u32,
    ) -> Answer {
        let Some(callback) = callback.filter(|_| flags == 0) else { return Err(Status::INVALID_VALUE) };
        let queued = Box::into_raw(Box::new(Queued { callback, stream, data }));
        let answer = self.launch_host_function(call, stream, Some(call_back), queued.cast());
        if answer.is_err() {
            // SAFETY: from `into_raw` above, and nobody else has it: the function will not be called.
            drop(unsafe { Box::from_raw(queued) });
        }
        answer
    }
}

/// Calls a callback. In a context that has died it is not called, and what it would be called with stays.
unsafe extern "C" fn call_back(queued: *mut c_void) {
    // SAFETY: a host function is called once, with what it was queued with, which is from `into_raw`.
    let queued = unsafe { Box::from_raw(queued.cast::<Queued>()) };
    // SAFETY: by the driver contract it may be called once, on any thread, with this argument.
    unsafe { (queued.callback)(queued.stream, Status::SUCCESS.0, queued.data) };
}
