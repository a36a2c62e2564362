//! What devices may do with memory, and other devices with that of a pool.

use super::MemoryPool;
use super::binding::Relaxed;
use crate::device::Device;
use crate::driver::ffi::{
    ACCESS_NONE, ACCESS_READ, ACCESS_READ_WRITE, CUmemAccessDesc, CUmemLocation, LOCATION_DEVICE,
};
use crate::driver::{check, symbol};
use crate::error::Result;

/// What may be done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Nothing.
    None,
    /// It may be read.
    Read,
    /// It may be read and written.
    ReadWrite,
    /// Something that this crate has no name for, by the driver's number.
    Other(u32),
}

impl Access {
    pub(crate) const fn of(flags: u32) -> Self {
        match flags {
            ACCESS_NONE => Self::None,
            ACCESS_READ => Self::Read,
            ACCESS_READ_WRITE => Self::ReadWrite,
            other => Self::Other(other),
        }
    }
}

impl MemoryPool {
    /// What work of `device` may do with memory of the pool. Does not wait. Driver function: `cuMemPoolGetAccess`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    #[track_caller]
    pub fn access(&self, device: &Device) -> Result<Access> {
        self.context().device().require_same_driver(device)?;
        let bound = self.context().inner.bind()?;
        let (mut flags, mut location) = (0, CUmemLocation { kind: LOCATION_DEVICE, id: device.handle() });
        // SAFETY: the pool is alive; `flags` is writable and `location` readable for the length of the call.
        let status = unsafe { bound.driver().pool_get_access(&raw mut flags, self.raw().handle(), &raw mut location) };
        check(symbol::pool_get_access, status)?;
        Ok(Access::of(flags))
    }

    /// Lets kernels and copies of `device` read and write the pool's memory directly, what is allocated from it already
    /// included. The pool's own device does so anyway. Peer access between the contexts
    /// ([`Context::enable_peer_access`](crate::Context::enable_peer_access)) does not do it: it is for memory that is
    /// not of a pool. Does not wait. Driver function: `cuMemPoolSetAccess`.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    /// use memcore::{Access, MemoryPool, PoolOptions};
    ///
    /// let sim = Sim::new(SimOptions::default().devices(2));
    /// let (context, other) = (Context::new(&sim.device(0)?)?, sim.device(1)?);
    /// let pool = MemoryPool::new_in(&context, PoolOptions::default())?;
    /// assert_eq!(pool.access(&other)?, Access::None);
    /// pool.allow_access(&other)?;
    /// assert_eq!(pool.access(&other)?, Access::ReadWrite);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code, where the device cannot reach
    /// the pool's ([`Device::can_access_peer`]).
    #[track_caller]
    pub fn allow_access(&self, device: &Device) -> Result<()> {
        self.set_access(device, ACCESS_READ_WRITE)
    }

    /// Takes back what [`allow_access`](Self::allow_access) gave. Does not wait, not even for work that makes use of
    /// it. Driver function: `cuMemPoolSetAccess`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code, `INVALID_DEVICE` for the pool's
    /// own device.
    ///
    /// # Safety
    ///
    /// No work of `device` that is pending, or comes later, reaches the pool's memory but by copies between devices:
    /// neither of this program nor of a library in it.
    #[track_caller]
    pub unsafe fn revoke_access(&self, device: &Device) -> Result<()> {
        self.set_access(device, ACCESS_NONE)
    }

    #[track_caller]
    fn set_access(&self, device: &Device, flags: u32) -> Result<()> {
        self.context().device().require_same_driver(device)?;
        let bound = self.context().inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let location = CUmemLocation { kind: LOCATION_DEVICE, id: device.handle() };
        let access = CUmemAccessDesc { location, flags };
        // SAFETY: the pool is alive, and there is one descriptor, readable for the length of the call.
        let status = unsafe { bound.driver().pool_set_access(self.raw().handle(), &raw const access, 1) };
        check(symbol::pool_set_access, status)
    }
}
