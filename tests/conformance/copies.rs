//! `copy!` between every pair of memories, and what it refuses.

use std::mem::MaybeUninit;
use std::num::NonZeroU32;

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, refused, tests, waited};

tests!(
    every_pair_of_memories,
    every_operand_form,
    ranges_on_either_side,
    lengths_must_match,
    operands_are_evaluated_once,
    on_a_stream,
    raw_asynchronous_copies,
    large_copies,
    invalid_values_are_refused_and_nothing_is_written,
    valid_checked_values_come_back,
    uninitialised_host_memory_is_a_destination,
    odd_offsets_and_sizes,
);

fn every_pair_of_memories(_: &Context) -> Outcome {
    let source = pattern(1000, 1);
    let other = pattern(1000, 2);
    let (mut host, mut locked, mut dev, mut dev2) =
        (vec![0; 1000], locked_vec![0_u8; 1000]?, device_vec![0_u8; 1000]?, device_vec![0_u8; 1000]?);
    let locked_source = LockedBuffer::from_slice(&other)?;

    copy!(dev <- source)?;
    copy!(dev2 <- dev)?;
    copy!(locked <- dev2)?;
    assert_eq!(*locked, source);
    copy!(dev <- locked_source)?;
    copy!(host <- dev)?;
    assert_eq!(host, other);
    copy!(locked <- host)?;
    copy!(host <- source)?;
    assert_eq!((&*locked, &host), (&*other, &source));
    Ok(())
}

fn every_operand_form(_: &Context) -> Outcome {
    fn into(slice: &mut DeviceSlice<u8>) -> memcore::Result<()> {
        copy!(slice <- [1, 2, 3])?;
        copy!(slice <- vec![1, 2, 4])
    }
    let mut dev = device_vec![0_u8; 3]?;
    into(&mut dev)?;
    let reference = &mut dev;
    copy!(reference[..1] <- [9])?;
    into(reference)?;
    copy!(*reference <- [5, 6, 7])?;
    copy!(&mut *reference <- &[5, 6, 8])?;
    let boxed: Box<[u8]> = Box::new([1, 2, 5]);
    copy!(dev <- boxed)?;
    let mut boxed_back: Box<[u8]> = Box::new([0; 3]);
    copy!(boxed_back <- dev)?;
    assert_eq!(*boxed_back, [1, 2, 5]);
    let mut array = [0; 3];
    copy!(array <- dev)?;
    struct Holder {
        dev: DeviceBuffer<u8>,
        host: Vec<u8>,
    }
    let mut holder = Holder { dev, host: array.to_vec() };
    copy!(holder.dev[..2] <- holder.host[1..])?;
    let slices: (&mut DeviceSlice<u8>, &[u8]) = (&mut holder.dev, &[7]);
    copy!(slices.0[2..] <- slices.1)?;
    assert_eq!(holder.dev.to_vec()?, [2, 5, 7]);
    holder.dev.copy_from(&vec![1, 1, 1])?;
    let mut back = vec![0; 3];
    holder.dev.copy_to(&mut back)?;
    let mut other = device_vec![0_u8; 3]?;
    holder.dev[..].copy_to(&mut other)?;
    assert_eq!((back, other.to_vec()?), (vec![1; 3], vec![1; 3]));
    Ok(())
}

fn ranges_on_either_side(_: &Context) -> Outcome {
    let host: Vec<u32> = (0..100).collect();
    let mut dev = device_vec![0_u32; 100]?;
    let (n, m) = (10, 20);
    copy!(dev[0..n] <- host[m..m + n])?;
    copy!(dev[n..=n] <- host[99..])?;
    copy!(dev[98..] <- host[..2])?;
    let mut back = vec![7; 100];
    copy!(back[1..11] <- dev[..10])?;
    assert_eq!(back[..12], [7, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 7]);
    assert_eq!(dev[10].to_value()?, 99);
    assert_eq!(dev[97..].to_vec()?, [0, 0, 1]);
    let (left, right) = dev.split_at_mut(50);
    copy!(right[..10] <- left[..10])?;
    assert_eq!(dev[50..60].to_vec()?, host[20..30]);
    Ok(())
}

fn lengths_must_match(_: &Context) -> Outcome {
    let mut dev = device_vec![1_u8, 2, 3]?;
    let mut host = [0_u8; 2];
    let mut other = device_vec![0_u8; 4]?;
    assert_eq!(copy!(dev <- [1_u8, 2]), Err(Error::LengthMismatch { destination_len: 3, source_len: 2 }));
    assert_eq!(copy!(host <- dev), Err(Error::LengthMismatch { destination_len: 2, source_len: 3 }));
    assert_eq!(copy!(other <- dev), Err(Error::LengthMismatch { destination_len: 4, source_len: 3 }));
    assert_eq!(copy!(host <- [1_u8]), Err(Error::LengthMismatch { destination_len: 2, source_len: 1 }));
    assert_eq!(copy!(dev[..0] <- [1_u8]), Err(Error::LengthMismatch { destination_len: 0, source_len: 1 }));
    assert_eq!(dev.to_value(), Err(Error::LengthMismatch { destination_len: 1, source_len: 3 }));
    assert_eq!((dev.to_vec()?, host), (vec![1, 2, 3], [0; 2]));
    Ok(())
}

