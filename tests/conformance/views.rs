//! Views in rows, pitched buffers and copies and fills of windows.

use memcore::Error;
use memcore::prelude::*;

use crate::rig::{Outcome, refused, tests, waited};

tests!(
    windows_between_every_pair_of_memories,
    boxes_between_every_pair_of_memories,
    what_lies_outside_a_window_stays,
    one_position_is_a_window,
    pitched_buffers_are_made_in_every_way,
    elements_of_any_size_in_pitched_rows,
    rows_are_slices,
    rows_in_slices,
    views_are_split,
    windows_in_the_order_of_a_stream,
    raw_asynchronous_windows,
    windows_of_checked_types,
    scoped_windows,
    nothing_is_copied,
    extents_must_match,
    windows_stay_inside,
    shapes_that_do_not_fit,
    parts_are_taken_apart_and_put_together
);

/// `[height, width]` elements, each its own place.
fn numbered(height: usize, width: usize) -> Vec<u32> {
    (0..height * width).map(|i| i as u32 + 1).collect()
}

/// A window of a plain array of arrays.
pub(crate) fn plain_window(
    all: &[u32],
    width: usize,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) -> Vec<u32> {
    rows.flat_map(|row| all[row * width..][columns.clone()].to_vec()).collect()
}

/// Copies a window of each source to the rows of 7, and looks whether it is there.
macro_rules! from_each {
    ($rows:ident, $expected:ident: $(($($source:tt)+))+) => {$(
        fill!($rows <- 0)?;
        copy!($rows[2.., 1..6] <- $($source)+[1..4, 3..8])?;
        assert_eq!(crate::views::plain_window(&$rows.to_vec()?, 7, 2..5, 1..6), $expected);
    )+};
}

/// Copies a window of the rows to each destination, which is emptied before, and looks whether it is whole again.
macro_rules! to_each {
    ($rows:ident, $whole:ident: $(($($destination:tt)+) $all:expr;)+) => {$(
        fill!($($destination)+[1..4, 3..8] <- 0)?;
        copy!($($destination)+[1..4, 3..8] <- $rows[2.., 1..6])?;
        assert_eq!($all, $whole);
    )+};
}

/// Copies windows between `[5, 7]` elements and every memory.
macro_rules! with_every_memory {
    ($rows:ident, $host:ident, $expected:ident) => {
        let $host: Vec<u32> = (1..=60).collect();
        let $expected = crate::views::plain_window(&$host, 10, 1..4, 3..8);
        let (mut locked, mut unified) = (LockedBuffer::from_slice(&$host)?, UnifiedBuffer::from_slice(&$host)?);
        let (mut dev, mut pitched) = (DeviceBuffer::from_slice(&$host)?, PitchedBuffer::from_slice(&$host, 10)?);
        let mut image = ArrayObject::from_slice(&$host, [6, 10])?;
        crate::views::from_each!($rows, $expected:
            ($host.as_2d(10)?) (locked.as_2d(10)?) (unified.as_2d(10)?) (unified.as_device_slice().as_2d(10)?)
            (dev.as_2d(10)?) (pitched) (image)
        );
        crate::views::to_each!($rows, $host:
            (locked.as_2d_mut(10)?) *locked;
            (unified.as_2d_mut(10)?) *unified;
            (unified.as_device_slice_mut().as_2d_mut(10)?) *unified;
            (dev.as_2d_mut(10)?) dev.to_vec()?;
            (pitched) pitched.to_vec()?;
            (image) image.to_vec()?;
        );
        let mut back = vec![0; 15];
        copy!(back.as_2d_mut(5)? <- $rows[2.., 1..6])?;
        assert_eq!(back, $expected);
        let mut room = [std::mem::MaybeUninit::<u32>::uninit(); 15];
        copy!(room.as_2d_mut(5)? <- $rows[2.., 1..6])?;
        // SAFETY: the copy wrote every element.
        assert_eq!(room.map(|element| unsafe { element.assume_init() }), *$expected);
        assert_eq!($rows.to_vec()?[..14], [0; 14]);
    };
}
pub(crate) use {from_each, to_each, with_every_memory};

