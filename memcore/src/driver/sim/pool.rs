//! Memory pools: what they hold back, and their attributes.

use core::ffi::c_void;
use std::collections::BTreeSet;

use super::alloc::rounded;
use super::call::{Answer, Call, as_handle, as_pointer, new_handle, read_in, write_out};
use super::machine::Machine;
use super::space::ALIGNMENT;
use crate::driver::ffi::{
    ALLOCATION_TYPE_PINNED, CUmemPoolProps, CUmemoryPool, LOCATION_DEVICE, POOL_RELEASE_THRESHOLD,
    POOL_RESERVED_CURRENT, POOL_RESERVED_HIGH, POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, POOL_USED_CURRENT, POOL_USED_HIGH,
};
use crate::error::Status;

/// The three switches.
const REUSE: core::ops::RangeInclusive<u32> =
    POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES..=POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
/// A pool of more than this is refused.
const MAX_SIZE: u64 = 1 << 46;

/// A memory pool. What is freed to it stays reserved until a wait or a trim gives it back.
#[derive(Debug)]
pub(super) struct Pool {
    /// The index of its device.
    pub(super) device: usize,
    /// The most it may reserve, 0 for no limit of its own.
    max_size: u64,
    /// What a wait leaves reserved.
    threshold: u64,
    /// Of the three switches, which are on.
    reuse: [i32; 3],
    reserved: u64,
    reserved_high: u64,
    /// What its allocations count for, without those whose free is queued: the next may take their place.
    used: u64,
    /// The same with those.
    busy: u64,
    /// What was asked for, which is what the counters say.
    asked: u64,
    asked_high: u64,
    /// The other devices that reach its memory.
    pub(super) reached_from: BTreeSet<usize>,
    /// It goes once its last allocation is freed; its handle is no longer valid.
    pub(super) destroyed: bool,
}

impl Pool {
    /// An empty pool.
    pub(super) const fn new(device: usize, max_size: u64) -> Self {
        Self {
            device,
            max_size,
            threshold: 0,
            reuse: [1; 3],
            reserved: 0,
            reserved_high: 0,
            used: 0,
            busy: 0,
            asked: 0,
            asked_high: 0,
            reached_from: BTreeSet::new(),
            destroyed: false,
        }
    }
}

impl Machine {
    pub(super) fn pool(&mut self, pool: CUmemoryPool) -> Answer<&mut Pool> {
        if !self.options.pools {
            return Err(Status::NOT_SUPPORTED);
        }
        self.pools.get_mut(&as_handle(pool)).filter(|pool| !pool.destroyed).ok_or(Status::INVALID_VALUE)
    }

    /// Takes `asked` bytes from a pool, which takes from its device what it does not hold.
    pub(super) fn grow_pool(&mut self, key: u64, asked: u64) -> Answer {
        let bytes = rounded(asked).ok_or(Status::OUT_OF_MEMORY)?;
        let pool = self.pools.get_mut(&key).ok_or(Status::INVALID_VALUE)?;
        let device = self.devices.get_mut(pool.device).ok_or(Status::INVALID_VALUE)?;
        let used = pool.used.checked_add(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        // Into the place of what is freed by then; or else beside it.
        let beside = pool.busy.checked_add(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        let reserved = if used <= pool.reserved { pool.reserved } else { pool.reserved.max(beside) };
        let total = device.used.checked_add(reserved - pool.reserved).ok_or(Status::OUT_OF_MEMORY)?;
        if total > device.total || (pool.max_size != 0 && reserved > pool.max_size) {
            return Err(Status::OUT_OF_MEMORY);
        }
        device.used = total;
        (pool.used, pool.reserved) = (used, reserved);
        pool.busy += bytes;
        pool.asked += asked;
        pool.asked_high = pool.asked_high.max(pool.asked);
        pool.reserved_high = pool.reserved_high.max(reserved);
        Ok(())
    }

    /// Counts memory of which `asked` bytes were asked for as given back to a pool: its free is queued.
    pub(super) fn queue_shrink_pool(&mut self, key: u64, asked: u64) {
        let Some(pool) = self.pools.get_mut(&key) else { return };
        pool.used = pool.used.saturating_sub(rounded(asked).unwrap_or(0));
        pool.asked = pool.asked.saturating_sub(asked);
    }

    /// Gives it back: its free has run.
    pub(super) fn shrink_pool(&mut self, key: u64, asked: u64) {
        let Some(pool) = self.pools.get_mut(&key) else { return };
        pool.busy = pool.busy.saturating_sub(rounded(asked).unwrap_or(0));
        if pool.destroyed {
            self.release_pool(key, 0);
            if self.pools.get(&key).is_some_and(|pool| pool.busy == 0) {
                self.pools.remove(&key);
            }
        }
    }

    /// Gives back to the device what a pool holds beyond `keep` and beyond what is in use.
    fn release_pool(&mut self, key: u64, keep: u64) {
        let Some(pool) = self.pools.get_mut(&key) else { return };
        let left = pool.reserved.min(pool.busy.max(keep));
        if let Some(device) = self.devices.get_mut(pool.device) {
            device.used = device.used.saturating_sub(pool.reserved - left);
        }
        pool.reserved = left;
    }

    /// After a wait, every pool returns what it holds beyond its threshold.
    pub(super) fn trim_after_wait(&mut self) {
        let over = |pool: &Pool| pool.reserved > pool.busy.max(pool.threshold);
        let keys: Vec<_> =
            self.pools.iter().filter(|(_, pool)| over(pool)).map(|(key, pool)| (*key, pool.threshold)).collect();
        for (key, threshold) in keys {
            self.release_pool(key, threshold);
        }
    }

    pub(super) unsafe fn pool_create(
        &mut self,
        _: &Call,
        out: *mut CUmemoryPool,
        props: *const CUmemPoolProps,
    ) -> Answer {
        if !self.options.pools {
            return Err(Status::NOT_SUPPORTED);
        }
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: the driver contract.
        let props = unsafe { read_in(props) }?;
        let device = self.device_index(props.location.id);
        if props.alloc_type != ALLOCATION_TYPE_PINNED || props.location.kind != LOCATION_DEVICE {
            return Err(Status::INVALID_VALUE);
        }
        let device = device.map_err(|_| Status::INVALID_VALUE)?;
        if props.max_size as u64 > MAX_SIZE {
            return Err(Status::OUT_OF_MEMORY);
        }
        let key = new_handle();
        self.pools.insert(key, Pool::new(device, (props.max_size as u64).next_multiple_of(ALIGNMENT)));
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(key)) }
    }

