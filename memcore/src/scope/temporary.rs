//! Device memory that lives as long as a scope.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::Zeroable;

use super::lent::Lent;
use super::{Scope, bind};
use crate::context::{Allocation, AllocatorKind, Inner, Prepare, Relaxed};
use crate::copy::{self, Filled, HostKind, Mode, Order};
use crate::error::{Error, Result};
use crate::memory::size::bytes_of;
use crate::memory::{DeviceCopy, DeviceSlice, gather};
use crate::stream::Stream;

/// Memory that was allocated for a scope.
///
/// INVARIANT: what is in here is used on the scope's stream alone, but for inner scopes that took it over, each of which
/// has waited before its outer scope ends, or seen its ticket arrive, or has marked the context so that nothing of it is
/// freed any more.
#[derive(Debug, Default)]
pub(super) struct Temporaries(Mutex<Vec<Allocation>>);

impl Temporaries {
    /// `bytes` (more than 0) allocated in the order of `stream`, in which `prepare` then queues work. Does not wait.
    ///
    /// # Safety
    ///
    /// `prepare` writes at most `bytes`, and reads nothing of the host later.
    #[track_caller]
    pub(super) unsafe fn allocate(&self, stream: &Stream, bytes: usize, prepare: impl Prepare) -> Result<u64> {
        let context = &stream.context().inner;
        let bound = context.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let allocation = context.allocate_on(stream.raw(), None, bytes)?;
        // From here on the scope's end frees it, behind whatever was queued.
        // INVARIANT: just allocated in this stream's order, and handed out under the scope's brand alone.
        self.lock().push(allocation);
        // SAFETY: the memory was just allocated, with room for `bytes`, and nothing else uses it before.
        unsafe { prepare.queue(bound.driver(), allocation.address, stream.handle())? };
        Ok(allocation.address)
    }

    /// A copy of `source`, which has some bytes; complete on return.
    #[track_caller]
    fn upload<T: DeviceCopy>(&self, stream: &Stream, source: &[T]) -> Result<u64> {
        let (context, bytes) = (&*stream.context().inner, size_of_val(source));
        // SAFETY: nothing is written.
        let allocation = unsafe { context.allocate(None, bytes, ())? };
        // INVARIANT: the allocation is done, and it is handed out under the scope's brand alone, when the upload is done.
        self.lock().push(allocation);
        let mode = Mode::Waited(Order::Now);
        // SAFETY: as many bytes on both sides, all initialised (`NoUninit`), used by this call alone, which waits.
        unsafe { copy::upload(context, allocation.address, source.as_ptr().cast(), HostKind::Unknown, bytes, mode)? };
        Ok(allocation.address)
    }

    /// Queues the frees behind all that is queued on `stream`, when nothing more will be that uses the memory. What is
    /// not of a pool is left for [`free_waited`](Self::free_waited), as is everything if the context cannot be bound.
    #[track_caller]
    pub(super) fn free_in_order(&self, stream: &Stream) {
        let context = &*stream.context().inner;
        if context.allocator_kind() != AllocatorKind::Pool || self.lock().is_empty() {
            return;
        }
        let Ok(_bound) = bind(stream) else { return };
        self.free_each(context, Some(stream));
    }

    /// Frees what is left, when the stream has been waited for.
    #[track_caller]
    pub(super) fn free_waited(&self, context: &Inner) {
        self.free_each(context, None);
    }

    /// Each is taken out first: what unwinds (a logger that panics) leaves the others, and none is freed twice.
    #[track_caller]
    fn free_each(&self, context: &Inner, behind: Option<&Stream>) {
        loop {
            let next = self.lock().pop();
            let Some(temporary) = next else { return };
            let freed = match behind {
                // SAFETY: by the invariant pending work uses it on this stream at most, and it is of the context's pool.
                Some(stream) => unsafe { context.free_on(stream.raw(), temporary) },
                // SAFETY: by the invariant only the scope's stream uses it, which has been waited for or marks the context.
                None => unsafe { context.free(temporary) },
            };
            if let Err(error) = freed {
                context.note_drop_error(error);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Allocation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'scope> Scope<'scope, '_> {
    /// `len` elements of zero bytes in device memory, for this scope's operations: allocated and zeroed in the order of
    /// the scope's stream, and freed in its order when the scope ends. Does not wait, unless memory runs out: then it
    /// waits for the stream and the context's pending frees, and tries once more.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut back = vec![0u8; 10];
    /// stream.scope(|s| {
    ///     let scratch = s.device_vec::<u8>(10)?;
    ///     fill!(scratch[5..] <- 1, s)?;
    ///     copy!(back <- scratch, s)
    /// })?;
    /// assert_eq!(back, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuMemAllocFromPoolAsync`, `cuMemsetD8Async`; when the scope ends `cuMemFreeAsync`, before the
    /// wait. Where the device has no pools: `cuMemAlloc_v2`, `cuMemsetD8Async`; `cuMemFree_v2` after the wait. A free
    /// that fails leaks the memory, and goes to [`Context::take_drop_errors`](crate::Context::take_drop_errors).
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::zeroed_in`](crate::DeviceBuffer::zeroed_in). What was allocated by then is freed when the scope
    /// ends.
    #[track_caller]
    pub fn device_vec<T: Zeroable>(&self, len: usize) -> Result<&'scope mut Lent<'scope, DeviceSlice<T>>> {
        let bytes = bytes_of::<T>(len)?;
        let zeros = Filled { value: &[0], count: bytes };
        let address = match bytes {
            0 => 0,
            // SAFETY: as many zeros as there are bytes, which are in the call itself.
            bytes => unsafe { self.state.temporaries.allocate(self.stream, bytes, zeros)? },
        };
        lend(address, len)
    }

    /// The values of an iterator in device memory, for this scope's operations; freed in the order of the scope's stream
    /// when the scope ends, also on a panic. They are gathered on the host, and uploaded when this returns: it waits for
    /// its own allocation and upload, and for nothing that is queued on the stream.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut back = [0u32; 3];
    /// stream.scope(|s| {
    ///     let table = s.device_vec_from((1..=3).map(|i| i * 10))?;
    ///     copy!(back <- table, s)
    /// })?;
    /// assert_eq!(back, [10, 20, 30]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: those of [`DeviceBuffer::from_slice`](crate::DeviceBuffer::from_slice); when the scope ends, as for
    /// [`device_vec`](Self::device_vec).
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::try_from_iter`](crate::DeviceBuffer::try_from_iter). What was allocated by then is freed when the
    /// scope ends.
    #[track_caller]
    pub fn device_vec_from<T: DeviceCopy>(
        &self,
        values: impl IntoIterator<Item = T>,
    ) -> Result<&'scope mut Lent<'scope, DeviceSlice<T>>> {
        let values = gather(values)?;
        let is_empty = size_of_val(&*values) == 0;
        let address = if is_empty { 0 } else { self.state.temporaries.upload(self.stream, &values)? };
        lend(address, values.len())
    }
}

/// Memory of a scope's own, which its end frees behind all that is queued on its stream.
fn lend<'scope, T>(address: u64, len: usize) -> Result<&'scope mut Lent<'scope, DeviceSlice<T>>> {
    if !address.is_multiple_of(align_of::<T>() as u64) {
        return Err(Error::Unsupported { what: "device memory of such an alignment" });
    }
    // SAFETY: the callers have just allocated it for the scope.
    Ok(unsafe { Lent::exclusive(address, len) })
}
