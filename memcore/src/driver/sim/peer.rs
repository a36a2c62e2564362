//! Memory of one device and work of another: copies between devices, and who else may reach what.

use super::call::{Answer, Call, as_handle, read_in, write_out};
use super::copy::device;
use super::machine::Machine;
use super::memory::{Allocation, Kind};
use super::operation::Op;
use crate::driver::ffi::{
    ACCESS_NONE, ACCESS_READ, ACCESS_READ_WRITE, CUcontext, CUdeviceptr, CUmemAccessDesc, CUmemLocation, CUmemoryPool,
    CUstream, LOCATION_DEVICE,
};
use crate::error::Status;

/// The calls that reach the memory of every device.
const PEER_COPIES: [&str; 4] = ["cuMemcpyPeer", "cuMemcpyPeerAsync", "cuMemcpy3DPeer", "cuMemcpy3DPeerAsync"];

impl Machine {
    /// Whether the driver does not let an operation reach memory, since it lies on another device: as on two H200
    /// (`scripts/probes/peers.py`). What counts is the current context for memory of a pool, and the stream's for a
    /// memset. A peer copy reaches all, and copies reach what `cuMemAlloc` gave.
    pub(super) fn is_out_of_reach(&self, call: &Call, stream: u64, one: &Allocation) -> bool {
        let Some(of_stream) = self.streams.get(&stream).map(|stream| stream.context) else { return false };
        let current = if call.current == 0 { of_stream } else { call.current };
        let is_pooled = matches!(one.kind, Kind::Pool(_)) && !self.reaches(current, one);
        let is_memset = one.kind.is_device() && call.operation().starts_with("memset") && !self.reaches(of_stream, one);
        !PEER_COPIES.contains(&call.symbol) && (is_pooled || is_memset)
    }

    /// Whether a context reaches device memory: its device's own, that of a context whose memory was opened to it, or that
    /// of a pool that was opened to its device.
    fn reaches(&self, context: u64, one: &Allocation) -> bool {
        let device = self.device_of(context);
        let is_opened = match one.kind {
            Kind::Pool(pool) => self.pools.get(&pool).is_some_and(|pool| pool.reached_from.contains(&device)),
            _ => self.peers.contains(&(context, one.context)),
        };
        device == one.device || is_opened
    }

    /// The current context, and another one.
    fn with_peer(&self, call: &Call, peer: CUcontext) -> Answer<(u64, u64)> {
        let (current, peer) = (self.working(call)?, as_handle(peer));
        if !self.contexts.contains_key(&peer) {
            return Err(Status::INVALID_CONTEXT);
        }
        self.alive(peer)?;
        Ok((current, peer))
    }

    pub(super) fn context_enable_peer(&mut self, call: &Call, peer: CUcontext, flags: u32) -> Answer {
        let (current, peer) = self.with_peer(call, peer)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if self.device_of(current) == self.device_of(peer) {
            return Err(Status::PEER_ACCESS_UNSUPPORTED);
        }
        if self.peers.insert((current, peer)) { Ok(()) } else { Err(Status::PEER_ACCESS_ALREADY_ENABLED) }
    }

    pub(super) fn context_disable_peer(&mut self, call: &Call, peer: CUcontext) -> Answer {
        let both = self.with_peer(call, peer)?;
        if self.peers.remove(&both) { Ok(()) } else { Err(Status::PEER_ACCESS_NOT_ENABLED) }
    }

    pub(super) unsafe fn pool_set_access(
        &mut self,
        _: &Call,
        pool: CUmemoryPool,
        access: *const CUmemAccessDesc,
        count: usize,
    ) -> Answer {
        let own = self.pool(pool)?.device;
        if access.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let mut wanted = Vec::new();
        for index in 0..count {
            // SAFETY: `index < count`, and by the driver contract there are as many descriptors.
            let CUmemAccessDesc { location, flags } = unsafe { read_in(access.wrapping_add(index)) }?;
            if location.kind != LOCATION_DEVICE {
                return Err(Status::NOT_SUPPORTED);
            }
            let device = self.device_index(location.id)?;
            match flags {
                ACCESS_NONE if device == own => return Err(Status::INVALID_DEVICE),
                ACCESS_NONE | ACCESS_READ_WRITE => wanted.push((device, flags == ACCESS_READ_WRITE)),
                ACCESS_READ => return Err(Status::NOT_SUPPORTED),
                _ => return Err(Status::INVALID_VALUE),
            }
        }
        let reached_from = &mut self.pool(pool)?.reached_from;
        for (device, is_allowed) in wanted {
            if is_allowed {
                reached_from.insert(device)
            } else {
                reached_from.remove(&device)
            };
        }
        Ok(())
    }

    pub(super) unsafe fn pool_get_access(
        &mut self,
        _: &Call,
        flags: *mut u32,
        pool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) -> Answer {
        self.pool(pool)?;
        if flags.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the driver contract.
        let location = unsafe { read_in(location) }?;
        if location.kind != LOCATION_DEVICE {
            return Err(Status::INVALID_VALUE);
        }
        let device = self.device_index(location.id).map_err(|_| Status::INVALID_VALUE)?;
        let pool = self.pool(pool)?;
        let reaches = device == pool.device || pool.reached_from.contains(&device);
        // SAFETY: writable by the driver contract.
        unsafe { write_out(flags, if reaches { ACCESS_READ_WRITE } else { ACCESS_NONE }) }
    }

    /// Refuses contexts that are not there, or dead.
    pub(super) fn check_contexts(&self, contexts: [u64; 2]) -> Answer {
        contexts.into_iter().try_for_each(|context| {
            if !self.contexts.contains_key(&context) {
                return Err(Status::INVALID_CONTEXT);
            }
            self.alive(context)
        })
    }

    /// Queued on the current context's legacy stream, after what is queued in the other two and before what will be, as far
    /// as a legacy stream orders that.
    pub(super) unsafe fn memcpy_peer(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        dst_context: CUcontext,
        src: CUdeviceptr,
        src_context: CUcontext,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        let current = self.context(call)?;
        // Null is the current one.
        let named =
            [dst_context, src_context].map(|context| if context.is_null() { current } else { as_handle(context) });
        self.check_contexts(named)?;
        let others: Vec<_> = named.iter().filter_map(|key| Some(self.contexts.get(key)?.legacy)).collect();
        for other in &others {
            self.serialise(call, *other, stream)?;
        }
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, device(src, bytes)?), false) }?;
        for other in &others {
            self.serialise(call, stream, *other)?;
        }
        Ok(())
    }

    /// Puts what a stream does next after what another one, of another context, has queued.
    fn serialise(&mut self, call: &Call, first: u64, then: u64) -> Answer {
        if first == then {
            return Ok(());
        }
        let id = self.issue(call, first, Op::Barrier, None)?;
        let clock = self.streams.get(&first).map(|stream| stream.clock.clone()).unwrap_or_default();
        if let Some(then) = self.streams.get_mut(&then) {
            then.clock.join(&clock);
        }
        self.issue(call, then, Op::Wait, Some(id))?;
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(super) unsafe fn memcpy_peer_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        dst_context: CUcontext,
        src: CUdeviceptr,
        src_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        if bytes == 0 {
            return Ok(());
        }
        self.check_contexts([dst_context, src_context].map(as_handle))?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, device(src, bytes)?), false) }
    }
}
