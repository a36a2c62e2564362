//! Managed memory moved ahead of use, hints about its use, and whose it is: pages have no place here, so that only the
//! rules are kept.

use core::ffi::c_void;
use core::ops::Range;

use super::advice::{Advice, Advised, NOWHERE, device_at, location_of};
use super::call::{Answer, Call, write_out};
use super::machine::Machine;
use super::memory::{Allocation, Kind};
use super::operation::Op;
use super::report::{Violation, ViolationKind, stream_name};
use crate::driver::ffi::{
    ADVISE_SET_ACCESSED_BY, ADVISE_SET_PREFERRED_LOCATION, ADVISE_SET_READ_MOSTLY, ADVISE_UNSET_ACCESSED_BY,
    ADVISE_UNSET_PREFERRED_LOCATION, ADVISE_UNSET_READ_MOSTLY, ATTACH_GLOBAL, ATTACH_HOST, ATTACH_SINGLE, CUdevice,
    CUdeviceptr, CUmemLocation, CUstream, DEVICE_INVALID, LOCATION_DEVICE, RANGE_ACCESSED_BY, RANGE_LAST_PREFETCH,
    RANGE_LAST_PREFETCH_ID, RANGE_LAST_PREFETCH_TYPE, RANGE_PREFERRED_ID, RANGE_PREFERRED_LOCATION,
    RANGE_PREFERRED_TYPE, RANGE_READ_MOSTLY,
};
use crate::error::Status;

/// Whose managed memory is: it matters to devices without concurrent access, but a single stream's is documented to be that
/// stream's on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attached {
    /// Every stream's; the host's while the device is idle.
    Global,
    /// The host's, at any time.
    Host,
    /// The stream's of this key and number; the host's while that is idle.
    Single { key: u64, number: u64 },
}

/// What is kept of managed memory.
#[derive(Debug)]
pub(super) struct ManagedState {
    /// What the allocation asked for, which holds again once the single stream is destroyed.
    at_first: Attached,
    pub(super) attached: Attached,
    advised: Advised,
}

impl ManagedState {
    pub(super) fn new(is_host_s: bool) -> Self {
        let at_first = if is_host_s { Attached::Host } else { Attached::Global };
        Self { at_first, attached: at_first, advised: Advised::default() }
    }
}

impl Machine {
    /// The allocation of managed bytes, and which of it they are.
    fn managed_at(&mut self, address: CUdeviceptr, bytes: usize) -> Answer<(&mut ManagedState, Range<u64>)> {
        let one = self.memory.holding(address).filter(|one| one.kind == Kind::Managed);
        let one = one.filter(|one| bytes > 0 && bytes as u64 <= one.end() - address).ok_or(Status::INVALID_VALUE)?;
        let (id, start) = (one.id, address - one.base);
        let state = self.memory.get_mut(id).and_then(|one| one.managed.as_mut()).ok_or(Status::INVALID_VALUE)?;
        Ok((state, start..start + bytes as u64))
    }

    /// Checks that a place exists, once it is clear that there is something to be there.
    fn check_place(&self, address: CUdeviceptr, bytes: usize, place: CUmemLocation) -> Answer {
        if address == 0 || bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if place.kind == LOCATION_DEVICE { self.device_index(place.id).map(|_| ()) } else { Ok(()) }
    }

    pub(super) fn mem_prefetch(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        device: CUdevice,
        stream: CUstream,
    ) -> Answer {
        self.prefetch_to(call, address, bytes, location_of(device), stream)
    }

    pub(super) fn prefetch_to(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        place: CUmemLocation,
        stream: CUstream,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        self.check_place(address, bytes, place)?;
        let (state, bytes) = self.managed_at(address, bytes)?;
        // What was asked for, and not what was done.
        state.advised.change(&bytes, |advice| advice.last_prefetch = place);
        self.issue(call, key, Op::Barrier, None)?;
        Ok(())
    }

    pub(super) fn mem_advise(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        advice: u32,
        device: CUdevice,
    ) -> Answer {
        self.advise_of(call, address, bytes, advice, location_of(device))
    }

    pub(super) fn advise_of(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        advice: u32,
        place: CUmemLocation,
    ) -> Answer {
        self.context(call)?;
        let change: fn(&mut Advice, CUmemLocation) = match advice {
            ADVISE_SET_READ_MOSTLY => |advice, _| advice.read_mostly = true,
            ADVISE_UNSET_READ_MOSTLY => |advice, _| advice.read_mostly = false,
            ADVISE_SET_PREFERRED_LOCATION => |advice, place| advice.preferred = place,
            ADVISE_UNSET_PREFERRED_LOCATION => |advice, _| advice.preferred = NOWHERE,
            ADVISE_SET_ACCESSED_BY => |advice, place| advice.set_accessed_by(place, true),
            ADVISE_UNSET_ACCESSED_BY => |advice, place| advice.set_accessed_by(place, false),
            _ => return Err(Status::INVALID_VALUE),
        };
        // Three kinds of advice name no place, and the driver does not look at one.
        let names_none =
            matches!(advice, ADVISE_SET_READ_MOSTLY | ADVISE_UNSET_READ_MOSTLY | ADVISE_UNSET_PREFERRED_LOCATION);
        self.check_place(address, bytes, if names_none { NOWHERE } else { place })?;
        let (state, bytes) = self.managed_at(address, bytes)?;
        state.advised.change(&bytes, |advice| change(advice, place));
        Ok(())
    }

