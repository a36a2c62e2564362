//! Room on the host for elements that are about to come.

use crate::error::{Error, Result};
use crate::pages;

/// New room of at least so many bytes is of huge pages where the system has them: with small ones a driver writes 1.5 GB/s,
/// since each page is a fault. Smaller room is soon filled, and a huge page of it may stay half empty.
const HUGE_FROM: usize = 4 << 20;

/// An empty `Vec` with room for `len`.
#[track_caller]
pub(crate) fn host_vec<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    let requested = (len * size_of::<T>()) as u64;
    let reserved = vec.try_reserve_exact(len);
    reserved.map_err(|_| Error::HostAllocation { requested })?;
    prefer_huge_pages(&mut vec);
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
    use super::{HUGE_FROM, host_vec, reserve};
    use crate::pages::HUGE_PAGE;

    /// Whether the mapping with the address is advised to have huge pages; `None` where the system does not say.
    fn is_advised(address: usize) -> Option<bool> {
        let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let mut inside = false;
        for line in text.lines() {
            let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
            let parsed = range.and_then(|(start, end)| {
                Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
            });
            match parsed {
                Some(range) => inside = range.contains(&address),
                None if inside && line.starts_with("VmFlags:") => {
                    return Some(line.split(' ').any(|flag| flag == "hg"));
                }
                None => {}
            }
        }
        None
    }

    #[test]
    fn large_room_is_of_huge_pages_and_small_is_not() {
        let has_huge_pages = std::fs::exists("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or(false);
        let large = host_vec::<u64>(3 * HUGE_FROM / 8).unwrap();
        let small = host_vec::<u64>(HUGE_FROM / 8 - 1).unwrap();
        let mut grown = vec![5_u8; 100];
        reserve(&mut grown, 3 * HUGE_FROM).unwrap();
        let inside = |address: usize| address.next_multiple_of(HUGE_PAGE);
        if let (true, Some(is_huge)) = (has_huge_pages, is_advised(inside(large.as_ptr().addr()))) {
            assert!(is_huge);
            assert_eq!(is_advised(inside(grown.as_ptr().addr())), Some(true));
            assert_eq!(is_advised(small.as_ptr().addr()), Some(false));
        }
        assert!(large.capacity() >= 3 * HUGE_FROM / 8 && grown == [5; 100]);
        assert!(host_vec::<()>(usize::MAX).is_ok());
    }
}