fn windows_between_every_pair_of_memories(_: &Context) -> Outcome {
    let mut rows = PitchedBuffer::<u32>::zeroed([5, 7])?;
    with_every_memory!(rows, host, expected);

    // Within the host.
    let mut back = vec![0; 60];
    copy!(back.as_2d_mut(10)?[1..4, 3..8] <- host.as_2d(10)?[1..4, 3..8])?;
    assert_eq!(plain_window(&back, 10, 1..4, 3..8), expected);
    assert_eq!(back.iter().filter(|element| **element != 0).count(), 15);
    Ok(())
}

fn boxes_between_every_pair_of_memories(_: &Context) -> Outcome {
    // 4 slices of 5 rows of 6.
    let host = numbered(20, 6);
    let all = |from: &[u32]| -> Vec<u32> {
        (1..3).flat_map(|z| plain_window(&from[z * 30..][..30], 6, 2..5, 1..4)).collect()
    };
    let expected = all(&host);
    let mut locked = LockedBuffer::from_slice(&host)?;
    let mut dev = DeviceBuffer::<u32>::zeroed(120)?;
    let mut small = DeviceBuffer::<u32>::zeroed(18)?;
    copy!(dev.as_3d_mut([5, 6])?[1..3, 2..5, 1..4] <- host.as_3d([5, 6])?[1..3, 2..5, 1..4])?;
    let back = dev.to_vec()?;
    assert_eq!(all(&back), expected);
    assert_eq!(back.iter().filter(|element| **element != 0).count(), 18);
    copy!(small.as_3d_mut([3, 3])? <- dev.as_3d([5, 6])?[1..3, 2..5, 1..4])?;
    assert_eq!(small.to_vec()?, expected);
    fill!(locked.as_3d_mut([5, 6])?[1..3, 2..5, 1..4] <- 0)?;
    copy!(locked.as_3d_mut([5, 6])?[1..3, 2..5, 1..4] <- small.as_3d([3, 3])?)?;
    assert_eq!(*locked, *host);
    let mut back = vec![0; 120];
    copy!(back.as_3d_mut([5, 6])?[1..3, 2..5, 1..4] <- dev.as_3d([5, 6])?[1..3, 2..5, 1..4])?;
    assert_eq!(back, dev.to_vec()?);
    assert_eq!(dev.as_3d([5, 6])?.window(1..3, 2..5, 1..4)?.to_vec()?, expected);
    Ok(())
}

fn what_lies_outside_a_window_stays(_: &Context) -> Outcome {
    for (rows, columns) in [(0..1, 0..1), (0..4, 2..3), (3..4, 0..8), (1..3, 7..8)] {
        let mut dev = DeviceBuffer::from_slice(&numbered(4, 8))?;
        let value = vec![1000; rows.len() * columns.len()];
        copy!(dev.as_2d_mut(8)?[rows.clone(), columns.clone()] <- value.as_2d(columns.len())?)?;
        let mut expected = numbered(4, 8);
        for row in rows {
            expected[row * 8..][columns.clone()].fill(1000);
        }
        assert_eq!(dev.to_vec()?, expected);
        let mut host = numbered(4, 8);
        copy!(host.as_2d_mut(8)? <- dev.as_2d(8)?)?;
        assert_eq!(host, expected);
    }
    Ok(())
}

fn one_position_is_a_window(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&numbered(3, 4))?;
    let mut column = [0; 3];
    copy!(column.as_2d_mut(1)? <- dev.as_2d(4)?[.., 2])?;
    assert_eq!(column, [3, 7, 11]);
    fill!(dev.as_2d_mut(4)?[1, 2] <- 0)?;
    assert_eq!(dev[4..8].to_vec()?, [5, 6, 0, 8]);
    fill!(dev.as_3d_mut([1, 4])?[2, .., 1..=2] <- 0)?;
    assert_eq!(dev[8..].to_vec()?, [9, 0, 0, 12]);
    Ok(())
}