    pub(super) unsafe fn mem_range_attribute(
        &mut self,
        call: &Call,
        out: *mut c_void,
        size: usize,
        attribute: u32,
        address: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        self.context(call)?;
        let is_right = match attribute {
            RANGE_ACCESSED_BY => size != 0 && size.is_multiple_of(size_of::<CUdevice>()),
            RANGE_READ_MOSTLY..=RANGE_LAST_PREFETCH_ID => size == size_of::<CUdevice>(),
            _ => false,
        };
        if !is_right {
            return Err(Status::INVALID_VALUE);
        }
        let (state, bytes) = self.managed_at(address, bytes)?;
        let advice = state.advised.of(&bytes);
        let out = out.cast::<CUdevice>();
        if attribute == RANGE_ACCESSED_BY {
            let places = advice.accessed_by().chain(core::iter::repeat(DEVICE_INVALID));
            for (index, place) in places.take(size / size_of::<CUdevice>()).enumerate() {
                // SAFETY: `out` is null or has room for `size` bytes by the driver contract; null stays null.
                unsafe { write_out(if out.is_null() { out } else { out.wrapping_add(index) }, place) }?;
            }
            return Ok(());
        }
        let value = match attribute {
            RANGE_READ_MOSTLY => CUdevice::from(advice.read_mostly),
            RANGE_PREFERRED_LOCATION => device_at(advice.preferred),
            RANGE_LAST_PREFETCH => device_at(advice.last_prefetch),
            RANGE_PREFERRED_TYPE => advice.preferred.kind.cast_signed(),
            RANGE_PREFERRED_ID => advice.preferred.id,
            RANGE_LAST_PREFETCH_TYPE => advice.last_prefetch.kind.cast_signed(),
            _ => advice.last_prefetch.id,
        };
        // SAFETY: `out` is null or has room for `size` bytes, as many as the value has, by the driver contract.
        unsafe { write_out(out, value) }
    }

    /// Says whose managed memory is. Other streams' use of it must be ordered with the change.
    pub(super) fn stream_attach_memory(
        &mut self,
        call: &Call,
        stream: CUstream,
        address: CUdeviceptr,
        bytes: usize,
        flags: u32,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        let to = match flags {
            ATTACH_GLOBAL => Attached::Global,
            ATTACH_HOST => Attached::Host,
            // The null stream is none of its own.
            ATTACH_SINGLE if !stream.is_null() => {
                Attached::Single { key, number: self.streams.get(&key).map_or(0, |stream| stream.number) }
            }
            _ => return Err(Status::INVALID_VALUE),
        };
        let one = self.memory.at(address).filter(|one| one.kind == Kind::Managed).ok_or(Status::INVALID_VALUE)?;
        if bytes != 0 && bytes as u64 != one.size {
            return Err(Status::INVALID_VALUE);
        }
        let allocation = one.id;
        self.issue(call, key, Op::Attach { allocation }, None)?;
        if let Some(state) = self.memory.get_mut(allocation).and_then(|one| one.managed.as_mut()) {
            state.attached = to;
        }
        Ok(())
    }

    /// What was a destroyed stream's alone is what it was at first.
    pub(super) fn detach_from(&mut self, stream: u64) {
        for state in self.memory.iter_mut().filter_map(|one| one.managed.as_mut()) {
            if matches!(state.attached, Attached::Single { key, .. } if key == stream) {
                state.attached = state.at_first;
            }
        }
    }

    /// Reports the use of managed memory by a stream whose it is not. No driver checks that.
    pub(super) fn check_attached(&mut self, call: &Call, stream: u64, allocation: u64) {
        let Some(one) = self.memory.get(allocation) else { return };
        let Some(state) = &one.managed else { return };
        let whose = match state.attached {
            Attached::Single { key, number } if key != stream => format!("to stream {} alone", stream_name(number)),
            Attached::Host if !self.options.concurrent_managed => "to the host alone".to_owned(),
            _ => return,
        };
        let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
        let (subject, label, stream) = (one.subject(), call.label(), stream_name(number));
        let summary = format!(
            "{label} on stream {stream} uses managed memory of allocation #{allocation}, which is attached {whose}"
        );
        let help = "attach the memory to every stream (CU_MEM_ATTACH_GLOBAL), or to this one, before it is used here";
        let violation = Violation::new(ViolationKind::WrongStream, call.operation(), call.place, summary, help);
        self.reports.push(violation.about(Some(subject)).on_stream(Some(number)));
    }
}

impl Allocation {
    /// Whether the host must leave managed memory alone while streams are busy: those of its device, by context, and others
    /// by number.
    pub(super) fn is_closed_while(&self, is_device_busy: bool, is_stream_busy: impl FnOnce(u64) -> bool) -> bool {
        match self.managed.as_ref().map(|state| state.attached) {
            Some(Attached::Global) => is_device_busy,
            Some(Attached::Single { number, .. }) => is_stream_busy(number),
            Some(Attached::Host) | None => false,
        }
    }
}
