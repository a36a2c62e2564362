//! What the driver knows of an address.

use super::DevicePointer;
use crate::context::{Access, Context};
use crate::driver::ffi::{
    MEMORY_TYPE_ARRAY, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST, MEMORY_TYPE_UNIFIED, POINTER_ACCESS_FLAGS,
    POINTER_BUFFER_ID, POINTER_DEVICE_ORDINAL, POINTER_DEVICE_POINTER, POINTER_HOST_POINTER, POINTER_IS_MANAGED,
    POINTER_MAPPED, POINTER_MEMORY_TYPE, POINTER_MEMPOOL_HANDLE, POINTER_RANGE_SIZE, POINTER_RANGE_START,
};
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MemoryKind {
    /// On the host, page-locked.
    Host,
    /// On a device; also unified memory.
    Device,
    /// In a CUDA array.
    Array,
    /// On either.
    Unified,
    /// Something that this crate has no name for, by the driver's number.
    Other(u32),
}

impl MemoryKind {
    const fn of(kind: u32) -> Self {
        match kind {
            MEMORY_TYPE_HOST => Self::Host,
            MEMORY_TYPE_DEVICE => Self::Device,
            MEMORY_TYPE_ARRAY => Self::Array,
            MEMORY_TYPE_UNIFIED => Self::Unified,
            other => Self::Other(other),
        }
    }
}

/// What the driver knows of an address: see [`Context::pointer_attributes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PointerAttributes {
    /// Where the memory lies.
    pub kind: MemoryKind,
    /// The number of the device that it was made for.
    pub device: u32,
    /// The address for a device, if it reaches the memory.
    pub device_pointer: Option<DevicePointer<u8>>,
    /// The address for the host, if it reaches the memory.
    pub host_address: Option<usize>,
    /// Where the allocation begins.
    pub start: DevicePointer<u8>,
    /// How many bytes the allocation has.
    pub size: usize,
    /// The number of the allocation: no other of this process has had it.
    pub buffer_id: u64,
    /// Whether it is unified memory.
    pub is_unified: bool,
    /// Whether it is mapped into a device's address space.
    pub is_mapped: bool,
    /// Whether it is from a memory pool.
    pub is_pooled: bool,
    /// What a device may do with it; `None` where the driver does not say. It is no answer to whether another device may:
    /// see [`MemoryPool::access`](crate::MemoryPool::access).
    pub access: Option<Access>,
}

/// The answer, or none where the driver has none to this question.
fn if_any<V>(answer: Result<V>) -> Result<Option<V>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(Error::Driver { status: Status::INVALID_VALUE | Status::NOT_SUPPORTED, .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Context {
    /// What the driver knows of an address: of device, unified and page-locked memory, from wherever in the process it is.
    /// Any address may be asked for; nothing is read there. Does not wait. Driver function: `cuPointerGetAttribute`, once
    /// for each field.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::memory::MemoryKind;
    ///
    /// let context = Context::current()?;
    /// let dev = device_vec![0u32; 100]?;
    /// let about = context.pointer_attributes(dev[10..].as_device_ptr())?;
    /// assert_eq!((about.kind, about.device), (MemoryKind::Device, context.device().ordinal()));
    /// assert_eq!((about.start, about.size), (dev.as_device_ptr().cast(), 400));
    /// assert_eq!(about.host_address, None);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownMemory`] where the driver knows no memory: it was freed, is pageable, or is no memory at all; the
    /// driver's code.
    #[track_caller]
    pub fn pointer_attributes<T>(&self, pointer: DevicePointer<T>) -> Result<PointerAttributes> {
        let bound = self.inner.bind()?;
        let address = pointer.as_raw();
        macro_rules! ask {
            ($attribute:ident as $value:ty) => {
                // SAFETY: the driver writes this attribute so (`driver/ffi.rs`); handles and addresses have 64 bits.
                unsafe { bound.pointer_attribute::<$value>($attribute, address) }
            };
        }
        let Some(kind) = if_any(ask!(POINTER_MEMORY_TYPE as u32))? else {
            return Err(Error::UnknownMemory { address });
        };
        Ok(PointerAttributes {
            kind: MemoryKind::of(kind),
            device: ask!(POINTER_DEVICE_ORDINAL as i32)?.unsigned_abs(),
            device_pointer: if_any(ask!(POINTER_DEVICE_POINTER as u64))?.map(DevicePointer::from_raw),
            host_address: if_any(ask!(POINTER_HOST_POINTER as usize))?,
            start: DevicePointer::from_raw(ask!(POINTER_RANGE_START as u64)?),
            size: ask!(POINTER_RANGE_SIZE as usize)?,
            buffer_id: ask!(POINTER_BUFFER_ID as u64)?,
            is_unified: ask!(POINTER_IS_MANAGED as u32)? != 0,
            is_mapped: if_any(ask!(POINTER_MAPPED as u32))?.is_some_and(|mapped| mapped != 0),
            is_pooled: if_any(ask!(POINTER_MEMPOOL_HANDLE as u64))?.is_some_and(|pool| pool != 0),
            access: if_any(ask!(POINTER_ACCESS_FLAGS as u32))?.map(Access::of),
        })
    }

    /// Where the allocation begins that an address lies in, and how many bytes it has. Any address may be asked for; nothing
    /// is read there. Does not wait. Driver function: `cuMemGetAddressRange_v2`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![0u32; 100]?;
    /// let (start, bytes) = Context::current()?.address_range(dev[10..].as_device_ptr())?;
    /// assert_eq!((start.cast(), bytes), (dev.as_device_ptr(), 400));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownMemory`] where the driver knows no memory; the driver's code.
    #[doc(alias = "get_base_ptr")]
    #[track_caller]
    pub fn address_range<T>(&self, pointer: DevicePointer<T>) -> Result<(DevicePointer<u8>, usize)> {
        let bound = self.inner.bind()?;
        let (mut start, mut bytes, address) = (0, 0, pointer.as_raw());
        // SAFETY: both are writable for the length of the call; the address is only looked up.
        match unsafe { bound.driver().mem_address_range(&raw mut start, &raw mut bytes, address) } {
            Status::NOT_FOUND => Err(Error::UnknownMemory { address }),
            status => check(symbol::mem_address_range, status).map(|()| (DevicePointer::from_raw(start), bytes)),
        }
    }
}