fn pitched_buffers_are_made_in_every_way(context: &Context) -> Outcome {
    let zeros = PitchedBuffer::<f64>::zeroed([3, 5])?;
    assert_eq!(zeros.to_vec()?, [0.0; 15]);
    assert_eq!(PitchedBuffer::<u8>::zeroed_in(context, [2, 2])?.to_vec()?, [0; 4]);
    assert_eq!(PitchedBuffer::filled([1_u8, 2, 3], [2, 3])?.to_vec()?, [[1, 2, 3]; 6]);
    assert_eq!(PitchedBuffer::filled_in(context, 1.5_f32, [2, 1])?.to_vec()?, [1.5; 2]);
    assert_eq!(PitchedBuffer::from_slice(&[1_u16, 2, 3, 4], 2)?.extents(), [2, 2]);
    assert_eq!(PitchedBuffer::from_slice_in(context, &[1_u16, 2, 3, 4], 4)?.to_vec()?, [1, 2, 3, 4]);
    // SAFETY: every element is written before any is read.
    let mut raw = unsafe { PitchedBuffer::<u32>::uninitialized([2, 3])? };
    copy!(raw <- numbered(2, 3).as_2d(3)?)?;
    assert_eq!(raw.to_vec()?, numbered(2, 3));
    // SAFETY: as above.
    let mut raw = unsafe { PitchedBuffer::<u32>::uninitialized_in(context, [2, 3])? };
    fill!(raw <- 9)?;
    assert_eq!(raw.to_vec()?, [9; 6]);
    raw.copy_from(&numbered(2, 3).as_2d(3)?)?;
    let mut back = [0; 6];
    raw.copy_to(&mut back.as_2d_mut(3)?)?;
    assert_eq!(back, *numbered(2, 3));
    assert_eq!((raw.len(), raw.is_empty(), raw.size_in_bytes()), (6, false, 24));
    assert!(raw.pitch_in_bytes() >= 12 && raw.as_device_ptr().as_raw().is_multiple_of(256));
    raw.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn elements_of_any_size_in_pitched_rows(_: &Context) -> Outcome {
    fn check<T: DeviceCopy + PartialEq + std::fmt::Debug>(first: T, second: T) -> memcore::Result<()> {
        for [height, width] in [[1, 1], [3, 1], [1, 7], [5, 7], [2, 300]] {
            let mut rows = PitchedBuffer::filled(first, [height, width])?;
            let middle = width / 2;
            fill!(rows[height / 2.., middle..] <- second)?;
            let mut expected = vec![first; height * width];
            for row in height / 2..height {
                expected[row * width + middle..(row + 1) * width].fill(second);
            }
            assert_eq!(rows.to_vec()?, expected, "{height} x {width}");
        }
        // In slices with a gap between them, and without.
        let mut dev = DeviceBuffer::filled(first, 4 * 3 * 5)?;
        fill!(dev.as_3d_mut([3, 5])?[1.., ..2, 1..4] <- second)?;
        fill!(dev.as_3d_mut([3, 5])?[.., .., 4] <- second)?;
        let mut expected = vec![first; 60];
        for (i, element) in expected.iter_mut().enumerate() {
            let [z, y, x] = [i / 15, i / 5 % 3, i % 5];
            if x == 4 || (z >= 1 && y < 2 && (1..4).contains(&x)) {
                *element = second;
            }
        }
        assert_eq!(dev.to_vec()?, expected);
        Ok(())
    }
    check(1_u8, 2)?;
    check(0x1234_u16, 0x5678)?;
    check([1_u8, 2, 3], [4, 5, 6])?;
    check(1.5_f32, -1.5)?;
    check([1_u16, 2, 3], [4, 5, 6])?;
    check(1.5_f64, f64::MAX)?;
    check([1_u32, 2, 3], [4, 5, 6])?;
    check(u128::MAX - 1, 3)?;
    check([1_u64, 2, 3], [4, 5, 6])?;
    check(true, false)?;
    Ok(())
}

fn rows_are_slices(_: &Context) -> Outcome {
    let mut rows = PitchedBuffer::from_slice(&numbered(3, 4), 4)?;
    let mut all = rows.as_view_mut();
    all.row_mut(1)?.fill(9)?;
    copy!(all.row_mut(2)?[..2] <- [7, 8])?;
    assert_eq!(rows.as_view().row(1)?.to_vec()?, [9; 4]);
    assert_eq!(rows.to_vec()?, [1, 2, 3, 4, 9, 9, 9, 9, 7, 8, 11, 12]);
    let outside = Error::WindowOutside { axis: "rows", start: 3, end: 4, extent: 3 };
    refused(rows.as_view().row(3).map(DeviceSlice::len), &outside)?;
    let mut all = rows.as_view_mut();
    all.set_8(0x11)?;
    all.reborrow().window(.., ..2)?.set_16(0x2233)?;
    all.reborrow().window(2, ..)?.set_32(0x4455_6677)?;
    let (a, b, c) = (0x2233_2233, 0x1111_1111, 0x4455_6677);
    assert_eq!(rows.to_vec()?, [a, a, b, b, a, a, b, b, c, c, c, c]);
    rows.as_view_mut().set_zero()?;
    assert_eq!(rows.to_vec()?, [0; 12]);
    Ok(())
}

fn rows_in_slices(_: &Context) -> Outcome {
    let rows = PitchedBuffer::from_slice(&numbered(6, 3), 3)?;
    let slices = rows.as_view().in_slices_of(2)?;
    assert_eq!(slices.extents(), [3, 2, 3]);
    assert_eq!(slices.window(1.., 0, 1..)?.to_vec()?, [8, 9, 14, 15]);
    assert_eq!(slices.slice(2)?.to_vec()?, [13, 14, 15, 16, 17, 18]);
    let reason = "the rows are no multiple of a slice's";
    refused(rows.as_view().in_slices_of(4), &Error::InvalidShape { len: 18, extents: [1, 6, 3], reason })?;
    refused(rows.as_view().in_slices_of(0), &Error::InvalidShape { len: 18, extents: [1, 6, 3], reason })?;
    Ok(())
}

fn views_are_split(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&numbered(4, 4))?;
    let (mut top, bottom) = dev.as_2d_mut(4)?.split_at(2)?;
    copy!(top <- bottom)?;
    let (left, mut right) = bottom.split_at_column(1)?;
    copy!(right[.., 0] <- left)?;
    assert_eq!(dev.to_vec()?, [9, 10, 11, 12, 13, 14, 15, 16, 9, 9, 11, 12, 13, 13, 15, 16]);
    let outside = Error::WindowOutside { axis: "rows", start: 0, end: 5, extent: 4 };
    refused(dev.as_2d(4)?.split_at(5), &outside)?;
    Ok(())
}

