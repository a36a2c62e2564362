//! Copies of pageable memory through page-locked memory of the context's, at every size where something changes.

use std::mem::MaybeUninit;
use std::thread;

use memcore::Staging;
use memcore::memory::array::ArrayShape;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, joined, tests, turns};

tests!(
    every_size_comes_back,
    large_copies_by_several_threads,
    windows_of_rows_and_slices,
    windows_of_arrays,
    copies_from_many_threads_at_once,
    a_stream_keeps_its_order,
    uninitialised_and_checked_destinations,
    settings_are_kept_and_odd_ones_work,
    trim_gives_the_memory_back
);

/// Enough for pieces in which a copy of some hundred KiB is several parts.
const SMALL: Staging = Staging::off().threads(4).maximum_bytes(1 << 20);

/// As the largest copy through one piece.
const ONE_PIECE: usize = 128 << 10;

/// Uploads and downloads, with so many bytes before and behind on either side that stay.
fn both_ways(context: &Context, len: usize, at_host: usize, at_device: usize) -> memcore::Result<()> {
    let host = pattern(len + at_host + 9, len as u32);
    let mut dev = DeviceBuffer::filled_in(context, 0xEE_u8, len + at_device + 5)?;
    copy!(dev[at_device..at_device + len] <- host[at_host..at_host + len])?;
    let mut back = vec![0x77_u8; len + at_host + 3];
    copy!(back[at_host..at_host + len] <- dev[at_device..at_device + len])?;
    assert!(back[at_host..at_host + len] == host[at_host..at_host + len], "{len} bytes, {at_host}, {at_device}");
    assert!(back[..at_host].iter().chain(&back[at_host + len..]).all(|byte| *byte == 0x77), "{len}: outside");
    let all = dev.to_vec()?;
    assert!(all[at_device..at_device + len] == host[at_host..at_host + len], "{len}: all of it");
    assert!(all[..at_device].iter().chain(&all[at_device + len..]).all(|byte| *byte == 0xEE), "{len}: beside it");
    Ok(())
}

fn every_size_comes_back(context: &Context) -> Outcome {
    let piece = MIB / 8;
    let around = [piece, 2 * piece, MIB, 2 * MIB, 4 * MIB, 8 * MIB];
    let sizes = [1, 3, 4095, 33_333].into_iter().chain(around.into_iter().flat_map(|size| [size - 1, size, size + 1]));
    for (number, len) in sizes.enumerate() {
        both_ways(context, len, number % 5, number % 3)?;
    }
    both_ways(context, 17 * MIB + 11, 1, 1)?;
    Ok(())
}

fn large_copies_by_several_threads(context: &Context) -> Outcome {
    context.set_staging(SMALL)?;
    // From the size on where several threads work, at most.
    for len in [ONE_PIECE + 1, (1 << 20) + 5, (2 << 20) + 77] {
        both_ways(context, len, 1, 2)?;
        assert!(context.staging_bytes() <= 1 << 20);
    }
    context.set_staging(Staging::default())?;
    Ok(())
}

fn windows_of_rows_and_slices(context: &Context) -> Outcome {
    // Rows with gaps on both sides, in one piece and in many.
    for (slices, rows, columns) in [(1, 3, 5), (2, MIB / 512, 300), (3, 40, MIB / 50), (1, 1, 2 * MIB + 1)] {
        let (wide, high) = (columns + 3, rows + 2);
        let host = pattern(slices * high * wide, 5);
        let mut dev = DeviceBuffer::filled_in(context, 1_u8, slices * high * (columns + 1))?;
        copy!(dev.as_3d_mut([high, columns + 1])?[.., 1..=rows, ..columns] <- host.as_3d([high, wide])?[.., 2.., 3..])?;
        let mut back = vec![0x55_u8; slices * high * wide];
        copy!(back.as_3d_mut([high, wide])?[.., 2.., 3..] <- dev.as_3d([high, columns + 1])?[.., 1..=rows, ..columns])?;
        let mut expected = vec![0x55; back.len()];
        for row in (0..slices * high).filter(|row| row % high >= 2) {
            expected[row * wide + 3..(row + 1) * wide].copy_from_slice(&host[row * wide + 3..(row + 1) * wide]);
        }
        assert!(back == expected, "{slices} slices of {rows} rows of {columns}");
        for (place, byte) in dev.to_vec()?.into_iter().enumerate() {
            let (row, column) = (place / (columns + 1) % high, place % (columns + 1));
            assert!(((1..=rows).contains(&row) && column < columns) || byte == 1, "{place} was written");
        }
        // With a pitch of the driver's choice.
        let mut pitched = PitchedBuffer::<u8>::zeroed_in(context, [high, wide])?;
        copy!(pitched <- host[..high * wide].as_2d(wide)?)?;
        assert!(pitched.to_vec()? == host[..high * wide]);
    }
    Ok(())
}

