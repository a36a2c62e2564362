//! Transfers: copies that own their buffers while they are in flight, for `'static` and `async` code.

mod error;
mod flight;
mod owned;
mod watch;

pub use error::TransferError;
use owned::Owned;
pub use owned::{TransferDestination, TransferSource};
pub(crate) use watch::wait_for_dropped;

use core::fmt;
use core::future::Future;
use core::mem::needs_drop;
use core::pin::Pin;
use core::task::{Context as TaskContext, Poll};

use flight::{Direction, Flight, State};

use crate::error::Result;
use crate::memory::DeviceBuffer;
use crate::memory::size::same_len;
use crate::stream::Stream;

/// A copy in flight, with the buffers it works on; see [`Stream::upload`] and [`Stream::download`].
///
/// [`wait`](Self::wait) or `.await` gives the buffers back. Dropped before, it lets the copy finish and then frees
/// them; forgotten, it leaks them. Either way the device never works on memory that is someone else's.
///
/// It is a [`Future`] for any executor, and may move between threads from one poll to the next: a thread of memcore's own
/// wakes the tasks that await one, at first after 20 µs and then less and less often, up to every millisecond, to ask the
/// driver. That thread runs what wakers run: one that blocks in [`Waker::wake`](core::task::Waker::wake) holds up the
/// others. Cancelled (by an `abort`, a timeout, a `select!` that another branch wins), it is dropped. A `&mut Transfer`
/// can be awaited too: cancelling that leaves the transfer as it is, to be awaited again. In a context that dies it
/// resolves with the error.
///
/// In `async` code name the context where memory is made, as `zeroed_in(stream.context(), …)` does here. What names none
/// uses the one that is [entered](crate::Context::enter) on its thread, and an executor runs a task on any thread.
///
/// ```
/// use std::error::Error;
///
/// use memcore::prelude::*;
///
/// async fn there_and_back(stream: &Stream, host: LockedBuffer<u8>) -> Result<LockedBuffer<u8>, Box<dyn Error>> {
///     let dev = DeviceBuffer::zeroed_in(stream.context(), host.len())?;
///     let (host, dev) = stream.upload(host, dev)?.await?;
///     let (_dev, host) = stream.download(dev, host)?.await?;
///     Ok(host)
/// }
///
/// # fn block_on<F: Future>(future: F) -> F::Output {
/// #     let mut future = std::pin::pin!(future);
/// #     let mut task = std::task::Context::from_waker(std::task::Waker::noop());
/// #     loop {
/// #         if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut task) {
/// #             return output;
/// #         }
/// #         std::thread::yield_now();
/// #     }
/// # }
/// let (stream, host) = (Stream::new()?, locked_vec![7u8; 1024]?);
/// let host = block_on(there_and_back(&stream, host))?; // by any executor
/// assert_eq!(*host, [7; 1024]);
/// # Ok::<(), Box<dyn Error>>(())
/// ```
#[must_use = "a transfer that is dropped gives its buffers to nobody"]
pub struct Transfer<S: Owned, D: Owned> {
    /// `Some` until the buffers are given back.
    buffers: Option<Buffers<S, D>>,
    flight: Flight,
    /// Who awaits it.
    task: watch::Task,
}

/// A transfer that was started, or its buffers and why not.
pub type Started<S, D> = Result<Transfer<S, D>, TransferError<S, D>>;

/// The buffers of a transfer that is done, source first, or what went wrong.
pub type Transferred<S, D> = Result<(S, D), TransferError<S, D>>;

/// The two buffers, taken apart.
struct Buffers<S: Owned, D: Owned> {
    source: S::Parts,
    destination: D::Parts,
}

impl<S: Owned, D: Owned> Buffers<S, D> {
    /// # Safety
    ///
    /// The device is done with both.
    unsafe fn put_together(self) -> (S, D) {
        // SAFETY: parts of `take_apart`, consumed here; the caller's contract.
        let source = unsafe { S::put_together(self.source) };
        // SAFETY: as above.
        let destination = unsafe { D::put_together(self.destination) };
        (source, destination)
    }
}