fn windows_in_the_order_of_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = numbered(4, 4);
    let mut dev = PitchedBuffer::<u32>::zeroed([4, 4])?;
    copy!(dev[1.., ..2] <- host.as_2d(4)?[..3, 2..], stream)?;
    fill!(dev[0, ..] <- 5, &stream)?;
    let mut back = vec![0; 16];
    copy!(back.as_2d_mut(4)? <- dev, stream)?;
    assert_eq!(back, [5, 5, 5, 5, 3, 4, 0, 0, 7, 8, 0, 0, 11, 12, 0, 0]);
    Ok(())
}

fn raw_asynchronous_windows(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = LockedBuffer::from_slice(&numbered(4, 4))?;
    let (mut dev, mut other) = (PitchedBuffer::<u32>::zeroed([4, 4])?, DeviceBuffer::<u32>::zeroed(8)?);
    let mut back = LockedBuffer::<u32>::zeroed(8)?;
    waited(&stream, || {
        // SAFETY: all live until the wait has succeeded, and nothing else uses them before.
        unsafe { copy!(dev[1.., 1..] <- host.as_2d(4)?[1.., 1..], async stream)? };
        // SAFETY: as above.
        unsafe { copy!(other.as_2d_mut(4)? <- dev[2.., ..], async &stream)? };
        // SAFETY: as above.
        unsafe { copy!(back.as_2d_mut(4)? <- other.as_2d(4)?, async stream) }
    })?;
    assert_eq!(*back, [0, 10, 11, 12, 0, 14, 15, 16]);
    Ok(())
}

