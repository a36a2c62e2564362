//! Unified memory moved ahead of use, and hints about its use.

use super::{DeviceMemory, UnifiedBox, UnifiedBuffer};
use crate::context::{Bound, Inner, Relaxed, context_of};
use crate::device::Device;
use crate::driver::ffi::{
    ADVISE_SET_ACCESSED_BY, ADVISE_SET_PREFERRED_LOCATION, ADVISE_SET_READ_MOSTLY, ADVISE_UNSET_ACCESSED_BY,
    ADVISE_UNSET_PREFERRED_LOCATION, ADVISE_UNSET_READ_MOSTLY, CUdevice, DEVICE_CPU, DEVICE_INVALID, RANGE_ACCESSED_BY,
    RANGE_LAST_PREFETCH, RANGE_PREFERRED_LOCATION, RANGE_READ_MOSTLY,
};
use crate::driver::{check, symbol};
use crate::error::Result;
use crate::stream::Stream;

/// Where the pages of unified memory should be.
///
/// Sealed: [`UnifiedBuffer`] and [`UnifiedBox`]. None of this changes a value: it only moves pages, or says how they
/// will be used, so that they need not move when they are. On memory without bytes every call succeeds and does
/// nothing. A driver that lacks a function says so ([`Error::MissingSymbol`](crate::Error::MissingSymbol)).
///
/// Where the pages live: nowhere before the first touch, then with whoever touched them, and they move to whoever
/// touches them next, host or device, or are read over the bus by a place that they are
/// [said](Self::advise_accessed_by) to be accessed by. With several devices each pulls pages to itself in the same way;
/// a preferred location keeps them in one place, and read-mostly memory is copied to each reader. There may be more of
/// it than a device has memory: then the pages that were not used for longest go to the host. So it is where the device
/// has `CONCURRENT_MANAGED_ACCESS`, without which there is no [`UnifiedBuffer`]: pages would lie on the one device that
/// was current at the allocation, or on the host.
///
/// ```
/// use memcore::memory::{MemoryAdvise, MemoryLocation};
/// use memcore::prelude::*;
///
/// let stream = Stream::new()?;
/// let mut unified = unified_vec![1.0f32; 1024]?;
/// unified.advise_read_mostly(true)?;
/// unified.prefetch_device(&stream, stream.context().device())?; // ahead of a kernel
/// unified.prefetch_host(&stream)?; // and back
/// stream.synchronize()?;
/// assert_eq!(unified[1023], 1.0);
/// assert!(unified.query_read_mostly()?);
/// assert_eq!(unified.query_last_prefetch()?, Some(MemoryLocation::Host));
/// # Ok::<(), memcore::Error>(())
/// ```
pub trait MemoryAdvise: DeviceMemory {
    #[doc(alias = "prefetch_to_host")]
    /// Queues a move of the pages to the host on `stream`. Does not wait. Driver function: `cuMemPrefetchAsync`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers);
    /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
    #[track_caller]
    fn prefetch_host(&self, stream: &Stream) -> Result<()> {
        prefetch(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, DEVICE_CPU, stream)
    }