impl Stream {
    /// Queues a copy of all of `source` to `destination`, and owns both until it is done. Does not wait, though a copy
    /// from pageable memory (`Vec`, `Box<[T]>`) may return only when the driver has read it.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let transfer = stream.upload(locked_vec![7u8; 1024]?, device_vec![0u8; 1024]?)?;
    /// // ... other work ...
    /// let (source, dev) = transfer.wait()?;
    /// assert_eq!(dev.to_vec()?, *source);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Here `?` is in a function that returns `Box<dyn Error>`. To [`memcore::Error`](crate::Error) it converts by
    /// [`TransferError::into_error`]:
    ///
    /// ```
    /// use memcore::TransferError;
    /// use memcore::prelude::*;
    ///
    /// fn uploaded(stream: &Stream, host: Vec<u8>) -> memcore::Result<DeviceBuffer<u8>> {
    ///     let dev = DeviceBuffer::zeroed_in(stream.context(), host.len())?;
    ///     let transfer = stream.upload(host, dev).map_err(TransferError::into_error)?;
    ///     let (_host, dev) = transfer.wait().map_err(TransferError::into_error)?;
    ///     Ok(dev)
    /// }
    /// assert_eq!(uploaded(&Stream::new()?, vec![7; 100])?.to_vec()?, [7; 100]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Memory that is borrowed goes into a [scope](Self::scope).
    ///
    /// Driver functions: `cuMemcpyHtoDAsync_v2`, `cuEventCreate`, `cuEventRecord`, `cuStreamWriteValue32_v2`.
    ///
    /// # Errors
    ///
    /// With the buffers, unless the device may still work on them:
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch);
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); [`Error::OtherDevice`](crate::Error::OtherDevice);
    /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
    #[track_caller]
    pub fn upload<S: TransferSource>(
        &self,
        source: S,
        destination: DeviceBuffer<S::Element>,
    ) -> Started<S, DeviceBuffer<S::Element>>
    where
        S::Element: Send + 'static,
    {
        Transfer::start(self, source, destination, Direction::Upload)
    }

    /// Queues a copy of all of `source` to `destination`, and owns both until it is done. Does not wait, though a copy
    /// to pageable memory (`Vec`, `Box<[T]>`) may return only when it is done.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let (_dev, host) = stream.download(device_vec![7u8; 1024]?, locked_vec![0u8; 1024]?)?.wait()?;
    /// assert_eq!(*host, [7; 1024]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// In a function that returns [`memcore::Result`](crate::Result) write `.map_err(TransferError::into_error)?` in place
    /// of either `?`, as for [`upload`](Self::upload).
    ///
    /// Driver functions: `cuMemcpyDtoHAsync_v2`, `cuEventCreate`, `cuEventRecord`, `cuStreamWriteValue32_v2`.
    ///
    /// # Errors
    ///
    /// As [`upload`](Self::upload).
    #[track_caller]
    pub fn download<D: TransferDestination>(
        &self,
        source: DeviceBuffer<D::Element>,
        destination: D,
    ) -> Started<DeviceBuffer<D::Element>, D>
    where
        D::Element: Send + 'static,
    {
        Transfer::start(self, source, destination, Direction::Download)
    }
}

impl<S: Owned, D: Owned<Element = S::Element>> Transfer<S, D> {
    #[track_caller]
    fn start(stream: &Stream, source: S, destination: D, direction: Direction) -> Started<S, D> {
        // What is not put together again is leaked.
        const { assert!(!needs_drop::<S::Parts>() && !needs_drop::<D::Parts>()) };
        let mut buffers = Buffers::<S, D> { source: source.take_apart(), destination: destination.take_apart() };
        let (from, source_len) = S::place(&mut buffers.source);
        let (to, destination_len) = D::place(&mut buffers.destination);
        let bytes = source_len * size_of::<S::Element>();
        let started = same_len(destination_len, source_len).map_err(|error| (error, true)).and_then(|()| {
            // SAFETY: the buffers are owned and taken apart; as many bytes on both sides, the device's in an open
            // context that its buffer keeps open. They are put together again only when `Flight` says that the device
            // is done.
            unsafe { Flight::start(stream, direction, to, from, bytes) }
        });
        match started {
            Ok(flight) => Ok(Self { buffers: Some(buffers), flight, task: watch::Task::default() }),
            Err((error, is_done)) => {
                // SAFETY: nothing was queued, or it was waited for.
                let buffers = is_done.then(|| unsafe { buffers.put_together() });
                Err(TransferError::new(error, buffers))
            }
        }
    }
}