fn windows_of_checked_types(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&[true; 12])?;
    fill!(dev.as_2d_mut(4)?[1, 1..3] <- false)?;
    let mut host = [true; 4];
    copy!(host.as_2d_mut(2)? <- dev.as_2d(4)?[..2, 1..3])?;
    assert_eq!(host, [true, true, false, false]);
    dev.as_2d_mut(4)?.window(2, 3)?.set_8(2)?;
    let mut host = [false; 4];
    let invalid = Error::InvalidValue { index: 3, type_name: "bool", field: None };
    refused(copy!(host.as_2d_mut(2)? <- dev.as_2d(4)?[1.., 2..]), &invalid)?;
    assert_eq!(host, [false; 4]);
    refused(dev.as_2d(4)?.window(1.., 2..)?.to_vec(), &invalid)?;
    Ok(())
}

fn scoped_windows(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = numbered(4, 6);
    let locked = LockedBuffer::from_slice(&host)?;
    let mut image = PitchedBuffer::<u32>::zeroed([4, 6])?;
    let mut dev = DeviceBuffer::<u32>::zeroed(24)?;
    let mut wide = PitchedBuffer::<[u32; 3]>::zeroed([3, 3])?;
    let (mut back, mut once, mut lent_back) = (vec![0; 24], vec![0; 4], vec![0; 6]);
    stream.scope(|s| {
        let mut all = s.lend_view(image.as_view_mut());
        copy!(all[.., ..3] <- host.as_2d(6)?[.., 3..], s)?;
        fill!(all[.., 5] <- 7, s)?;
        let mut lent = s.lend(&mut dev).as_2d_mut(6)?;
        copy!(lent[1.., ..] <- all[..3, ..], s)?;
        copy!(lent[0, ..] <- locked.as_2d(6)?[3, ..], s)?;
        copy!(back.as_2d_mut(6)? <- lent, s)?;
        fill!(wide[1.., 1..] <- [1, 2, 3], s)?;
        let mut there = s.lend(&mut lent_back).as_2d_mut(3)?;
        copy!(there <- lent[..2, 3..], s)?;
        copy!(once.as_2d_mut(2)? <- all[2.., 1..3], s)
    })?;
    let expected = [[19, 20, 21, 22, 23, 24], [4, 5, 6, 0, 0, 7], [10, 11, 12, 0, 0, 7], [16, 17, 18, 0, 0, 7]];
    assert_eq!(back, expected.concat());
    assert_eq!(lent_back, [22, 23, 24, 0, 0, 7]);
    assert_eq!(once, [17, 18, 23, 24]);
    let (zero, wide_value) = ([0; 3], [1, 2, 3]);
    assert_eq!(wide.to_vec()?[3..], [zero, wide_value, wide_value, zero, wide_value, wide_value]);
    Ok(())
}