    pub(super) fn pool_destroy(&mut self, _: &Call, pool: CUmemoryPool) -> Answer {
        self.pool(pool)?;
        let key = as_handle(pool);
        if self.devices.iter().any(|device| device.default_pool == key) {
            return Err(Status::INVALID_VALUE);
        }
        self.pool(pool)?.destroyed = true;
        for device in self.devices.iter_mut().filter(|device| device.current_pool == key) {
            device.current_pool = device.default_pool;
        }
        self.shrink_pool(key, 0);
        Ok(())
    }

    pub(super) unsafe fn pool_set_attribute(
        &mut self,
        _: &Call,
        pool: CUmemoryPool,
        attribute: u32,
        value: *mut c_void,
    ) -> Answer {
        let pool = self.pool(pool)?;
        if REUSE.contains(&attribute) {
            // SAFETY: null, or by the driver contract an `int`, as this attribute's value is.
            let wanted = unsafe { read_in(value.cast::<i32>()) }?;
            if let Some(switch) = pool.reuse.get_mut(attribute as usize - 1) {
                *switch = i32::from(wanted != 0);
            }
            return Ok(());
        }
        // SAFETY: null, or by the driver contract a `u64`, as the other attributes' values are.
        let wanted = unsafe { read_in(value.cast::<u64>()) }?;
        match (attribute, wanted) {
            (POOL_RELEASE_THRESHOLD, bytes) => pool.threshold = bytes,
            (POOL_RESERVED_HIGH, 0) => pool.reserved_high = pool.reserved,
            (POOL_USED_HIGH, 0) => pool.asked_high = pool.asked,
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    pub(super) unsafe fn pool_get_attribute(
        &mut self,
        _: &Call,
        pool: CUmemoryPool,
        attribute: u32,
        value: *mut c_void,
    ) -> Answer {
        let pool = self.pool(pool)?;
        let number = match attribute {
            POOL_RELEASE_THRESHOLD => pool.threshold,
            POOL_RESERVED_CURRENT => pool.reserved,
            POOL_RESERVED_HIGH => pool.reserved_high,
            POOL_USED_CURRENT => pool.asked,
            POOL_USED_HIGH => pool.asked_high,
            _ => {
                let switch = attribute.checked_sub(1).and_then(|index| pool.reuse.get(index as usize));
                let switch = *switch.ok_or(Status::INVALID_VALUE)?;
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `int`.
                return unsafe { write_out(value.cast::<i32>(), switch) };
            }
        };
        // SAFETY: by the driver contract `out` is null or fits the other attributes' values, a `u64`.
        unsafe { write_out(value.cast::<u64>(), number) }
    }

    pub(super) fn pool_trim(&mut self, _: &Call, pool: CUmemoryPool, keep: usize) -> Answer {
        self.pool(pool)?;
        self.release_pool(as_handle(pool), keep as u64);
        Ok(())
    }
}
