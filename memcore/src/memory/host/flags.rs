//! What can be asked of host memory.

use bitflags::bitflags;

use crate::driver::ffi;
pub(super) use crate::memory::flags::bits_of;

bitflags! {
    /// What is asked of page-locked memory when it is allocated ([`LockedBuffer::zeroed_with`] and its kin). Without
    /// flags (the default) it is cacheable, and belongs to the context that it is made in.
    ///
    /// Where the device has `UNIFIED_ADDRESSING`, as all have that memcore was tried on, every page-locked memory is
    /// mapped, and usable in every context, whatever the flags say.
    ///
    /// ```
    /// use memcore::{LockedBuffer, LockedFlags, prelude::*};
    ///
    /// let context = Context::current()?;
    /// let flags = LockedFlags::PORTABLE | LockedFlags::DEVICE_MAPPED;
    /// let locked = LockedBuffer::<f32>::zeroed_with(&context, flags, 1024)?;
    /// assert!(!locked.device_ptr()?.is_null());
    /// assert_eq!(LockedFlags::from_bits(8), None); // there is no such flag
    /// assert_eq!(format!("{flags:?}"), "LockedFlags(PORTABLE | DEVICE_MAPPED)");
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// [`LockedBuffer::zeroed_with`]: crate::LockedBuffer::zeroed_with
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct LockedFlags: u32 {
        /// Page-locked memory to all contexts, and not to the one alone that it is made in
        /// (`CU_MEMHOSTALLOC_PORTABLE`).
        const PORTABLE = ffi::HOST_PORTABLE;
        /// Mapped for the device, which then reads and writes it in place, by the address that
        /// [`device_ptr`](crate::LockedBuffer::device_ptr) gives (`CU_MEMHOSTALLOC_DEVICEMAP`).
        const DEVICE_MAPPED = ffi::HOST_DEVICE_MAPPED;
        /// Not cached by the host (`CU_MEMHOSTALLOC_WRITECOMBINED`): for memory that the host writes, in order, and the
        /// device reads. The host reads it an order of magnitude slower than other memory.
        ///
        /// What the host has written may still lie in a buffer of its core. memcore's copies empty it before the device
        /// reads, and so do a lock, a channel and the end of a thread; a plain atomic store does not. So hand such memory
        /// to another thread by one of the former.
        const WRITE_COMBINED = ffi::HOST_WRITE_COMBINED;
    }
}

bitflags! {
    /// What is asked of existing host memory when it is page-locked
    /// ([`RegisteredBuffer`](crate::RegisteredBuffer), [`Context::with_registered`](crate::Context::with_registered),
    /// [`Scope::register`](crate::Scope::register)).
    ///
    /// Existing memory cannot become write-combined. With `UNIFIED_ADDRESSING` it is mapped and portable whatever the
    /// flags say, as it is for [`LockedFlags`].
    ///
    /// ```
    /// use memcore::RegisterFlags;
    ///
    /// let all = RegisterFlags::PORTABLE | RegisterFlags::DEVICE_MAPPED | RegisterFlags::READ_ONLY;
    /// assert_eq!(RegisterFlags::all(), all);
    /// assert_eq!(all.iter().count(), 3);
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct RegisterFlags: u32 {
        /// Page-locked memory to all contexts (`CU_MEMHOSTREGISTER_PORTABLE`).
        const PORTABLE = ffi::HOST_PORTABLE;
        /// Mapped for the device (`CU_MEMHOSTREGISTER_DEVICEMAP`).
        const DEVICE_MAPPED = ffi::HOST_DEVICE_MAPPED;
        /// The device only reads it (`CU_MEMHOSTREGISTER_READ_ONLY`): a copy to it is refused. Memory that the host
        /// itself may not write, as a file that is mapped to be read, can be registered only so. Needs
        /// `READ_ONLY_HOST_REGISTER_SUPPORTED`.
        const READ_ONLY = ffi::REGISTER_READ_ONLY;
    }
}

/// Who may use unified memory: what its allocation asks for, and what
/// [`attach`](crate::UnifiedBuffer::attach) changes.
///
/// It matters to devices whose `CONCURRENT_MANAGED_ACCESS` is 0 alone; to the others it is a hint. That a single stream
/// alone uses the memory cannot be asked of an allocation, and is no flag here: it is said to a stream, by
/// [`attach_single`](crate::UnifiedBuffer::attach_single).
///
/// ```
/// use memcore::{AttachFlag, UnifiedBuffer, prelude::*};
///
/// let context = Context::current()?;
/// let unified = UnifiedBuffer::<f32>::zeroed_with(&context, AttachFlag::Host, 1024)?;
/// assert_eq!(unified[1023], 0.0);
/// assert_eq!(AttachFlag::from_raw(2), Some(AttachFlag::Host));
/// assert_eq!(AttachFlag::from_raw(4), None); // `CU_MEM_ATTACH_SINGLE`
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AttachFlag {
    /// Any stream of any device (`CU_MEM_ATTACH_GLOBAL`).
    #[default]
    Global,
    /// The host, and of the devices those with `CONCURRENT_MANAGED_ACCESS` (`CU_MEM_ATTACH_HOST`).
    Host,
}

impl AttachFlag {
    /// All flags.
    pub const ALL: [Self; 2] = [Self::Global, Self::Host];

    /// The driver's number (`CUmemAttach_flags`).
    #[must_use]
    pub const fn as_raw(self) -> u32 {
        match self {
            Self::Global => ffi::ATTACH_GLOBAL,
            Self::Host => ffi::ATTACH_HOST,
        }
    }

    /// The flag of the driver's number, if there is one.
    #[must_use]
    pub const fn from_raw(number: u32) -> Option<Self> {
        match number {
            ffi::ATTACH_GLOBAL => Some(Self::Global),
            ffi::ATTACH_HOST => Some(Self::Host),
            _ => None,
        }
    }
}