fn nothing_is_copied(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&numbered(2, 3))?;
    let empty: [u32; 0] = [];
    copy!(dev.as_2d_mut(3)?[2.., ..] <- empty.as_2d(3)?)?;
    copy!(dev.as_2d_mut(3)?[.., 3..] <- empty.as_2d_pitched([2, 0], 5)?)?;
    fill!(dev.as_2d_mut(3)?[1..1, ..] <- 9)?;
    assert_eq!(dev.as_2d(3)?.window(.., 1..1)?.to_vec()?, []);
    for extents in [[0, 0], [0, 5], [5, 0], [0, usize::MAX], [usize::MAX, 0]] {
        let mut none = PitchedBuffer::<u8>::zeroed(extents)?;
        fill!(none <- 1)?;
        assert_eq!((none.to_vec()?, none.extents()), (vec![], extents));
        let mut none = PitchedBuffer::filled((), extents.map(|extent| extent.clamp(2, 1 << 20)))?;
        fill!(none[1.., ..] <- ())?;
    }
    assert_eq!(empty.as_2d(0)?.extents(), [0, 0]);
    assert_eq!(dev.to_vec()?, numbered(2, 3));
    Ok(())
}

fn extents_must_match(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&numbered(4, 4))?;
    let host = [0_u32; 6];
    let mismatch = |source_extents| Error::ShapeMismatch { destination_extents: [1, 2, 2], source_extents };
    refused(copy!(dev.as_2d_mut(4)?[..2, ..2] <- host.as_2d(3)?), &mismatch([1, 2, 3]))?;
    refused(copy!(dev.as_2d_mut(4)?[..2, ..2] <- host.as_2d(2)?), &mismatch([1, 3, 2]))?;
    let mut back = [0_u32; 6];
    let mismatch = Error::ShapeMismatch { destination_extents: [1, 2, 3], source_extents: [1, 4, 4] };
    refused(copy!(back.as_2d_mut(3)? <- dev.as_2d(4)?), &mismatch)?;
    // The same elements in another shape are not the same.
    let mismatch = Error::ShapeMismatch { destination_extents: [2, 2, 4], source_extents: [4, 1, 4] };
    let other = DeviceBuffer::<u32>::zeroed(16)?;
    refused(copy!(dev.as_3d_mut([2, 4])? <- other.as_3d([1, 4])?), &mismatch)?;
    let stream = Stream::new()?;
    let in_scope = stream.scope(|s| copy!(dev.as_2d_mut(4)?.window(0, ..)? <- other.as_2d(2)?, s).map(drop));
    let mismatch = Error::ShapeMismatch { destination_extents: [1, 1, 4], source_extents: [1, 8, 2] };
    refused(in_scope, &mismatch)?;
    assert_eq!(dev.to_vec()?, numbered(4, 4));
    Ok(())
}

fn windows_stay_inside(_: &Context) -> Outcome {
    let mut dev = DeviceBuffer::from_slice(&numbered(3, 5))?;
    let outside = |axis, start, end, extent| Error::WindowOutside { axis, start, end, extent };
    // Inside the memory, but not inside the rows.
    refused(dev.as_2d(5)?.window(0, 3..6), &outside("columns", 3, 6, 5))?;
    refused(fill!(dev.as_2d_mut(5)?[2..4, ..] <- 0), &outside("rows", 2, 4, 3))?;
    refused(fill!(dev.as_2d_mut(5)?[3, ..] <- 0), &outside("rows", 3, 4, 3))?;
    refused(fill!(dev.as_3d_mut([3, 5])?[1, .., ..] <- 0), &outside("slices", 1, 2, 1))?;
    #[allow(clippy::reversed_empty_ranges, reason = "it is refused")]
    let reversed = dev.as_2d(5)?.window(.., 3..1);
    refused(reversed, &outside("columns", 3, 1, 5))?;
    refused(dev.as_2d(5)?.window(..=usize::MAX, ..), &outside("rows", 0, usize::MAX, 3))?;
    // A window of a window knows no more than that.
    let inner = dev.as_2d(5)?.window(1.., 1..3)?;
    refused(inner.window(.., 1..4), &outside("columns", 1, 4, 2))?;
    assert_eq!(inner.window(1, 1)?.to_vec()?, [13]);
    let source = [0_u32; 4];
    refused(copy!(dev.as_2d_mut(5)?[.., ..] <- source.as_2d(2)?[.., 1..=2]), &outside("columns", 1, 3, 2))?;
    assert_eq!(dev.to_vec()?, numbered(3, 5));
    Ok(())
}

