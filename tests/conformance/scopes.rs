//! Stream scopes.

use memcore::prelude::*;
use memcore::{Error, Lent};

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, refused, tests, turns};

tests!(
    there_and_back,
    every_pair_of_operands,
    operations_of_one_stream_are_in_order,
    nested_on_three_streams,
    overlapping_chunks_on_three_streams,
    taken_over_and_given_back,
    readers_beside_each_other,
    both_directions_in_chunks,
    one_to_32_streams,
    many_taken_over,
    fills_of_every_width,
    unified_memory,
    lent_host_memory,
    uninitialised_host_memory,
    empty_memory,
    the_legacy_stream,
    streams_of_other_priorities,
    lengths_must_match,
    waiting_operations_beside_it,
);

/// So much takes a GPU a while: what returns too early is seen.
pub(crate) const LARGE: usize = 32 * MIB;

fn there_and_back(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(LARGE, 1))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut back = locked_vec![0_u8; LARGE]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)?;
        copy!(back <- dev, s)
    })?;
    assert!(*back == *source);
    let mut pageable = vec![0; LARGE];
    stream.scope(|s| copy!(pageable <- dev, s))?;
    assert!(pageable == *source);
    Ok(())
}

fn every_pair_of_operands(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(10_000, 2);
    let mut locked = LockedBuffer::from_slice(&pattern(10_000, 3))?;
    let (mut first, mut second, mut third) =
        (device_vec![0_u8; 10_000]?, device_vec![0_u8; 10_000]?, device_vec![0_u8; 10_000]?);
    let (mut back, mut again) = (vec![0; 10_000], vec![0; 10_000]);
    stream.scope(|s| {
        copy!(third <- host, s)?;
        let (first, second, locked) = (s.lend(&mut first), s.lend(&mut second), s.lend(&mut locked));
        copy!(first <- locked, s)?;
        copy!(second <- first, s)?;
        copy!(first[..5000] <- s.lend_ref(&host)[5000..], s)?;
        copy!(locked[..1000] <- first[..1000], s)?;
        copy!(back <- second, s)?;
        copy!(again[5..] <- first[5..], s)
    })?;
    assert!(third.to_vec()? == host && back == pattern(10_000, 3));
    assert!(again[5..5000] == host[5005..] && again[5000..] == back[5000..] && again[..5] == [0; 5]);
    assert!(locked[..1000] == host[5000..6000] && locked[1000..] == back[1000..]);
    Ok(())
}

fn operations_of_one_stream_are_in_order(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u32; MIB]?;
    let mut backs = vec![locked_vec![0_u32; MIB]?, locked_vec![0_u32; MIB]?, locked_vec![0_u32; MIB]?];
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        for (value, back) in (1..).zip(&mut backs) {
            fill!(dev <- value, s)?;
            copy!(back <- dev, s)?;
        }
        fill!(dev <- 9, s)
    })?;
    assert!((1..).zip(&backs).all(|(value, back)| back.iter().all(|element| *element == value)));
    assert_eq!(dev[MIB - 1].to_value()?, 9);
    Ok(())
}

fn nested_on_three_streams(_: &Context) -> Outcome {
    let (a, b, c) = (Stream::new()?, Stream::new()?, Stream::new()?);
    let source = LockedBuffer::from_slice(&pattern(LARGE, 4))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut back = locked_vec![0_u8; LARGE]?;
    a.scope(|a| {
        let dev = a.lend(&mut dev);
        copy!(dev <- source, a)?;
        let (left, right) = dev.split_at_mut(LARGE / 2);
        let (back_left, back_right) = back.split_at_mut(LARGE / 2);
        b.scope(|b| {
            copy!(back_left <- b.take_over(left, a)?, b)?;
            c.scope(|c| {
                let right = c.take_over(right, a)?;
                fill!(right[..10] <- 9, c)?;
                copy!(back_right <- right, c)
            })
        })?;
        fill!(dev <- 7, a)
    })?;
    let half = LARGE / 2;
    assert!(
        back[..half] == source[..half] && back[half..half + 10] == [9; 10] && back[half + 10..] == source[half + 10..]
    );
    assert!(dev.to_vec()? == vec![7; LARGE]);
    Ok(())
}