fn windows_of_arrays(context: &Context) -> Outcome {
    let numbers = |len: usize| (0..len as u32).map(|i| [i, !i, i * 3, i ^ 0x5555]).collect::<Vec<_>>();
    // Rows that are cut where an element ends, however long they are.
    for shape in [ArrayShape::new_2d([3, MIB / 18 + 1]), ArrayShape::new_3d([2, 7, MIB / 500]), ArrayShape::new_1d(99)]
    {
        let host = numbers(shape.len());
        let array = ArrayObject::from_slice_in(context, &host, shape)?;
        assert!(array.to_vec()? == host, "{shape:?}");
        let [slices, rows, columns] = shape.extents();
        let part = array.as_view().window(0..slices, rows / 2..rows, 1..columns)?.to_vec()?;
        let mut expected = Vec::new();
        for row in (0..slices * rows).filter(|row| row % rows >= rows / 2) {
            expected.extend_from_slice(&host[row * columns + 1..(row + 1) * columns]);
        }
        assert!(part == expected, "{shape:?}");
    }
    Ok(())
}

fn copies_from_many_threads_at_once(context: &Context) -> Outcome {
    thread::scope(|scope| {
        let work = (0..turns(8)).map(|seed| {
            scope.spawn(move || {
                for turn in 0..turns(6) {
                    let len = [MIB / 100, MIB / 3, 2 * MIB, 5 * MIB][(seed + turn) as usize % 4] + seed as usize;
                    both_ways(context, len, turn as usize, seed as usize)?;
                }
                Ok(())
            })
        });
        joined(work.collect::<Vec<_>>())
    })?;
    Ok(())
}

fn a_stream_keeps_its_order(context: &Context) -> Outcome {
    let (stream, len) = (Stream::new_in(context)?, 3 * MIB + 1);
    for len in [100, len] {
        let (first, second) = (pattern(len, 1), pattern(len, 2));
        let mut source = DeviceBuffer::from_slice_in(context, &first)?;
        let (mut dev, mut back) = (DeviceBuffer::zeroed_in(context, len)?, vec![0_u8; len]);
        // SAFETY: both are left alone until the copies behind it, which wait, are done.
        let queued = unsafe { copy!(dev <- source, async stream) };
        // Behind what is queued.
        let copied = copy!(back <- dev, stream);
        let overwritten = copied.and_then(|()| copy!(source <- second, stream));
        let waited = crate::rig::waited(&stream, || queued.and(overwritten));
        waited?;
        assert!(back == first, "{len} bytes");
        copy!(back <- source, stream)?;
        assert!(back == second, "{len} bytes");
    }
    Ok(())
}

fn uninitialised_and_checked_destinations(context: &Context) -> Outcome {
    for len in [1000, MIB / 2, 2 * MIB + 3] {
        let truths: Vec<bool> = pattern(len, 8).into_iter().map(|byte| byte % 3 == 0).collect();
        let mut dev = DeviceBuffer::from_slice_in(context, &truths)?;
        assert!(dev.to_vec()? == truths);
        let mut back = vec![false; len];
        copy!(back <- dev)?;
        assert!(back == truths);
        dev.copy_from(&back)?;
        let mut room = vec![MaybeUninit::<bool>::uninit(); len];
        copy!(room <- dev)?;
        // SAFETY: the copy wrote every element.
        assert!(room.iter().map(|one| unsafe { one.assume_init() }).eq(truths));
    }
    Ok(())
}

fn settings_are_kept_and_odd_ones_work(context: &Context) -> Outcome {
    let settings = [
        Staging::off(),
        Staging::default().threads(0),
        Staging::default().threads(1),
        Staging::default().threads(100),
        Staging::default().threads(usize::MAX).maximum_bytes(usize::MAX),
        Staging::default().threads(2).maximum_bytes(0),
        Staging::default().threads(2).maximum_bytes(ONE_PIECE - 1),
        Staging::default().threads(2).maximum_bytes(ONE_PIECE),
        Staging::default().threads(3).maximum_bytes(3 * MIB),
        Staging::default().maximum_bytes(usize::MAX),
    ];
    for staging in settings {
        context.set_staging(staging)?;
        assert_eq!((context.staging(), context.staging_bytes()), (staging, 0));
        both_ways(context, 100, 1, 1)?;
        both_ways(context, MIB + 1, 1, 1)?;
        both_ways(context, 9 * MIB, 1, 1)?;
    }
    context.set_staging(Staging::off())?;
    both_ways(context, 9 * MIB, 1, 1)?;
    assert_eq!(context.staging_bytes(), 0);
    context.set_staging(Staging::default())?;
    Ok(())
}

fn trim_gives_the_memory_back(context: &Context) -> Outcome {
    both_ways(context, 1000, 0, 0)?;
    both_ways(context, 9 * MIB, 0, 0)?;
    context.trim(0)?;
    assert_eq!(context.staging_bytes(), 0);
    // Beside copies, which finish in what they have.
    thread::scope(|scope| {
        let copies = scope.spawn(|| {
            for turn in 0..turns(20) as usize {
                both_ways(context, MIB * (turn % 3) + 1000, turn, 0)?;
            }
            Ok(())
        });
        let trims = scope.spawn(|| {
            for _ in 0..turns(20) {
                context.trim(0)?;
                thread::yield_now();
            }
            Ok(())
        });
        joined([copies, trims])
    })?;
    context.trim(0)?;
    assert_eq!(context.staging_bytes(), 0);
    Ok(())
}
