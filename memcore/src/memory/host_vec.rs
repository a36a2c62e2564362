//! Room on the host for elements that are about to come.

use crate::context::Inner;
use crate::error::{Error, Result};
use crate::pages::{self, Populated};

/// New room of at least so many bytes is of huge pages where the system has them: with small ones a driver writes 1.5 GB/s,
/// since each page is a fault. Smaller room is soon filled, and a huge page of it may stay half empty.
const HUGE_FROM: usize = 4 << 20;

/// The pages of new room of at least so many bytes are found before the copy, by several threads: those that copy would else
/// wait for them. Smaller room an allocator has often had before.
const POPULATED_FROM: usize = 32 << 20;

/// An empty `Vec` with room for `len`, whose elements come from a device of `context`.
#[track_caller]
pub(crate) fn host_vec<'c, T>(len: usize, context: impl FnOnce() -> Result<&'c Inner>) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    let requested = (len * size_of::<T>()) as u64;
    let reserved = vec.try_reserve_exact(len);
    reserved.map_err(|_| Error::HostAllocation { requested })?;
    prefer_huge_pages(&mut vec);
    if requested >= POPULATED_FROM as u64 {
        let room = vec.spare_capacity_mut();
        let bytes = size_of_val(room);
        if context()?.populate_in_parts(room.as_mut_ptr(), bytes) != Populated::All {
            log::debug!("{bytes} bytes are found when they are written");
        }
    }
    Ok(vec)
}

/// Makes room for so many more.
pub(super) fn reserve<T>(vec: &mut Vec<T>, more: usize) -> Result<()> {
    let requested = (vec.len().saturating_add(more) as u64).saturating_mul(size_of::<T>() as u64);
    vec.try_reserve(more).map_err(|_| Error::HostAllocation { requested })?;
    prefer_huge_pages(vec);
    Ok(())
}

/// Asks for huge pages in the room that a `Vec` has left, if it is large. A refusal changes nothing but the time.
fn prefer_huge_pages<T>(vec: &mut Vec<T>) {
    let room = vec.spare_capacity_mut();
    let bytes = size_of_val(room);
    if bytes >= HUGE_FROM && !pages::prefer_huge(room.as_mut_ptr().cast(), bytes) {
        log::debug!("no huge pages for {bytes} bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::{HUGE_FROM, POPULATED_FROM, Populated, host_vec, reserve};
    use crate::context::Context;
    use crate::driver::sim::{Sim, SimOptions};
    use crate::pages::HUGE_PAGE;

    /// What the system says of the mapping with the address, behind `key`; `None` where it does not.
    fn said(address: usize, key: &str) -> Option<String> {
        let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let from = text.lines().skip_while(|line| {
            let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
            !range.is_some_and(|(start, end)| {
                let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap_or(0));
                (start..end).contains(&address)
            })
        });
        from.skip(1).find_map(|line| line.strip_prefix(key)).map(|rest| rest.trim().to_owned())
    }

    /// Whether the mapping with the address is advised to have huge pages; `None` where the system does not say.
    fn is_advised(address: usize) -> Option<bool> {
        Some(said(address, "VmFlags:")?.split(' ').any(|flag| flag == "hg"))
    }

    /// How many bytes of the mapping with the address are in memory; `None` where the system does not say, or cannot populate.
    fn resident_bytes(address: usize) -> Option<usize> {
        let mut probe = vec![0_u8; HUGE_PAGE];
        if crate::pages::populate(probe.as_mut_ptr(), HUGE_PAGE) != Populated::All {
            return None;
        }
        Some(said(address, "Rss:")?.strip_suffix(" kB")?.parse::<usize>().ok()? * 1024)
    }

    #[test]
    fn large_room_is_of_huge_pages_and_small_is_not() {
        let has_huge_pages = std::fs::exists("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or(false);
        let large = host_vec::<u64>(3 * HUGE_FROM / 8, || unreachable!()).unwrap();
        let small = host_vec::<u64>(HUGE_FROM / 8 - 1, || unreachable!()).unwrap();
        let mut grown = vec![5_u8; 100];
        reserve(&mut grown, 3 * HUGE_FROM).unwrap();
        let inside = |address: usize| address.next_multiple_of(HUGE_PAGE);
        if let (true, Some(is_huge)) = (has_huge_pages, is_advised(inside(large.as_ptr().addr()))) {
            assert!(is_huge);
            assert_eq!(is_advised(inside(grown.as_ptr().addr())), Some(true));
            assert_eq!(is_advised(small.as_ptr().addr()), Some(false));
        }
        assert!(large.capacity() >= 3 * HUGE_FROM / 8 && grown == [5; 100]);
        assert!(host_vec::<()>(usize::MAX, || unreachable!()).is_ok());
    }

    #[test]
    fn larger_room_is_there_before_the_copy() {
        let sim = Sim::new(SimOptions::default());
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let vec = host_vec::<u8>(POPULATED_FROM + 5, || Ok(&context.inner)).unwrap();
        let Some(resident) = resident_bytes(vec.as_ptr().addr().next_multiple_of(HUGE_PAGE)) else { return };
        assert!(resident >= POPULATED_FROM - 2 * HUGE_PAGE, "{resident} bytes are there");
    }
}
