//! Lent device memory moved from one stream to another.

use super::Scope;
use super::lent::Lent;
use crate::error::Result;
use crate::event::Event;
use crate::memory::DeviceSlice;

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Takes device memory over that was lent to the scope `from`, around this one: what is queued on it here comes
    /// after what has been queued there. Until this scope ends it cannot be used there. Does not wait. Driver
    /// functions: `cuEventRecord`, `cuStreamWaitEvent`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let (first, second) = (Stream::new()?, Stream::new()?);
    /// let mut dev = device_vec![0u8; 1024]?;
    /// let source = locked_vec![7u8; 1024]?;
    /// let mut back = locked_vec![0u8; 1024]?;
    /// first.scope(|a| {
    ///     let dev = a.lend(&mut dev);
    ///     copy!(dev <- source, a)?;
    ///     second.scope(|b| {
    ///         let dev = b.take_over(dev, a)?;
    ///         copy!(back <- dev, b)
    ///     })
    /// })?;
    /// assert_eq!(*back, [7; 1024]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers) if the two scopes' streams are of different drivers;
    /// the driver's code.
    #[track_caller]
    pub fn take_over<'outer, T>(
        &self,
        lent: &'env mut Lent<'outer, DeviceSlice<T>>,
        from: &Scope<'outer, '_>,
    ) -> Result<&'scope mut Lent<'scope, DeviceSlice<T>>> {
        self.follow(from)?;
        // SAFETY: lent exclusively to the outer scope, and borrowed from it for `'env`, which outlives this one; what
        // is queued here comes after what was queued there.
        Ok(unsafe { Lent::exclusive(lent.address(), lent.len()) })
    }

    /// As [`take_over`](Self::take_over), to be read only; until this scope ends the outer one can read it too.
    ///
    /// # Errors
    ///
    /// As [`take_over`](Self::take_over).
    #[track_caller]
    pub fn take_over_ref<'outer, T>(
        &self,
        lent: &'env Lent<'outer, DeviceSlice<T>>,
        from: &Scope<'outer, '_>,
    ) -> Result<&'scope Lent<'scope, DeviceSlice<T>>> {
        self.follow(from)?;
        // SAFETY: lent to the outer scope, and borrowed from it for `'env`, which outlives this one; what is queued
        // here comes after the writes that were queued there.
        Ok(unsafe { Lent::shared(lent.address(), lent.len()) })
    }

    /// Makes this scope's stream wait for what is queued on the other's. The event is this call's own from record to
    /// wait.
    #[track_caller]
    fn follow(&self, from: &Scope<'_, '_>) -> Result<()> {
        let (here, there) = (self.stream.context(), from.stream.context());
        here.inner.require_same_driver(&there.inner)?;
        let event = Event::new_in(there)?;
        from.stream.record(&event)?;
        self.stream.wait_event(&event)
    }
}
