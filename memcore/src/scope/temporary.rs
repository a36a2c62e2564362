//! Device memory that lives as long as a scope.

use std::sync::PoisonError;

use bytemuck::Zeroable;

use super::Scope;
use super::lent::Lent;
use crate::copy::Filled;
use crate::error::{Error, Result};
use crate::memory::DeviceSlice;
use crate::memory::size::bytes_of;

impl<'scope> Scope<'scope, '_> {
    /// `len` elements of zero bytes in device memory, for this scope's operations, freed when the scope has ended and
    /// been waited for. Waits for the allocation, as every allocation does, and not for the scope's stream.
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
    /// # Errors
    ///
    /// As [`DeviceBuffer::zeroed_in`](crate::DeviceBuffer::zeroed_in).
    #[track_caller]
    pub fn device_vec<T: Zeroable>(&self, len: usize) -> Result<&'scope mut Lent<'scope, DeviceSlice<T>>> {
        let bytes = bytes_of::<T>(len)?;
        let mut address = 0;
        if bytes != 0 {
            let context = &self.stream.context().inner;
            // SAFETY: as many zeros as there are bytes.
            let allocation = unsafe { context.allocate(bytes, Filled { value: &[0], count: bytes })? };
            self.state.temporaries.lock().unwrap_or_else(PoisonError::into_inner).push(allocation);
            address = allocation.address;
            if address % align_of::<T>() as u64 != 0 {
                return Err(Error::Unsupported { what: "device memory of such an alignment" });
            }
        }
        // SAFETY: memory of this scope's own, freed when the scope has been waited for.
        Ok(unsafe { Lent::exclusive(address, len) })
    }
}
