//! Whose unified memory is.

use super::advise::bind_stream;
use super::{AttachFlag, MemoryAdvise, UnifiedBox, UnifiedBuffer};
use crate::context::{Exposed, Relaxed, settle};
use crate::driver::ffi::ATTACH_SINGLE;
use crate::driver::{check, symbol};
use crate::error::Result;
use crate::stream::Stream;

macro_rules! attach {
    ($($owner:ident),*) => {$(
        impl<T> $owner<T> {
            /// Says who may use the memory from now on, in place of what was said before. Waits for the stream. Driver
            /// functions: `cuStreamAttachMemAsync`, `cuStreamSynchronize`.
            ///
            /// It is safe, since neither flag takes the memory from anyone who can have a buffer of it: both matter to
            /// devices without `CONCURRENT_MANAGED_ACCESS` alone, where there is no unified buffer. The wait orders the
            /// change before whatever uses the memory next, on any stream. Memory without bytes makes no call.
            ///
            /// ```
            /// use memcore::{AttachFlag, prelude::*};
            ///
            /// let stream = Stream::new()?;
            /// let mut unified = unified_vec![1.0f32; 1024]?;
            /// unified.attach(&stream, AttachFlag::Host)?;
            /// unified[0] = 2.0;
            /// # Ok::<(), memcore::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers);
            /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
            #[track_caller]
            pub fn attach(&mut self, stream: &Stream, flag: AttachFlag) -> Result<()> {
                // SAFETY: every stream may go on using the memory; the change is waited for.
                unsafe { attach(self, stream, flag.as_raw(), Wait::Yes) }
            }

            /// Gives the memory to `stream` alone (`CU_MEM_ATTACH_SINGLE`), behind what is queued there, until it is
            /// attached again, or the stream destroyed: then holds again what the allocation asked for. Does not wait.
            /// Driver function: `cuStreamAttachMemAsync`.
            ///
            /// The driver checks nothing; the simulated device does (`wrong_stream`). memcore's own copies and fills of
            /// the memory must name this stream too (`copy!(d <- s, stream)`): without a stream they run on another.
            ///
            /// ```
            /// use memcore::prelude::*;
            ///
            /// let stream = Stream::new()?;
            /// let mut unified = unified_vec![1u32; 1024]?;
            /// // SAFETY: the device uses the memory on this stream alone.
            /// unsafe { unified.attach_single(&stream)? };
            /// fill!(unified.as_device_slice_mut() <- 7, &stream)?;
            /// assert_eq!(unified[1023], 7);
            /// # Ok::<(), memcore::Error>(())
            /// ```
            ///
            /// # Errors
            ///
            /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers);
            /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
            ///
            /// # Safety
            ///
            /// Until the memory is attached again, what the device does with it is queued on this stream, and what was
            /// queued elsewhere before is ordered before this: other use has undefined results. When the memory is
            /// freed, nothing is pending on the stream that uses it.
            #[track_caller]
            pub unsafe fn attach_single(&mut self, stream: &Stream) -> Result<()> {
                // SAFETY: the caller's contract.
                unsafe { attach(self, stream, ATTACH_SINGLE, Wait::No) }
            }
        }
    )*};
}

attach!(UnifiedBuffer, UnifiedBox);

/// Whether the change is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Yes,
    No,
}

/// # Safety
///
/// The memory is unified and alive. The device uses it as the flag allows.
#[track_caller]
unsafe fn attach(memory: &impl MemoryAdvise, stream: &Stream, flags: u32, wait: Wait) -> Result<()> {
    let Some(bound) = bind_stream(memory.owner()?, stream)? else { return Ok(()) };
    let _relaxed = Relaxed::new(bound.driver());
    // SAFETY: this function's contract; 0 bytes stand for the whole allocation.
    let status = unsafe { bound.driver().stream_attach_memory(stream.handle(), memory.as_raw_ptr(), 0, flags) };
    check(symbol::stream_attach_memory, status)?;
    match wait {
        Wait::Yes => settle(&stream.context().inner, stream.handle(), Exposed::Nothing),
        Wait::No => Ok(()),
    }
}
