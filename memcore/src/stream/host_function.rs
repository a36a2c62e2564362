//! Functions of the host that a stream calls.

use core::any::Any;
use core::ffi::c_void;
use core::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use super::Stream;
use crate::driver::{check, symbol};
use crate::error::Result;

/// A function that is called once, or taken back before.
type Slot<F> = Mutex<Option<F>>;

impl Stream {
    /// Queues `function`: it is called, on a thread of the driver's, when everything queued before is done, and what is
    /// queued after it waits until it returns. Does not wait. Driver function: `cuLaunchHostFunc`.
    ///
    /// memcore's calls in the function are refused (`NOT_PERMITTED`), also those that free memory: what memcore owns and is
    /// dropped there leaks, but for a [`Transfer`](crate::Transfer), which is kept until its copy is done. So it is for
    /// telling others, and they do the work:
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// let stream = Stream::new()?;
    /// let mut dev = device_vec![0u8; 4]?;
    /// let (done, is_done) = mpsc::channel();
    /// stream.scope(|s| {
    ///     fill!(dev <- 1, s)?;
    ///     s.stream().launch_host_function(move || done.send("filled").unwrap())
    /// })?;
    /// assert_eq!(is_done.recv(), Ok("filled"));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// A panic ends in the function: it is logged, and the stream goes on. In a context that dies before the function's
    /// turn it is never called, nor is it dropped. Functions of several streams may be called one after the other, so one
    /// must not wait for another.
    ///
    /// # Errors
    ///
    /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code. Then `function` is dropped, unless the
    /// driver has called it all the same.
    #[track_caller]
    pub fn launch_host_function<F>(&self, function: F) -> Result<()>
    where
        F: FnOnce() + Send + 'static,
    {
        let bound = self.bind()?;
        let slot = Arc::new(Slot::new(Some(function)));
        let data = Arc::into_raw(Arc::clone(&slot)).cast_mut().cast::<c_void>();
        // SAFETY: the stream is alive and its context bound; `call` takes over the clone of the slot that `data` is, on any
        // thread, since its function is `Send` and `'static`.
        let status = unsafe { bound.driver().launch_host_function(self.handle(), Some(call::<F>), data) };
        check(symbol::launch_host_function, status).inspect_err(|_| {
            // An error does not prove that nothing was queued: the clone stays for a call that may come, and finds nothing.
            let function = take(&slot);
            drop(function);
        })
    }
}

fn take<F>(slot: &Slot<F>) -> Option<F> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What the driver calls.
///
/// # Safety
///
/// `data` is a `Slot<F>` from [`Arc::into_raw`], for this one call.
unsafe extern "C" fn call<F: FnOnce()>(data: *mut c_void) {
    // SAFETY: this function's contract.
    let slot = unsafe { Arc::from_raw(data.cast::<Slot<F>>().cast_const()) };
    let called = catch_unwind(AssertUnwindSafe(move || {
        let function = take(&slot);
        drop(slot);
        if let Some(function) = function {
            function();
        }
    }));
    if let Err(payload) = called {
        // Nothing may unwind from here: neither the logger nor the payload's own drop.
        let _ = catch_unwind(AssertUnwindSafe(|| log::error!("a host function panicked: {}", message(&*payload))))
            .map_err(mem::forget);
        mem::forget(payload);
    }
}

/// A panic's message.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