fn operands_are_evaluated_once(_: &Context) -> Outcome {
    let mut devs = [device_vec![0_u8; 2]?, device_vec![0_u8; 2]?];
    let hosts = [[1_u8, 2], [3, 4]];
    let streams = [Stream::new()?, Stream::new()?];
    let mut order = Vec::new();
    let mut next = |what: &'static str| {
        order.push(what);
        order.iter().filter(|seen| **seen == what).count() - 1
    };
    copy!(devs[next("destination")] <- hosts[next("source")], streams[next("stream")])?;
    fill!(devs[next("destination")] <- { next("value"); 9 }, streams[next("stream")])?;
    assert_eq!(order, ["destination", "source", "stream", "destination", "value", "stream"]);
    assert_eq!((devs[0].to_vec()?, devs[1].to_vec()?), (vec![1, 2], vec![9, 9]));
    Ok(())
}

fn on_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(MIB, 3);
    let mut dev = device_vec![0_u8; MIB]?;
    let mut back = vec![0; MIB];
    let mut locked = locked_vec![0_u8; MIB]?;
    copy!(dev <- host, stream)?;
    copy!(back <- dev, &stream)?;
    copy!(locked <- dev, stream)?;
    assert!(back == host && *locked == *host);
    refused(copy!(dev[..1] <- host, stream), &Error::LengthMismatch { destination_len: 1, source_len: MIB })?;
    Ok(())
}

fn raw_asynchronous_copies(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(100_000, 4))?;
    let mut dev = device_vec![0_u8; 100_000]?;
    let mut middle = device_vec![0_u8; 100_000]?;
    let mut back = locked_vec![0_u8; 100_000]?;
    waited(&stream, || {
        // SAFETY: nothing uses the four but these copies, which are in order on one stream, until the wait has succeeded.
        unsafe { copy!(dev <- source, async stream)? };
        // SAFETY: as above.
        unsafe { copy!(middle <- dev, async &stream)? };
        // SAFETY: as above.
        unsafe { copy!(back[1000..] <- middle[..99_000], async stream) }
    })?;
    assert!(back[1000..] == source[..99_000] && back[..1000] == [0; 1000]);
    Ok(())
}

fn large_copies(_: &Context) -> Outcome {
    let host: Vec<u64> = (0..8 * MIB as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let dev = DeviceBuffer::from_slice(&host)?;
    assert!(dev.to_vec()? == host);
    let mut locked = locked_vec![0_u64; host.len()]?;
    copy!(locked <- dev)?;
    assert!(*locked == *host);
    Ok(())
}

fn invalid_values_are_refused_and_nothing_is_written(_: &Context) -> Outcome {
    let mut dev = device_vec![true; 1000]?;
    fill!(dev.view_as_mut::<u8>()?[999..] <- 2)?;
    let mut back = vec![false; 1000];
    let expected = Error::InvalidValue { index: 999, type_name: "bool", field: None };
    refused(copy!(back <- dev), &expected)?;
    assert_eq!(back, [false; 1000]);
    let mut locked = locked_vec![false; 1000]?;
    refused(copy!(locked <- dev), &expected)?;
    assert_eq!(*locked, [false; 1000]);
    refused(dev.to_vec(), &expected)?;
    refused(dev[999].to_value(), &Error::InvalidValue { index: 0, type_name: "bool", field: None })?;
    copy!(back[..999] <- dev[..999])?;
    assert_eq!(back[..999], [true; 999]);

    let numbers = device_vec![1_u32, 0]?;
    match numbers.view_as::<NonZeroU32>()?.to_vec() {
        Err(Error::InvalidValue { index: 1, .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn valid_checked_values_come_back(_: &Context) -> Outcome {
    let host = ['a', '\u{10FFFF}', '\0'];
    assert_eq!(DeviceBuffer::from_slice(&host)?.to_vec()?, host);
    let numbers = [NonZeroU32::MIN, NonZeroU32::MAX];
    let mut locked = LockedBuffer::from_slice(&[NonZeroU32::MIN; 2])?;
    copy!(locked <- DeviceBuffer::from_slice(&numbers)?)?;
    assert_eq!(*locked, numbers);
    Ok(())
}

fn uninitialised_host_memory_is_a_destination(_: &Context) -> Outcome {
    let dev = device_vec![true, false, true]?;
    let mut room = [MaybeUninit::<bool>::uninit(); 3];
    copy!(room[..] <- dev)?;
    // SAFETY: the copy succeeded, so that all three are initialised and valid.
    assert_eq!(room.map(|value| unsafe { value.assume_init() }), [true, false, true]);
    Ok(())
}

fn odd_offsets_and_sizes(_: &Context) -> Outcome {
    let host = pattern(100_000, 5);
    let mut dev = device_vec![0_u8; 100_000]?;
    let mut expected = vec![0; 100_000];
    for (at, len, from) in [(1, 1, 2), (3, 4095, 7), (4097, 8191, 3), (50_001, 49_999, 11)] {
        copy!(dev[at..at + len] <- host[from..from + len])?;
        expected[at..at + len].copy_from_slice(&host[from..from + len]);
    }
    let mut back = vec![0; 99_997];
    copy!(back <- dev[3..])?;
    assert!(back == expected[3..]);
    Ok(())
}