fn overlapping_chunks_on_three_streams(_: &Context) -> Outcome {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut back = locked_vec![0_u8; LARGE]?;
    let quarter = LARGE / 4;
    streams[0].scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev[..2 * quarter] <- 1, a)?;
        streams[1].scope(|b| {
            let dev = b.take_over(&mut dev[quarter..], a)?;
            fill!(dev[..2 * quarter] <- 2, b)?;
            streams[2].scope(|c| {
                let dev = c.take_over(&mut dev[quarter..], b)?;
                fill!(dev[quarter / 2..] <- 3, c)
            })
        })?;
        copy!(back <- dev, a)
    })?;
    let ends = [(quarter, 1), (5 * quarter / 2, 2), (LARGE, 3)];
    let mut start = 0;
    for (end, value) in ends {
        assert!(back[start..end].iter().all(|byte| *byte == value), "{start}..{end}");
        start = end;
    }
    Ok(())
}

fn taken_over_and_given_back(_: &Context) -> Outcome {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0_u32; 4 * MIB]?;
    let mut back = locked_vec![0_u32; 4 * MIB]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        for round in 0..turns(20) {
            fill!(dev <- round, a)?;
            second.scope(|b| fill!(b.take_over(&mut dev[MIB..], a)? <- round + 100, b))?;
        }
        copy!(back <- dev, a)
    })?;
    let last = turns(20) - 1;
    assert!(back[..MIB].iter().all(|value| *value == last) && back[MIB..].iter().all(|value| *value == last + 100));
    Ok(())
}

fn readers_beside_each_other(_: &Context) -> Outcome {
    let (first, streams) = (Stream::new()?, [Stream::new()?, Stream::new()?]);
    let source = LockedBuffer::from_slice(&pattern(LARGE, 5))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut backs = [locked_vec![0_u8; LARGE]?, locked_vec![0_u8; LARGE]?, locked_vec![0_u8; LARGE]?];
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        copy!(dev <- source, a)?;
        let [mine, others @ ..] = &mut backs;
        let shared = &*dev;
        memcore::scope(|all| {
            for (stream, back) in streams.iter().zip(others) {
                all.on(stream, |b| copy!(back <- b.take_over_ref(shared, a)?, b))?;
            }
            copy!(mine <- shared, a)
        })?;
        fill!(dev <- 0, a)
    })?;
    assert!(backs.iter().all(|back| **back == *source));
    Ok(())
}

/// Up on one stream, worked on by another, down on a third: what a pipeline does.
fn both_directions_in_chunks(_: &Context) -> Outcome {
    const CHUNK: usize = MIB;
    let (up, work, down) = (Stream::new()?, Stream::new()?, Stream::new()?);
    let source = LockedBuffer::from_slice(&pattern(16 * CHUNK + 77, 6))?;
    let mut back = locked_vec![0_u8; source.len()]?;
    let mut dev = device_vec![0_u8; source.len()]?;
    up.scope(|a| {
        let dev = a.lend(&mut dev);
        let parts = dev.chunks_mut(CHUNK).zip(source.chunks(CHUNK)).zip(back.chunks_mut(CHUNK));
        memcore::scope(|downs| {
            memcore::scope(|works| {
                for ((dev, source), back) in parts {
                    copy!(dev <- source, a)?;
                    let (marked, plain) = dev.split_at_mut(7);
                    works.on(&work, |b| fill!(b.take_over(marked, a)? <- 0xEE, b))?;
                    downs.on(&down, |c| copy!(back[7..] <- c.take_over_ref(&*plain, a)?, c))?;
                }
                Ok::<(), Error>(())
            })
        })
    })?;
    assert!(back.chunks(CHUNK).zip(source.chunks(CHUNK)).all(|(back, source)| back[7..] == source[7..]));
    let dev = dev.to_vec()?;
    assert!(dev.chunks(CHUNK).all(|part| part[..7] == [0xEE; 7]));
    Ok(())
}

fn one_to_32_streams(_: &Context) -> Outcome {
    let source = LockedBuffer::from_slice(&pattern(4 * MIB, 7))?;
    let part = MIB / turns(10) as usize;
    for count in [1, 2, 5, 16, 32].map(turns) {
        let streams = (0..count).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
        let mut dev = device_vec![0_u8; source.len()]?;
        let mut back = locked_vec![0_u8; source.len()]?;
        memcore::scope(|all| {
            let parts = dev.chunks_mut(part).zip(source.chunks(part)).zip(back.chunks_mut(part));
            for (((dev, source), back), stream) in parts.zip(streams.iter().cycle()) {
                all.on(stream, |s| {
                    let dev = s.lend(dev);
                    copy!(dev <- source, s)?;
                    copy!(back <- dev, s)
                })?;
            }
            Ok::<(), Error>(())
        })?;
        assert!(*back == *source && dev.to_vec()? == *source, "{count} streams");
    }
    Ok(())
}

