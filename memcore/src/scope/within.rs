//! Moves within memory that is lent to a scope.

use super::Scope;
use super::lent::Lent;
use crate::context::context_of;
use crate::copy::{self, Move};
use crate::error::Result;
use crate::memory::{DeviceCopy, DeviceIndex, DeviceSlice, resolve};

impl<'scope, T: DeviceCopy> Lent<'scope, DeviceSlice<T>> {
    /// Queues a copy of a range of the memory to where `destination` begins in it, as [`slice::copy_within`] does: the two
    /// may overlap. Does not wait, unless memory for a temporary runs out.
    ///
    /// Driver functions: as for [`DeviceSlice::copy_within`]; scratch memory is a temporary of the scope, allocated in the
    /// order of its stream (`cuMemAllocFromPoolAsync`) and freed when it ends.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut dev = device_vec![1u8, 2, 3, 4, 5]?;
    /// stream.scope(|s| s.lend(&mut dev).copy_within(..4, 1, s))?;
    /// assert_eq!(dev.to_vec()?, [1, 1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DeviceSlice::copy_within`].
    ///
    /// # Panics
    ///
    /// If either range does not lie inside.
    #[track_caller]
    pub fn copy_within(
        &mut self,
        source: impl DeviceIndex + Clone,
        destination: usize,
        scope: &Scope<'scope, '_>,
    ) -> Result<()> {
        let (start, len) = resolve(source, destination, self.len());
        let bytes = len * size_of::<T>();
        if bytes == 0 || start == destination {
            return Ok(());
        }
        let at = |element: usize| self.address() + (element * size_of::<T>()) as u64;
        let (mut within, scratch) = Move::plan(at(destination), at(start), bytes, size_of::<T>());
        if scratch > 0 {
            // SAFETY: nothing is written, or read later.
            within = within.through(unsafe { scope.state.temporaries.allocate(scope.stream, scratch, ())? });
        }
        // SAFETY: the address lies in device memory that is lent until the scope ends, so its context stays open.
        let context = unsafe { context_of(self.address())? };
        let exposes = copy::has_managed_memory();
        if exposes && !within.is_one_call() {
            // Refused half-way, it is in flight half-way.
            scope.expose();
        }
        let exposing = scope.exposing(exposes);
        // SAFETY: both ranges lie inside memory that is lent to the scope exclusively, and so does the scratch memory; the scope
        // waits.
        exposing.ends_with(unsafe { copy::move_within(context, within, scope.mode()) })
    }
}
