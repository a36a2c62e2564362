//! Streams of other libraries, and the context's own.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr;

use super::Stream;
use crate::context::{Context, RawStream};
use crate::driver::ffi::CUstream;
use crate::error::{Error, Result};

/// `CU_STREAM_LEGACY`.
const LEGACY: CUstream = ptr::without_provenance_mut(1);

/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: CUstream = ptr::without_provenance_mut(2);

impl Stream {
    /// The legacy default stream of the current context, on which other libraries queue what names no stream
    /// (`CU_STREAM_LEGACY`). It is a stream of the context's own: nothing is made, and the drop destroys nothing.
    ///
    /// Its work waits for, and is waited for by, the work of every *blocking* stream of the context; memcore's own
    /// streams are non-blocking. There is no constructor for the per-thread default stream: a wait for it on another
    /// thread returns with its work not done.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let legacy = Stream::legacy()?;
    /// let mut dev = device_vec![0u8; 16]?;
    /// fill!(dev <- 1, legacy)?;
    /// assert_eq!(dev.to_vec()?, [1; 16]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What opening the default context fails with.
    pub fn legacy() -> Result<Self> {
        Ok(Self::legacy_in(&Context::current()?))
    }

    /// As [`legacy`](Self::legacy), of `context`.
    #[must_use]
    pub fn legacy_in(context: &Context) -> Self {
        Self::of(context, RawStream::borrowed(LEGACY))
    }

    /// Takes ownership of a stream (`CUstream`, `cudaStream_t`) of another library, which is destroyed with this; a
    /// null handle, the legacy default stream, is not.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for the per-thread default stream: a wait for it on another thread returns with its work
    /// not done.
    ///
    /// # Safety
    ///
    /// `stream` is a live stream of `context`, nobody else's from here on, and nothing captures on it while memcore
    /// uses it.
    pub unsafe fn from_raw(context: &Context, stream: *mut c_void) -> Result<Self> {
        let stream = usable(stream)?;
        let raw =
            if stream.is_null() || stream == LEGACY { RawStream::borrowed(stream) } else { RawStream::owned(stream) };
        Ok(Self::of(context, raw))
    }

    /// A stream of another library, which stays that library's: the drop destroys nothing.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let theirs = Stream::new()?; // a stream that another library has made
    /// // SAFETY: it lives longer, and nothing captures on it.
    /// let stream = unsafe { Stream::borrowed(theirs.context(), theirs.as_raw())? };
    /// let mut dev = device_vec![0u8; 4]?;
    /// copy!(dev <- [1, 2, 3, 4], stream)?;
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`from_raw`](Self::from_raw).
    ///
    /// # Safety
    ///
    /// `stream` is a stream of `context` that lives as long as this, and nothing captures on it while memcore uses it.
    pub unsafe fn borrowed(context: &Context, stream: *mut c_void) -> Result<Self> {
        Ok(Self::of(context, RawStream::borrowed(usable(stream)?)))
    }

    /// Gives up ownership: the handle (`CUstream`) is destroyed by whoever has it, or by [`from_raw`](Self::from_raw)'s
    /// stream. The context stays open for the life of the process.
    #[must_use = "the stream is leaked unless it is put together again"]
    pub fn into_raw(self) -> *mut c_void {
        ManuallyDrop::new(self).as_raw()
    }
}

fn usable(stream: *mut c_void) -> Result<CUstream> {
    match stream.cast() {
        PER_THREAD => Err(Error::Unsupported { what: "the per-thread default stream" }),
        stream => Ok(stream),
    }
}
