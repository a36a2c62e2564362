//! Peer access: whether work of one context reaches memory of another directly.

use super::Context;
use super::binding::Relaxed;
use crate::driver::{check, symbol};
use crate::error::{Result, Status};

impl Context {
    /// Whether work of this context's device could reach memory of the other's directly, if that is enabled. Does not
    /// wait. Driver function: `cuDeviceCanAccessPeer`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    #[track_caller]
    pub fn can_access_peer(&self, peer: &Self) -> Result<bool> {
        self.device().can_access_peer(peer.device())
    }

    /// Lets kernels of this context read and write memory of `peer` directly: what `cuMemAlloc` gave there or will
    /// give. For memory of a pool, which is where buffers come from, there is
    /// [`MemoryPool::allow_access`](crate::MemoryPool::allow_access). It goes one way. Copies between devices need
    /// neither, but are no longer staged by the host where the devices are connected.
    ///
    /// The switch belongs to the two primary contexts, which other libraries in the process share: `true` says that
    /// this call turned it, `false` that it was on already. It stays on until
    /// [`disable_peer_access`](Self::disable_peer_access), or until either context is closed. Does not wait. Driver
    /// function: `cuCtxEnablePeerAccess`.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default().devices(2));
    /// let (context, peer) = (Context::new(&sim.device(0)?)?, Context::new(&sim.device(1)?)?);
    /// if context.can_access_peer(&peer)? {
    ///     assert!(context.enable_peer_access(&peer)?);
    ///     assert!(!context.enable_peer_access(&peer)?); // it was on
    /// }
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code: `PEER_ACCESS_UNSUPPORTED` of
    /// devices that cannot reach each other, and of a context with itself.
    #[track_caller]
    pub fn enable_peer_access(&self, peer: &Self) -> Result<bool> {
        self.inner.require_same_driver(&peer.inner)?;
        let bound = self.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: the other context is alive, and this one is bound.
        match unsafe { bound.driver().context_enable_peer(peer.inner.raw(), 0) } {
            Status::PEER_ACCESS_ALREADY_ENABLED => Ok(false),
            status => check(symbol::context_enable_peer, status).map(|()| true),
        }
    }

    /// Turns off what [`enable_peer_access`](Self::enable_peer_access) turned on: `true` says that this call did so,
    /// `false` that it was off. Does not wait, not even for work that makes use of it. Driver function:
    /// `cuCtxDisablePeerAccess`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    ///
    /// # Safety
    ///
    /// No work of this context that is pending, or comes later, reaches memory of `peer` but by copies between devices:
    /// neither of this program nor of a library in it. Kernels that do would die of it, and the context with them.
    #[track_caller]
    pub unsafe fn disable_peer_access(&self, peer: &Self) -> Result<bool> {
        self.inner.require_same_driver(&peer.inner)?;
        let bound = self.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: the other context is alive, and this one is bound; the caller answers for what makes use of the access.
        match unsafe { bound.driver().context_disable_peer(peer.inner.raw()) } {
            Status::PEER_ACCESS_NOT_ENABLED => Ok(false),
            status => check(symbol::context_disable_peer, status).map(|()| true),
        }
    }
}