fn many_taken_over(_: &Context) -> Outcome {
    let streams = (0..8).map(|_| Stream::new()).collect::<memcore::Result<Vec<_>>>()?;
    let source = LockedBuffer::from_slice(&pattern(LARGE, 8))?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let mut back = locked_vec![0_u8; LARGE]?;
    streams[0].scope(|a| {
        let dev = a.lend(&mut dev);
        copy!(dev <- source, a)?;
        memcore::scope(|all| {
            for (i, (part, stream)) in dev.chunks_mut(LARGE / 7 + 1).zip(&streams[1..]).enumerate() {
                all.on(stream, |b| fill!(b.take_over(part, a)?[..9] <- i as u8, b))?;
            }
            Ok::<(), Error>(())
        })?;
        copy!(back <- dev, a)
    })?;
    for (i, (back, source)) in back.chunks(LARGE / 7 + 1).zip(source.chunks(LARGE / 7 + 1)).enumerate() {
        assert!(back[..9] == [i as u8; 9] && back[9..] == source[9..], "{i}");
    }
    Ok(())
}

fn fills_of_every_width(_: &Context) -> Outcome {
    fn filled<T: DeviceCopy + PartialEq + Copy>(stream: &Stream, zero: T, value: T) -> memcore::Result<()> {
        let mut dev = device_vec![zero; 1003]?;
        stream.scope(|s| {
            let value = Box::new(value);
            fill!(s.lend(&mut dev)[1..1002] <- *value, s)
        })?;
        let host = dev.to_vec()?;
        assert!(host[0] == zero && host[1002] == zero && host[1..1002].iter().all(|element| *element == value));
        Ok(())
    }
    let stream = Stream::new()?;
    filled(&stream, 0_u8, 7)?;
    filled(&stream, 0_u16, 0x0102)?;
    filled(&stream, 0_u32, 0x0102_0304)?;
    filled(&stream, 0.0_f64, 1.5)?;
    filled(&stream, [0_u8; 3], [1, 2, 3])?;
    filled(&stream, [0_u16; 5], [1, 2, 3, 4, 5])?;
    filled(&stream, [0_u64; 12], [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2])?;
    filled(&stream, false, true)?;
    Ok(())
}

fn unified_memory(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(4 * MIB, 10))?;
    let mut unified = unified_vec![0_u8; 4 * MIB]?;
    let mut other = unified_vec![0_u8; 4 * MIB]?;
    let mut dev = device_vec![0_u8; 4 * MIB]?;
    stream.scope(|s| {
        let (unified, dev) = (s.lend(&mut unified), s.lend(&mut dev));
        copy!(unified <- source, s)?;
        fill!(unified[..10] <- 5, s)?;
        copy!(dev <- unified, s)?;
        copy!(other <- dev, s)
    })?;
    assert!(unified[..10] == [5; 10] && unified[10..] == source[10..]);
    assert!(*other == *unified && dev.to_vec()? == *unified);
    Ok(())
}

fn lent_host_memory(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; LARGE]?;
    let (mut locked, mut pageable) = (LockedBuffer::from_slice(&pattern(LARGE, 11))?, vec![0_u8; LARGE]);
    stream.scope(|s| {
        let (dev, locked, pageable) = (s.lend(&mut dev), s.lend(&mut locked), s.lend(&mut pageable));
        // Each is source and destination in turn: on one stream, in order.
        copy!(dev <- locked, s)?;
        copy!(pageable <- dev, s)?;
        fill!(dev[..100] <- 3, s)?;
        copy!(locked <- dev, s)?;
        copy!(dev[..1000] <- pageable[..1000], s)?;
        copy!(pageable[1000..2000] <- dev[..1000], s)
    })?;
    let host = pattern(LARGE, 11);
    assert!(locked[..100] == [3; 100] && locked[100..] == host[100..]);
    assert!(
        pageable[..1000] == host[..1000] && pageable[1000..2000] == host[..1000] && pageable[2000..] == host[2000..]
    );
    Ok(())
}

fn uninitialised_host_memory(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let dev = DeviceBuffer::from_slice(&[1_u16, 2, 3])?;
    let mut room = [std::mem::MaybeUninit::<u16>::uninit(); 3];
    stream.scope(|s| copy!(room[..] <- dev, s))?;
    // SAFETY: the scope ended without an error, so that the copy has written all three.
    assert_eq!(room.map(|element| unsafe { element.assume_init() }), [1, 2, 3]);
    Ok(())
}

