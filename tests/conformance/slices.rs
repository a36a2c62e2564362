//! `DeviceSlice`: indexing and cutting, compared with `[T]`.

use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};

use memcore::prelude::*;

use crate::rig::{Outcome, tests};

tests!(every_range_form, bad_ranges_panic_with_the_numbers, get_asks, first_and_last, splits, chunks, mutable_chunks);

fn every_range_form(_: &Context) -> Outcome {
    let host: Vec<u16> = (0..10).collect();
    let mut dev = DeviceBuffer::from_slice(&host)?;
    assert_eq!(dev[2..5].to_vec()?, host[2..5]);
    assert_eq!(dev[2..].to_vec()?, host[2..]);
    assert_eq!(dev[..5].to_vec()?, host[..5]);
    assert_eq!(dev[..].to_vec()?, host[..]);
    assert_eq!(dev[2..=5].to_vec()?, host[2..=5]);
    assert_eq!(dev[..=5].to_vec()?, host[..=5]);
    assert_eq!(dev[(Bound::Excluded(2), Bound::Included(4))].to_vec()?, host[3..=4]);
    assert_eq!(dev[7].to_vec()?, host[7..8]);
    assert_eq!(dev[10..].to_vec()?, []);
    assert_eq!(dev[2..8][1..=3][1..].to_vec()?, host[4..6]);
    fill!(dev[3..=4] <- 99)?;
    fill!(dev[9] <- 98)?;
    assert_eq!(dev.to_vec()?, [0, 1, 2, 99, 99, 5, 6, 7, 8, 98]);
    Ok(())
}

/// What the panic says; `what` returns a length, which it does not come to.
fn message_of(what: impl FnOnce() -> usize) -> String {
    let panic = catch_unwind(AssertUnwindSafe(what)).unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[allow(clippy::reversed_empty_ranges, reason = "the mistake under test")]
fn bad_ranges_panic_with_the_numbers(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 10]?;
    let cases: [(&str, String); 6] = [
        ("range 5..3 starts after its end, in a device slice of length 10", message_of(|| dev[5..3].len())),
        ("range 5..11 is out of range for a device slice of length 10", message_of(|| dev[5..11].len())),
        ("range 11..10 starts after its end, in a device slice of length 10", message_of(|| dev[11..].len())),
        (
            "a range to usize::MAX is out of range for a device slice of length 10",
            message_of(|| dev[..=usize::MAX].len()),
        ),
        ("index 10 is out of range for a device slice of length 10", message_of(|| dev[10].len())),
        ("cannot split a device slice of length 10 at 11", message_of(|| dev.split_at_mut(11).0.len())),
    ];
    for (expected, message) in cases {
        assert_eq!(message, expected);
    }
    assert!(catch_unwind(AssertUnwindSafe(|| dev.chunks(0).len())).is_err());
    Ok(())
}

#[allow(clippy::reversed_empty_ranges, reason = "the mistake under test")]
fn get_asks(_: &Context) -> Outcome {
    let mut dev = device_vec![1_u8, 2, 3]?;
    assert_eq!(dev.get(1).unwrap().to_value()?, 2);
    assert_eq!(dev.get(1..).unwrap().to_vec()?, [2, 3]);
    assert!(
        dev.get(3).is_none() && dev.get(2..1).is_none() && dev.get(..=3).is_none() && dev.get(..=usize::MAX).is_none()
    );
    assert!(dev.get(usize::MAX..).is_none() && dev.get((Bound::Excluded(usize::MAX), Bound::Unbounded)).is_none());
    let part = dev.get_mut(..2).unwrap();
    fill!(part <- 0)?;
    assert!(dev.get_mut(4..).is_none());
    assert_eq!(dev.to_vec()?, [0, 0, 3]);
    Ok(())
}

fn first_and_last(_: &Context) -> Outcome {
    let mut dev = device_vec![1_u8, 2, 3]?;
    assert_eq!((dev.first().unwrap().to_value()?, dev.last().unwrap().to_value()?), (1, 3));
    fill!(dev.first_mut().unwrap() <- 7)?;
    fill!(dev.last_mut().unwrap() <- 9)?;
    assert_eq!(dev.to_vec()?, [7, 2, 9]);
    assert!(dev[..0].first().is_none() && dev[..0].last().is_none());
    Ok(())
}

fn splits(_: &Context) -> Outcome {
    let mut dev = device_vec![1_u8, 2, 3, 4]?;
    let (left, right) = dev.split_at(1);
    assert_eq!((left.to_vec()?, right.to_vec()?), (vec![1], vec![2, 3, 4]));
    assert!(dev.split_at_checked(5).is_none() && dev.split_at_mut_checked(5).is_none());
    let (left, right) = dev.split_at_mut(4);
    assert!(right.is_empty());
    let (a, b) = left.split_at_mut(2);
    copy!(a <- b)?;
    assert_eq!(dev.to_vec()?, [3, 4, 3, 4]);
    Ok(())
}

fn chunks(_: &Context) -> Outcome {
    let host: Vec<u32> = (0..11).collect();
    let dev = DeviceBuffer::from_slice(&host)?;
    for size in [1, 2, 3, 4, 11, 12, usize::MAX] {
        let collect = |parts: &mut dyn Iterator<Item = &DeviceSlice<u32>>| -> memcore::Result<Vec<Vec<u32>>> {
            parts.map(DeviceSlice::to_vec).collect()
        };
        assert_eq!(collect(&mut dev.chunks(size))?, host.chunks(size).map(<[u32]>::to_vec).collect::<Vec<_>>());
        assert_eq!(
            collect(&mut dev.chunks(size).rev())?,
            host.chunks(size).rev().map(<[u32]>::to_vec).collect::<Vec<_>>()
        );
        assert_eq!(dev.chunks(size).len(), host.chunks(size).len());
        let exact = dev.chunks_exact(size);
        assert_eq!(exact.remainder().to_vec()?, host.chunks_exact(size).remainder());
        assert_eq!(exact.len(), host.chunks_exact(size).len());
        assert_eq!(collect(&mut { exact })?, host.chunks_exact(size).map(<[u32]>::to_vec).collect::<Vec<_>>());
    }
    assert_eq!(dev[..0].chunks(3).count(), 0);
    Ok(())
}

fn mutable_chunks(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 10]?;
    for (i, part) in dev.chunks_mut(4).enumerate() {
        fill!(part <- i as u8 + 1)?;
    }
    assert_eq!(dev.to_vec()?, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3]);
    for (i, part) in dev.chunks_mut(4).rev().enumerate() {
        fill!(part <- i as u8 + 5)?;
    }
    assert_eq!(dev.to_vec()?, [7, 7, 7, 7, 6, 6, 6, 6, 5, 5]);
    let mut exact = dev.chunks_exact_mut(4);
    let (a, b) = (exact.next().unwrap(), exact.next_back().unwrap());
    copy!(a <- b)?;
    fill!(exact.into_remainder() <- 0)?;
    assert_eq!(dev.to_vec()?, [6, 6, 6, 6, 6, 6, 6, 6, 0, 0]);
    Ok(())
}
