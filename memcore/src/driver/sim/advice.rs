//! What a program has said about the pages of managed memory.

use core::ops::Range;
use std::collections::BTreeMap;

use super::pages;
use crate::driver::ffi::{
    CUdevice, CUmemLocation, DEVICE_CPU, DEVICE_INVALID, LOCATION_DEVICE, LOCATION_HOST, LOCATION_NONE,
};

/// No place, or several.
pub(super) const NOWHERE: CUmemLocation = CUmemLocation { kind: LOCATION_NONE, id: DEVICE_INVALID };

/// The place that a device's number stands for.
pub(super) const fn location_of(device: CUdevice) -> CUmemLocation {
    if device == DEVICE_CPU {
        CUmemLocation { kind: LOCATION_HOST, id: 0 }
    } else {
        CUmemLocation { kind: LOCATION_DEVICE, id: device }
    }
}

/// The number that stands for a place.
pub(super) const fn device_at(location: CUmemLocation) -> CUdevice {
    match location.kind {
        LOCATION_DEVICE => location.id,
        LOCATION_NONE => DEVICE_INVALID,
        _ => DEVICE_CPU,
    }
}

/// The bit of the host among those of the devices, of which there are fewer.
const HOST_BIT: u32 = 63;

/// What holds for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) read_mostly: bool,
    pub(super) preferred: CUmemLocation,
    /// A bit for each place.
    accessed_by: u64,
    pub(super) last_prefetch: CUmemLocation,
}

impl Advice {
    const NONE: Self = Self { read_mostly: false, preferred: NOWHERE, accessed_by: 0, last_prefetch: NOWHERE };

    /// Says that a place uses the page, or no longer.
    pub(super) fn set_accessed_by(&mut self, place: CUmemLocation, accessed: bool) {
        let bit = 1 << u32::try_from(device_at(place)).unwrap_or(HOST_BIT).min(HOST_BIT);
        self.accessed_by = if accessed { self.accessed_by | bit } else { self.accessed_by & !bit };
    }

    /// The places that use the page.
    pub(super) fn accessed_by(&self) -> impl Iterator<Item = CUdevice> + use<> {
        let bits = self.accessed_by;
        let place = |bit: u32| if bit == HOST_BIT { DEVICE_CPU } else { bit.cast_signed() };
        (0..=HOST_BIT).filter(move |bit| bits >> bit & 1 != 0).map(place)
    }
}

/// What holds for the pages of an allocation, which starts at a page.
#[derive(Debug)]
pub(super) struct Advised {
    /// INVARIANT: there is one at 0, and each holds from there to the next.
    from: BTreeMap<u64, Advice>,
}

impl Default for Advised {
    fn default() -> Self {
        Self { from: BTreeMap::from([(0, Advice::NONE)]) }
    }
}

impl Advised {
    /// Lets something begin there.
    fn split(&mut self, at: u64) {
        if let Some((_, advice)) = self.from.range(..=at).next_back() {
            self.from.insert(at, *advice);
        }
    }

    /// Changes what holds for all pages that have any of the bytes.
    pub(super) fn change(&mut self, bytes: &Range<u64>, change: impl Fn(&mut Advice)) {
        let page = pages::page_size();
        let (start, end) = (bytes.start / page * page, bytes.end.next_multiple_of(page));
        self.split(start);
        self.split(end);
        self.from.range_mut(start..end).for_each(|(_, advice)| change(advice));
    }

    /// What holds for all of the bytes, as the driver says it: of what differs, nothing.
    pub(super) fn of(&self, bytes: &Range<u64>) -> Advice {
        let first = self.from.range(..=bytes.start).next_back().map_or(Advice::NONE, |(_, advice)| *advice);
        let same = |one: CUmemLocation, other: CUmemLocation| if one == other { one } else { NOWHERE };
        self.from.range(bytes.start..bytes.end).fold(first, |all, (_, one)| Advice {
            read_mostly: all.read_mostly && one.read_mostly,
            preferred: same(all.preferred, one.preferred),
            accessed_by: all.accessed_by & one.accessed_by,
            last_prefetch: same(all.last_prefetch, one.last_prefetch),
        })
    }
}
