//! Device memory from iterators, and vectors that it is appended to.

use std::cell::Cell;
use std::iter::{from_fn, repeat_n};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, all_freed, refused, tests};

tests!(
    from_iterators_of_any_length,
    from_iterators_that_lie,
    an_iterator_that_panics,
    into_a_slice_from_an_iterator,
    appended_to_a_vector,
    invalid_values_are_not_appended,
    in_a_scope,
    in_a_scope_that_unwinds,
);

/// An iterator that says that it has so many values.
struct Says<I>(I, usize);

impl<I: Iterator> Iterator for Says<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, Some(self.1))
    }
}

impl<I: Iterator> ExactSizeIterator for Says<I> {}

fn from_iterators_of_any_length(_: &Context) -> Outcome {
    let host = pattern(MIB + 7, 50);
    assert!(DeviceBuffer::try_from_iter(host.iter().copied())?.to_vec()? == host);
    let mut rest = host.iter().copied();
    assert!(DeviceBuffer::try_from_iter(from_fn(|| rest.next()))?.to_vec()? == host);
    assert_eq!(DeviceBuffer::try_from_iter((0..100_u32).filter(|i| i % 3 == 0))?.len(), 34);
    assert_eq!(DeviceBuffer::try_from_iter([0_u8; 0])?.to_vec()?, []);
    assert_eq!(DeviceBuffer::try_from_iter(repeat_n((), 1000))?.to_vec()?, [(); 1000]);
    assert_eq!(DeviceBuffer::try_from_iter([true, false])?.to_vec()?, [true, false]);
    Ok(())
}

fn from_iterators_that_lie(_: &Context) -> Outcome {
    for says in [0, 1, 5, 1 << 20, usize::MAX] {
        let liar = || Says(0..1000_u32, says);
        assert!(DeviceBuffer::try_from_iter(liar())?.to_vec()?.into_iter().eq(0..1000));
        let mut dev = device_vec![0_u32; 1000]?;
        dev.copy_from_iter(liar())?;
        assert!(dev.to_vec()?.into_iter().eq(0..1000));
    }
    Ok(())
}

fn an_iterator_that_panics(context: &Context) -> Outcome {
    let before = context.allocation_statistics();
    let values = (0..100_u32).map(|i| if i < 50 { i } else { resume_unwind(Box::new("meant")) });
    let mut dev = device_vec![7_u32; 100]?;
    assert!(catch_unwind(AssertUnwindSafe(|| DeviceBuffer::try_from_iter(values.clone()).map(drop))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| dev.copy_from_iter(values.clone()))).is_err());
    assert_eq!(dev.to_vec()?, [7; 100]);
    drop(dev);
    all_freed(context)?;
    assert_eq!(context.allocation_statistics().current_count, before.current_count);
    Ok(())
}

fn into_a_slice_from_an_iterator(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u16; 10]?;
    dev[2..5].copy_from_iter(7..10)?;
    assert_eq!(dev.to_vec()?, [0, 0, 7, 8, 9, 0, 0, 0, 0, 0]);
    let mismatch = |destination_len, source_len| Error::LengthMismatch { destination_len, source_len };
    refused(dev.copy_from_iter(0..9), &mismatch(10, 9))?;
    refused(dev.copy_from_iter([]), &mismatch(10, 0))?;
    let asked = Cell::new(0);
    let endless = || {
        asked.set(asked.get() + 1);
        Some(1)
    };
    refused(dev.copy_from_iter(from_fn(endless)), &mismatch(10, 11))?;
    assert_eq!(asked.get(), 11);
    assert_eq!(dev.to_vec()?, [0, 0, 7, 8, 9, 0, 0, 0, 0, 0]);
    dev[..0].copy_from_iter([])?;
    refused(dev[..0].copy_from_iter([1]), &mismatch(0, 1))?;
    Ok(())
}

fn appended_to_a_vector(_: &Context) -> Outcome {
    let host = pattern(MIB + 7, 51);
    let dev = DeviceBuffer::from_slice(&host)?;
    let mut all = Vec::with_capacity(3 * host.len());
    let start: *const u8 = all.as_ptr();
    all.extend([1, 2, 3]);
    dev.append_to(&mut all)?;
    dev[5..10].append_to(&mut all)?;
    dev[..0].append_to(&mut all)?;
    assert_eq!((all.as_ptr(), all.len()), (start, host.len() + 8));
    assert!(all[..3] == [1, 2, 3] && all[3..host.len() + 3] == host && all[host.len() + 3..] == host[5..10]);
    let mut fresh = Vec::new();
    dev.append_to(&mut fresh)?;
    assert!(fresh == host);
    // Used over and over, as one buffer of the host's.
    fresh.clear();
    dev[..4].append_to(&mut fresh)?;
    assert_eq!(fresh, host[..4]);
    let mut units = vec![(); 3];
    device_vec![(); 4]?.append_to(&mut units)?;
    assert_eq!(units.len(), 7);
    Ok(())
}

fn invalid_values_are_not_appended(_: &Context) -> Outcome {
    let dev = device_vec![1_u8, 0, 1, 2]?;
    let mut all = vec![false];
    dev[..3].view_as::<bool>()?.append_to(&mut all)?;
    assert_eq!(all, [false, true, false, true]);
    let invalid = Error::InvalidValue { index: 3, type_name: "bool", field: None };
    refused(dev.view_as::<bool>()?.append_to(&mut all), &invalid)?;
    assert_eq!(all, [false, true, false, true]);
    Ok(())
}

fn in_a_scope(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(MIB, 52);
    let mut back = locked_vec![0_u8; 2 * MIB]?;
    stream.scope(|s| {
        let (first, second) =
            (s.device_vec_from(host.iter().copied())?, s.device_vec_from(host.iter().rev().copied())?);
        let (left, right) = back.split_at_mut(MIB);
        copy!(left <- first, s)?;
        copy!(right <- second, s)?;
        assert_eq!(s.device_vec_from([0_u64; 0])?.len(), 0);
        assert_eq!(s.device_vec_from([(), ()])?.len(), 2);
        Ok::<(), Error>(())
    })?;
    assert!(back[..MIB] == host && back[MIB..].iter().eq(host.iter().rev()));
    Ok(())
}

fn in_a_scope_that_unwinds(context: &Context) -> Outcome {
    let stream = Stream::new()?;
    let before = context.allocation_statistics();
    for panics_in_iterator in [false, true] {
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            stream.scope(|s| {
                s.device_vec_from(0..1000_u32)?;
                let values = (0..100_u32).filter(|i| *i < 50 || panics_in_iterator && resume_unwind(Box::new("meant")));
                s.device_vec_from(values)?;
                resume_unwind(Box::new("meant"))
            })
        }));
        if let Ok(returned) = unwound {
            let returned: memcore::Result<()> = returned;
            return Ok(returned?);
        }
    }
    all_freed(context)?;
    assert_eq!(context.allocation_statistics().current_bytes, before.current_bytes);
    Ok(())
}