    #[doc(alias = "prefetch_to_device")]
    /// Queues a move of the pages to `device` on `stream`. Does not wait. Driver function: `cuMemPrefetchAsync`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers);
    /// [`Error::StreamCapturing`](crate::Error::StreamCapturing); the driver's code.
    #[track_caller]
    fn prefetch_device(&self, stream: &Stream, device: &Device) -> Result<()> {
        let owner = self.owner()?;
        if let Some(context) = owner.0 {
            context.device().require_same_driver(device)?;
        }
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
        let advice = if read_mostly { ADVISE_SET_READ_MOSTLY } else { ADVISE_UNSET_READ_MOSTLY };
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice, None)
    }

    /// Says where the pages should stay: on a device, or with `None` on the host. Does not wait. Driver function:
    /// `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    #[track_caller]
    fn preferred_location(&self, location: Option<&Device>) -> Result<()> {
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, ADVISE_SET_PREFERRED_LOCATION, location)
    }

    /// Takes [`preferred_location`](Self::preferred_location) back. Does not wait. Driver function: `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn unset_preferred_location(&self) -> Result<()> {
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, ADVISE_UNSET_PREFERRED_LOCATION, None)
    }

    /// Says that `device` (or with `None` the host) will use the memory, so that it stays mapped there; or, with
    /// `false`, no longer. Does not wait. Driver function: `cuMemAdvise`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    #[track_caller]
    fn advise_accessed_by(&self, location: Option<&Device>, accessed: bool) -> Result<()> {
        let advice = if accessed { ADVISE_SET_ACCESSED_BY } else { ADVISE_UNSET_ACCESSED_BY };
        advise(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, advice, location)
    }

    /// Whether all of the memory is [said](Self::advise_read_mostly) to be read far more often than written. Does not
    /// wait. Driver function: `cuMemRangeGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn query_read_mostly(&self) -> Result<bool> {
        let [value] = query(self.as_raw_ptr(), self.size_in_bytes(), self.owner()?, RANGE_READ_MOSTLY, [0])?;
        Ok(value != 0)
    }

    /// Where all of the memory is to [stay](Self::preferred_location); `None` where nothing was said, or not the same
    /// of all of it. Does not wait. Driver function: `cuMemRangeGetAttribute`.
    ///
    /// ```
    /// use memcore::memory::{MemoryAdvise, MemoryLocation};
    /// use memcore::prelude::*;
    ///
    /// let unified = unified_vec![1.0f32; 1024]?;
    /// assert_eq!(unified.query_preferred_location()?, None);
    /// unified.preferred_location(None)?;
    /// assert_eq!(unified.query_preferred_location()?, Some(MemoryLocation::Host));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn query_preferred_location(&self) -> Result<Option<MemoryLocation>> {
        let (owner, nowhere) = (self.owner()?, [DEVICE_INVALID]);
        let [place] = query(self.as_raw_ptr(), self.size_in_bytes(), owner, RANGE_PREFERRED_LOCATION, nowhere)?;
        location(owner, place)
    }

    /// Who is [said](Self::advise_accessed_by) to use all of the memory. Does not wait. Driver function:
    /// `cuMemRangeGetAttribute`.
    ///
    /// ```
    /// use memcore::memory::{MemoryAdvise, MemoryLocation};
    /// use memcore::prelude::*;
    ///
    /// let unified = unified_vec![1.0f32; 1024]?;
    /// let device = Context::current()?.device().clone();
    /// unified.advise_accessed_by(Some(&device), true)?;
    /// assert_eq!(unified.query_accessed_by()?, [MemoryLocation::Device(device)]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn query_accessed_by(&self) -> Result<Vec<MemoryLocation>> {
        let (owner, nowhere) = (self.owner()?, [DEVICE_INVALID; PLACES]);
        let places = query(self.as_raw_ptr(), self.size_in_bytes(), owner, RANGE_ACCESSED_BY, nowhere)?;
        places.into_iter().filter_map(|place| location(owner, place).transpose()).collect()
    }

    /// Where all of the memory was last asked to be moved, whether or not it has been by now; `None` where nothing was
    /// asked, or not the same of all of it. Does not wait. Driver function: `cuMemRangeGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    fn query_last_prefetch(&self) -> Result<Option<MemoryLocation>> {
        let (owner, nowhere) = (self.owner()?, [DEVICE_INVALID]);
        let [place] = query(self.as_raw_ptr(), self.size_in_bytes(), owner, RANGE_LAST_PREFETCH, nowhere)?;
        location(owner, place)
    }

    /// The context that the memory belongs to, `None` where it has no bytes.
    #[doc(hidden)]
    fn owner(&self) -> Result<Owner<'_>>;
}

/// A place where pages of unified memory can be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryLocation {
    /// The host's memory.
    Host,
    /// A device's.
    Device(Device),
}

/// More places than a machine has.
const PLACES: usize = 65;

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

/// The stream's context, bound for a call about the memory; `None` where that has no bytes.
#[track_caller]
pub(super) fn bind_stream<'s>(owner: Owner<'_>, stream: &'s Stream) -> Result<Option<Bound<'s>>> {
    let Some(context) = owner.0 else { return Ok(None) };
    context.require_same_driver(&stream.context().inner)?;
    Ok(Some(stream.bind()?))
}

#[track_caller]
fn prefetch(address: u64, bytes: usize, owner: Owner<'_>, to: CUdevice, stream: &Stream) -> Result<()> {
    let Some(bound) = bind_stream(owner, stream)? else { return Ok(()) };
    // SAFETY: the memory is unified and alive, as many bytes; it may be freed or used while its pages move.
    check(symbol::mem_prefetch, unsafe { bound.driver().mem_prefetch(address, bytes, to, stream.handle()) })
}

#[track_caller]
fn advise(address: u64, bytes: usize, owner: Owner<'_>, advice: u32, location: Option<&Device>) -> Result<()> {
    let Some(context) = owner.0 else { return Ok(()) };
    if let Some(device) = location {
        context.device().require_same_driver(device)?;
    }
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let location = location.map_or(DEVICE_CPU, Device::handle);
    // SAFETY: the memory is unified and alive, as many bytes.
    check(symbol::mem_advise, unsafe { bound.driver().mem_advise(address, bytes, advice, location) })
}

/// What the driver says of the memory, in as many numbers; they are left as they are where there are no bytes.
#[track_caller]
fn query<const N: usize>(
    address: u64,
    bytes: usize,
    owner: Owner<'_>,
    attribute: u32,
    mut values: [CUdevice; N],
) -> Result<[CUdevice; N]> {
    let Some(context) = owner.0 else { return Ok(values) };
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let (out, size) = (values.as_mut_ptr().cast(), size_of_val(&values));
    // SAFETY: these attributes are written as 32-bit numbers, for as many of which as there is room for; the memory is only
    // looked up.
    let status = unsafe { bound.driver().mem_range_attribute(out, size, attribute, address, bytes) };
    check(symbol::mem_range_attribute, status)?;
    Ok(values)
}

/// The place of a number.
fn location(owner: Owner<'_>, place: CUdevice) -> Result<Option<MemoryLocation>> {
    match (owner.0, place) {
        (None, _) | (_, DEVICE_INVALID) => Ok(None),
        (_, DEVICE_CPU) => Ok(Some(MemoryLocation::Host)),
        (Some(context), number) => Ok(Some(MemoryLocation::Device(context.device().sibling(number)?))),
    }
}