fn empty_memory(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u32; 0]?;
    let (mut some, mut back) = (device_vec![1_u32; 4]?, [0_u32; 4]);
    stream.scope(|s| {
        let (dev, some) = (s.lend(&mut dev), s.lend(&mut some));
        copy!(dev <- some[4..], s)?;
        fill!(dev <- 1, s)?;
        fill!(some[2..2] <- 7, s)?;
        assert_eq!(some.chunks(3).map(Lent::<DeviceSlice<u32>>::len).collect::<Vec<_>>(), [3, 1]);
        copy!(back <- some, s)
    })?;
    assert_eq!(back, [1; 4]);
    memcore::scope(|_| Ok::<(), Error>(()))?;
    Ok(())
}

fn the_legacy_stream(_: &Context) -> Outcome {
    let (legacy, other) = (Stream::legacy()?, Stream::new()?);
    let mut dev = device_vec![1_u8; 4 * MIB]?;
    let mut back = locked_vec![0_u8; 4 * MIB]?;
    legacy.scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 2, a)?;
        other.scope(|b| fill!(b.take_over(&mut dev[2 * MIB..], a)? <- 3, b))?;
        copy!(back <- dev, a)
    })?;
    assert!(back[..2 * MIB].iter().all(|byte| *byte == 2) && back[2 * MIB..].iter().all(|byte| *byte == 3));
    Ok(())
}

fn streams_of_other_priorities(context: &Context) -> Outcome {
    let (least, greatest) = context.stream_priorities()?;
    let streams = [Stream::with_priority_in(context, least)?, Stream::with_priority_in(context, greatest)?];
    let mut dev = device_vec![0_u8; 4 * MIB]?;
    streams[0].scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 1, a)?;
        streams[1].scope(|b| fill!(b.take_over(&mut dev[..MIB], a)? <- 2, b))
    })?;
    let host = dev.to_vec()?;
    assert!(host[..MIB].iter().all(|byte| *byte == 2) && host[MIB..].iter().all(|byte| *byte == 1));
    Ok(())
}

fn lengths_must_match(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; 4]?;
    let (mut back, source) = ([0_u8; 3], [1_u8; 5]);
    let wrong = |destination_len, source_len| Err(Error::LengthMismatch { destination_len, source_len });
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        assert_eq!(copy!(dev <- source, s), wrong(4, 5));
        assert_eq!(copy!(back <- dev, s), wrong(3, 4));
        assert_eq!(copy!(dev[..0] <- source, s), wrong(0, 5));
        copy!(dev <- source[1..], s)
    })?;
    assert_eq!((dev.to_vec()?, back), (vec![1; 4], [0; 3]));
    Ok(())
}

fn waiting_operations_beside_it(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let source = LockedBuffer::from_slice(&pattern(LARGE, 18))?;
    let (mut dev, other) = (device_vec![0_u8; LARGE]?, device_vec![7_u8; 100]?);
    let (mut back, mut host) = (locked_vec![0_u8; LARGE]?, [0_u8; 100]);
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)?;
        copy!(host <- other)?;
        assert_eq!(host, [7; 100]);
        copy!(host[..50] <- other[50..], s.stream())?;
        drop(device_vec![1_u8; MIB]?);
        copy!(back <- dev, s)
    })?;
    assert!(*back == *source);
    Ok(())
}

/// For `devices`: one scope with streams of two devices.
pub(crate) fn on_two_devices(here: &Context, there: &Context) -> Outcome {
    let (near, far) = (Stream::new_in(here)?, Stream::new_in(there)?);
    let source = LockedBuffer::from_slice(&pattern(4 * MIB, 19))?;
    let mut dev = DeviceBuffer::<u8>::zeroed_in(here, 4 * MIB)?;
    let mut other = DeviceBuffer::<u8>::zeroed_in(there, 4 * MIB)?;
    let mut back = locked_vec![0_u8; 4 * MIB]?;
    near.scope(|a| {
        let dev = a.lend(&mut dev);
        copy!(dev <- source, a)?;
        far.scope(|b| {
            let (dev, other) = (b.take_over_ref(&*dev, a)?, b.lend(&mut other));
            let scratch = b.device_vec::<u8>(4 * MIB)?;
            copy!(scratch <- dev, b)?;
            copy!(other <- scratch, b)?;
            copy!(back <- other, b)
        })?;
        fill!(dev <- 1, a)?;
        let other = Error::OtherDevice { stream: there.device().ordinal(), memory: here.device().ordinal() };
        refused(far.scope(|b| fill!(b.take_over(&mut dev[..4], a)? <- 2, b)), &other)?;
        Ok::<(), Error>(())
    })?;
    assert!(*back == *source && other.to_vec()? == *source && dev.to_vec()? == vec![1; 4 * MIB]);
    Ok(())
}