impl<S: Owned, D: Owned> Transfer<S, D> {
    /// Waits until the copy is done and gives the buffers back. Driver function: `cuEventSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code: of the wait, or of work that failed. The buffers come with it if it is certain that the
    /// device is done with them; else they are leaked. `NOT_PERMITTED` in a
    /// [host function](Stream::launch_host_function), where nothing can be waited for: the buffers are dropped when the
    /// copy is done.
    ///
    /// # Panics
    ///
    /// If a poll has given the buffers back already.
    #[track_caller]
    pub fn wait(mut self) -> Transferred<S, D> {
        match self.flight.wait() {
            Ok(state) => self.finish(state),
            Err(error) => Err(TransferError::new(error, None)),
        }
    }

    /// Gives the buffers back if the copy is done, else the transfer. Does not wait. Driver function: `cuEventQuery`.
    ///
    /// # Errors
    ///
    /// The transfer, while the copy is in flight. The inner result is [`wait`](Self::wait)'s.
    ///
    /// # Panics
    ///
    /// If a poll has given the buffers back already.
    #[track_caller]
    #[allow(clippy::result_large_err, reason = "what comes back is the transfer itself")]
    pub fn try_wait(mut self) -> Result<Transferred<S, D>, Self> {
        match self.flight.query() {
            State::InFlight => Err(self),
            state => Ok(self.finish(state)),
        }
    }

    fn finish(&mut self, state: State) -> Transferred<S, D> {
        let Some(buffers) = self.buffers.take() else {
            panic!("a transfer was polled, or waited for, after it had given its buffers back");
        };
        match state {
            // SAFETY: `Flight` says that the device is done.
            State::Done => Ok(unsafe { buffers.put_together() }),
            State::Failed(error) => {
                // SAFETY: as above.
                let buffers = unsafe { buffers.put_together() };
                Err(TransferError::new(error, Some(buffers)))
            }
            // The parts are not put together, so that nothing is freed.
            State::Lost(error) => Err(TransferError::new(error, None)),
            State::InFlight => unreachable!("a transfer in flight is not finished"),
        }
    }
}

impl<S: Owned, D: Owned> Future for Transfer<S, D> {
    type Output = Transferred<S, D>;

    /// Asks whether the copy is done. Does not wait. Driver function: `cuEventQuery`.
    ///
    /// # Panics
    ///
    /// If it has given its buffers back already.
    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        match self.flight.query() {
            State::InFlight => {
                self.task.wake_soon(task.waker());
                Poll::Pending
            }
            state => Poll::Ready(self.finish(state)),
        }
    }
}

/// Nothing in it refers to itself: the buffers lie elsewhere.
impl<S: Owned, D: Owned> Unpin for Transfer<S, D> {}

/// Lets the copy finish: where it is still in flight, a thread of memcore's own keeps the buffers until it is done.
impl<S: Owned, D: Owned> Drop for Transfer<S, D> {
    fn drop(&mut self) {
        let Some(buffers) = self.buffers.take() else { return };
        let mut kept = Kept::<S, D> { buffers: Some(buffers), flight: self.flight.take() };
        if !watch::Parked::is_done(&mut kept) {
            watch::park(Box::new(kept));
        }
    }
}

/// The buffers of a transfer that was dropped in flight.
struct Kept<S: Owned, D: Owned> {
    buffers: Option<Buffers<S, D>>,
    flight: Flight,
}

impl<S: Owned, D: Owned> watch::Parked for Kept<S, D> {
    fn is_done(&mut self) -> bool {
        match self.flight.query() {
            State::InFlight => return false,
            State::Done | State::Failed(_) => {
                if let Some(buffers) = self.buffers.take() {
                    // SAFETY: `Flight` says that the device is done.
                    drop(unsafe { buffers.put_together() });
                }
            }
            // Not put together, so that nothing is freed.
            State::Lost(error) => log::error!("the buffers of a transfer were leaked: {error}"),
        }
        true
    }
}

impl<S: Owned, D: Owned> fmt::Debug for Transfer<S, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transfer").field("given_back", &self.buffers.is_none()).finish_non_exhaustive()
    }
}