fn shapes_that_do_not_fit(_: &Context) -> Outcome {
    let dev = DeviceBuffer::from_slice(&numbered(3, 4))?;
    let invalid = |extents, reason| Error::InvalidShape { len: 12, extents, reason };
    let (not_full, none) = ("the last row or slice is not full", "there are elements, and rows have none");
    refused(dev.as_2d(5), &invalid([1, 0, 5], not_full))?;
    refused(dev.as_2d(0), &invalid([1, 0, 0], none))?;
    refused(dev.as_3d([2, 5]), &invalid([0, 2, 5], not_full))?;
    refused(dev.as_3d([0, 4]), &invalid([0, 0, 4], none))?;
    refused(dev.as_3d([usize::MAX, 2]), &invalid([0, usize::MAX, 2], "the extents overflow"))?;
    refused(dev.as_2d_pitched([2, 4], 3), &invalid([1, 2, 4], "a row is longer than the pitch"))?;
    refused(dev.as_3d_pitched([1, 3, 2], [2, 2]), &invalid([1, 3, 2], "a slice has more rows than its height"))?;
    let past = "the elements end before the last row does";
    refused(dev.as_2d_pitched([3, 2], 6), &invalid([1, 3, 2], past))?;
    assert_eq!(dev.as_2d_pitched([3, 2], 5)?.to_vec()?, [1, 2, 6, 7, 11, 12]);
    refused(dev.as_2d_pitched([usize::MAX, 4], 4), &invalid([1, usize::MAX, 4], past))?;
    refused(dev.as_2d_pitched([2, 4], usize::MAX), &invalid([1, 2, 4], past))?;
    refused(dev.as_3d_pitched([2, 1, 4], [usize::MAX, 4]), &invalid([2, 1, 4], past))?;
    assert_eq!(dev.as_3d_pitched([2, 1, 4], [2, 4])?.to_vec()?, [1, 2, 3, 4, 9, 10, 11, 12]);
    let too_large = |len| Error::SizeOverflow { len, element_size: 4 };
    refused(PitchedBuffer::<u32>::zeroed([1 << 31, 1 << 31]), &too_large(1 << 62))?;
    let too_wide = Error::Unsupported { what: "memory in rows more than 2147483647 bytes apart" };
    refused(PitchedBuffer::<u8>::zeroed([2, 1 << 31]), &too_wide)?;
    let none = PitchedBuffer::<u32>::filled(7, [0, usize::MAX])?;
    assert_eq!(none.to_vec()?, []);
    let mut bytes = DeviceBuffer::<u8>::zeroed(8)?;
    bytes.as_3d_pitched_mut([usize::MAX, 2, 0], [2, 1])?.set_16(1)?;
    refused(PitchedBuffer::<u32>::zeroed([usize::MAX, 2]), &too_large(usize::MAX))?;
    let mut bytes = DeviceBuffer::<u8>::zeroed(12)?;
    let address = bytes.as_device_ptr().as_raw();
    let misaligned = Error::MisalignedSet { address, size: 3, unit: 2 };
    refused(bytes.as_2d_mut(3)?.set_16(1), &misaligned)?;
    let misaligned = Error::MisalignedSet { address, size: 4, unit: 4 };
    refused(bytes.as_2d_pitched_mut([2, 4], 6)?.set_32(1), &misaligned)?;
    bytes.as_2d_pitched_mut([1, 4], 6)?.set_32(1)?;
    Ok(())
}

fn parts_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let rows = PitchedBuffer::from_slice(&numbered(3, 4), 4)?;
    let (pointer, extents, pitch) = rows.into_raw_parts();
    assert_eq!(extents, [3, 4]);
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { PitchedBuffer::from_raw_parts(pointer, extents, pitch) };
    assert_eq!(again.to_vec()?, numbered(3, 4));
    Ok(())
}
