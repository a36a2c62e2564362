//! Unified memory moved ahead of use, and hints about its use.

use super::{DeviceMemory, UnifiedBox, UnifiedBuffer};
use crate::context::{Inner, Relaxed, context_of};
use crate::device::Device;
use crate::driver::ffi::CUdevice;
use crate::driver::{check, symbol};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// `CU_DEVICE_CPU`: the host, where a device's number is expected.
const HOST: CUdevice = -1;

/// `CUmem_advise`.
mod advice {
    pub(super) const SET_READ_MOSTLY: u32 = 1;
    pub(super) const UNSET_READ_MOSTLY: u32 = 2;
    pub(super) const SET_PREFERRED_LOCATION: u32 = 3;
    pub(super) const UNSET_PREFERRED_LOCATION: u32 = 4;
    pub(super) const SET_ACCESSED_BY: u32 = 5;
    pub(super) const UNSET_ACCESSED_BY: u32 = 6;
}

/// Where the pages of unified memory should be.
///
/// Sealed: [`UnifiedBuffer`] and [`UnifiedBox`]. None of this changes a value: it only moves pages, or says how they
/// will be used, so that they need not move when they are. On memory without bytes every call succeeds and does
/// nothing.
///
/// ```
/// use memcore::memory::MemoryAdvise;
/// use memcore::prelude::*;
///
/// let stream = Stream::new()?;
/// let mut unified = unified_vec![1.0f32; 1024]?;
/// unified.advise_read_mostly(true)?;
/// unified.prefetch_device(&stream, stream.context().device())?; // ahead of a kernel
/// unified.prefetch_host(&stream)?; // and back
/// stream.synchronize()?;
/// assert_eq!(unified[1023], 1.0);
/// # Ok::<(), memcore::Error>(())
/// ```
pub trait MemoryAdvise: DeviceMemory {
    #[doc(alias = "prefetch_to_host")]
    /// Queues a move of the pages to the host on `stream`. Does not wait. Driver function: `cuMemPrefetchAsync`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; [`Error::StreamCapturing`]; the driver's code.
    #[track_caller]
    fn prefetch_host(&self, stream: &Stream) -> Result<()> {
        prefetch(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, HOST, stream)
    }

    #[doc(alias = "prefetch_to_device")]
    /// Queues a move of the pages to `device` on `stream`. Does not wait. Driver function: `cuMemPrefetchAsync`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; [`Error::StreamCapturing`]; the driver's code.
    #[track_caller]
    fn prefetch_device(&self, stream: &Stream, device: &Device) -> Result<()> {
        let owner = self.owner()?;
        same_driver(owner, device)?;
        prefetch(self.as_raw_ptr(), self.size_in_bytes(), owner, device.handle(), stream)
    }

    /// Says that the memory is read far more often than written, so that each side may keep a copy; or, with `false`,
    /// no longer. Does not wait. Driver function: `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn advise_read_mostly(&self, read_mostly: bool) -> Result<()> {
        let advice = if read_mostly { advice::SET_READ_MOSTLY } else { advice::UNSET_READ_MOSTLY };
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice, None)
    }

    /// Says where the pages should stay: on a device, or with `None` on the host. Does not wait. Driver function:
    /// `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    fn preferred_location(&self, location: Option<&Device>) -> Result<()> {
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice::SET_PREFERRED_LOCATION, location)
    }

    /// Takes [`preferred_location`](Self::preferred_location) back. Does not wait. Driver function: `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn unset_preferred_location(&self) -> Result<()> {
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice::UNSET_PREFERRED_LOCATION, None)
    }

    /// Says that `device` (or with `None` the host) will use the memory, so that it stays mapped there; or, with
    /// `false`, no longer. Does not wait. Driver function: `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    fn advise_accessed_by(&self, location: Option<&Device>, accessed: bool) -> Result<()> {
        let advice = if accessed { advice::SET_ACCESSED_BY } else { advice::UNSET_ACCESSED_BY };
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice, location)
    }

    /// The context that the memory belongs to, `None` where it has no bytes.
    #[doc(hidden)]
    fn owner(&self) -> Result<Owner<'_>>;
}

/// See [`MemoryAdvise::owner`].
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "nobody sees one")]
pub struct Owner<'m>(Option<&'m Inner>);

macro_rules! memory_advise {
    ($($type:ident),*) => {$(
        impl<T> MemoryAdvise for $type<T> {
            fn owner(&self) -> Result<Owner<'_>> {
                if self.size_in_bytes() == 0 {
                    return Ok(Owner(None));
                }
                // SAFETY: the address lies in memory that `self` owns, in a context that it keeps open.
                unsafe { context_of(self.as_raw_ptr()) }.map(|context| Owner(Some(context)))
            }
        }
    )*};
}

memory_advise!(UnifiedBuffer, UnifiedBox);

fn same_driver(owner: Owner<'_>, device: &Device) -> Result<()> {
    match owner.0 {
        Some(context) if !std::sync::Arc::ptr_eq(context.device().driver(), device.driver()) => {
            Err(Error::DifferentDrivers)
        }
        _ => Ok(()),
    }
}

#[track_caller]
fn prefetch(address: u64, bytes: usize, owner: Owner<'_>, to: CUdevice, stream: &Stream) -> Result<()> {
    let Some(context) = owner.0 else { return Ok(()) };
    if !context.same_driver(&stream.context().inner) {
        return Err(Error::DifferentDrivers);
    }
    let bound = stream.bind()?;
    // SAFETY: the memory is unified and alive, as many bytes; it may be freed or used while its pages move.
    check(symbol::mem_prefetch, unsafe { bound.driver().mem_prefetch(address, bytes, to, stream.handle()) })
}

#[track_caller]
fn advise(address: u64, bytes: usize, owner: Owner<'_>, advice: u32, location: Option<&Device>) -> Result<()> {
    let Some(context) = owner.0 else { return Ok(()) };
    if let Some(device) = location {
        same_driver(owner, device)?;
    }
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let location = location.map_or(HOST, Device::handle);
    // SAFETY: the memory is unified and alive, as many bytes.
    check(symbol::mem_advise, unsafe { bound.driver().mem_advise(address, bytes, advice, location) })
}
