//! Copies and fills of arrays.

use std::mem::MaybeUninit;

use memcore::Error;
use memcore::memory::array::ArrayShape;
use memcore::prelude::*;

use crate::arrays::numbered;
use crate::rig::{Outcome, refused, tests, waited};
use crate::views::with_every_memory;

tests!(
    windows_between_arrays_and_every_memory,
    as_many_elements_in_one_run,
    boxes_of_layers_and_faces,
    layers_of_one_array,
    what_lies_outside_a_window_stays,
    fills_of_windows,
    arrays_in_the_order_of_a_stream,
    raw_asynchronous_copies,
    arrays_in_a_scope,
    lengths_and_extents_must_match,
    windows_stay_inside,
    nothing_is_copied
);

/// Some of the elements of `[slices, rows, columns]`.
fn plain_box(all: &[u32], [_, height, width]: [usize; 3], ranges: [std::ops::Range<usize>; 3]) -> Vec<u32> {
    let [slices, rows, columns] = ranges;
    let row = |slice, row| &all[(slice * height + row) * width..][columns.clone()];
    slices.flat_map(|z| rows.clone().flat_map(move |y| row(z, y).to_vec())).collect()
}

fn windows_between_arrays_and_every_memory(_: &Context) -> Outcome {
    let mut rows = ArrayObject::<u32>::zeroed([5, 7])?;
    with_every_memory!(rows, host, expected);
    Ok(())
}

fn as_many_elements_in_one_run(_: &Context) -> Outcome {
    let values = numbered(24);
    let mut array = ArrayObject::<u32>::zeroed([2, 3, 4])?;
    copy!(array <- values)?;
    let mut dev = device_vec![0_u32; 24]?;
    copy!(dev <- array)?;
    assert_eq!(dev.to_vec()?, values);
    fill!(dev[..4] <- 9)?;
    copy!(array <- dev)?;
    let mut locked = locked_vec![0_u32; 24]?;
    copy!(locked <- array)?;
    assert_eq!((&locked[..4], &locked[4..]), ([9; 4].as_slice(), &values[4..]));
    copy!(array <- locked_vec![5_u32; 24]?)?;
    let mut unified = unified_vec![0_u32; 24]?;
    copy!(unified <- array)?;
    assert_eq!(*unified, [5; 24]);
    // A window too: its elements one after another.
    copy!(array[1, 1.., ..2] <- [1_u32, 2, 3, 4])?;
    let mut back = [0; 6];
    copy!(back[..] <- array[1, .., ..2])?;
    assert_eq!(back, [5, 5, 1, 2, 3, 4]);
    copy!(array[0, 0, ..] <- dev[..4])?;
    copy!(dev[20..] <- array[0, 0, ..])?;
    assert_eq!(dev[20..].to_vec()?, [9; 4]);
    let mut room = [MaybeUninit::<u32>::uninit(); 4];
    copy!(room <- array[0, 0, ..])?;
    // SAFETY: the copy wrote every element.
    assert_eq!(room.map(|element| unsafe { element.assume_init() }), [9; 4]);
    let mut other = ArrayObject::<u32>::zeroed(ArrayShape::new_layered_2d(2, [3, 4]))?;
    copy!(other <- array)?;
    assert_eq!(other.to_vec()?, array.to_vec()?);
    Ok(())
}

fn boxes_of_layers_and_faces(_: &Context) -> Outcome {
    for shape in [
        ArrayShape::new_3d([6, 5, 5]),
        ArrayShape::new_layered_2d(6, [5, 5]),
        ArrayShape::new_cubemap(5),
        ArrayShape::new_layered_cubemap(2, 4),
        ArrayShape::new_layered_1d(7, 9),
    ] {
        let host = numbered(shape.len());
        let array = ArrayObject::from_slice(&host, shape)?;
        let extents @ [slices, rows, columns] = shape.extents();
        let part = [slices / 2..slices, rows / 2..rows, 1..columns];
        let [z, y, x] = part.clone();
        let window = array.as_view().window(z, y, x)?;
        assert_eq!(window.to_vec()?, plain_box(&host, extents, part.clone()), "{shape:?}");
        // One slice that is not the first; the same in rows.
        let last = array.as_view().slice(slices - 1)?;
        let expected = &host[(slices - 1) * rows * columns..];
        assert_eq!(last.to_vec()?, expected);
        let mut dev = device_vec![0_u32; expected.len()]?;
        copy!(dev.as_2d_mut(columns)? <- last)?;
        assert_eq!(dev.to_vec()?, expected);
        // Into another array, elsewhere.
        let mut other = ArrayObject::<u32>::zeroed(shape)?;
        let target = [0..slices - slices / 2, 0..rows - rows / 2, 0..columns - 1];
        let [z, y, x] = target.clone();
        copy!(other[z, y, x] <- window)?;
        assert_eq!(plain_box(&other.to_vec()?, extents, target), plain_box(&host, extents, part));
    }
    Ok(())
}

/// A driver takes the source's layer from the destination then, and says nothing.
fn layers_of_one_array(_: &Context) -> Outcome {
    let host = numbered(4 * 3 * 5);
    let refusal = Error::Unsupported { what: "a copy from layer to layer of one array" };
    let mut layers = ArrayObject::from_slice(&host, ArrayShape::new_layered_2d(4, [3, 5]))?;
    let (mut low, high) = layers.as_view_mut().split_at(2)?;
    refused(copy!(low <- high), &refusal)?;
    assert_eq!(layers.to_vec()?, host);
    // Parts of one layer, and slices that are no layers.
    let (mut left, right) = layers.as_view_mut().split_at_column(2)?;
    copy!(left[.., .., 1] <- right[.., .., 0])?;
    let mut volume = ArrayObject::from_slice(&host, [4, 3, 5])?;
    let (mut low, high) = volume.as_view_mut().split_at(2)?;
    copy!(low <- high)?;
    let mut expected = host;
    for row in expected.chunks_mut(5) {
        row[1] = row[2];
    }
    assert_eq!(layers.to_vec()?, expected);
    let high = numbered(60)[30..].to_vec();
    assert_eq!(volume.to_vec()?, [high.clone(), high].concat());
    // Each layer is filled by itself.
    fill!(layers.as_view_mut()[1.., 1.., ..4] <- 7)?;
    for (i, element) in expected.iter_mut().enumerate() {
        if i / 15 >= 1 && i / 5 % 3 >= 1 && i % 5 < 4 {
            *element = 7;
        }
    }
    assert_eq!(layers.to_vec()?, expected);
    Ok(())
}

fn what_lies_outside_a_window_stays(_: &Context) -> Outcome {
    for (rows, columns) in [(0..1, 0..1), (0..4, 2..3), (3..4, 0..8), (1..3, 7..8)] {
        let mut array = ArrayObject::from_slice(&numbered(32), [4, 8])?;
        let value = vec![1000; rows.len() * columns.len()];
        copy!(array[rows.clone(), columns.clone()] <- value)?;
        let mut expected = numbered(32);
        for row in rows {
            expected[row * 8..][columns.clone()].fill(1000);
        }
        assert_eq!(array.to_vec()?, expected);
    }
    Ok(())
}

fn fills_of_windows(_: &Context) -> Outcome {
    let mut array = ArrayObject::<[u16; 2]>::zeroed([3, 5, 7])?;
    fill!(array[1.., 2.., 3..6] <- [1, 2])?;
    let mut stream_filled = ArrayObject::<u8>::zeroed(1000)?;
    let stream = Stream::new()?;
    fill!(stream_filled <- 7, stream)?;
    assert_eq!(stream_filled.to_vec()?, [7; 1000]);
    for (i, element) in array.to_vec()?.into_iter().enumerate() {
        let (z, y, x) = (i / 35, i / 7 % 5, i % 7);
        let is_inside = z >= 1 && y >= 2 && (3..6).contains(&x);
        assert_eq!(element, if is_inside { [1, 2] } else { [0, 0] }, "{z} {y} {x}");
    }
    array.as_view_mut().set_zero()?;
    assert_eq!(array.to_vec()?, [[0; 2]; 105]);
    Ok(())
}

fn arrays_in_the_order_of_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let values = numbered(24);
    let (mut first, mut second) = (ArrayObject::<u32>::zeroed([4, 6])?, ArrayObject::<u32>::zeroed([4, 6])?);
    copy!(first <- values, stream)?;
    copy!(second[1.., ..] <- first[..3, ..], &stream)?;
    let mut back = [0; 24];
    copy!(back <- second, stream)?;
    assert_eq!((&back[..6], &back[6..]), ([0; 6].as_slice(), &values[..18]));
    Ok(())
}

fn raw_asynchronous_copies(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (source, mut back) = (LockedBuffer::from_slice(&numbered(24))?, locked_vec![0_u32; 24]?);
    let mut part = locked_vec![0_u32; 4]?;
    let (mut first, mut second) = (ArrayObject::<u32>::zeroed([4, 6])?, ArrayObject::<u32>::zeroed([4, 6])?);
    waited(&stream, || {
        // SAFETY: all stay, unused, until the stream has been waited for.
        unsafe { copy!(first <- source, async stream)? };
        // SAFETY: as above.
        unsafe { copy!(second[.., 2..] <- first[.., 2..], async stream)? };
        // SAFETY: as above.
        unsafe { copy!(back <- second, async stream)? };
        // SAFETY: as above.
        unsafe { copy!(part.as_2d_mut(2)? <- second[2.., 4..], async stream) }
    })?;
    assert_eq!(back[..8], [0, 0, 3, 4, 5, 6, 0, 0]);
    assert_eq!(*part, [17, 18, 23, 24]);
    Ok(())
}

fn arrays_in_a_scope(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (values, tile) = (numbered(24), [100_u32, 101, 102, 103]);
    let mut image = ArrayObject::<u32>::zeroed([4, 6])?;
    let mut once = ArrayObject::<u32>::zeroed([4, 6])?;
    let mut dev = device_vec![0_u32; 24]?;
    let (mut back, mut corner) = ([0; 24], [0; 4]);
    stream.scope(|s| {
        // Borrowed for one operation, and lent for several.
        copy!(once <- values, s)?;
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- values, s)?;
        copy!(image[1..3, 2..4] <- tile.as_2d(2)?, s)?;
        let dev = s.lend(&mut dev);
        copy!(dev <- image, s)?;
        copy!(corner <- image[2.., 3..5], s)?;
        copy!(image[0, ..] <- dev[6..12], s)?;
        copy!(back <- image, s)
    })?;
    let mut expected = values.clone();
    expected[8..10].copy_from_slice(&tile[..2]);
    expected[14..16].copy_from_slice(&tile[2..]);
    assert_eq!(dev.to_vec()?, expected);
    assert_eq!(corner, [103, 17, 22, 23]);
    expected.copy_within(6..12, 0);
    assert_eq!(back, *expected);
    assert_eq!(image.to_vec()?, expected);
    assert_eq!(once.to_vec()?, values);
    // Both read on two streams.
    let (mut left, mut right) = (vec![0; 24], vec![0; 24]);
    let other = Stream::new()?;
    stream.scope(|s| {
        copy!(left <- image, s)?;
        other.scope(|t| copy!(right <- image, t))
    })?;
    assert_eq!((left, right), (expected.clone(), expected));
    Ok(())
}

fn lengths_and_extents_must_match(_: &Context) -> Outcome {
    let mut array = ArrayObject::<u32>::zeroed([4, 6])?;
    let mismatch = |destination_len, source_len| Error::LengthMismatch { destination_len, source_len };
    refused(copy!(array <- numbered(23)), &mismatch(24, 23))?;
    refused(copy!(array[1, ..] <- numbered(7)), &mismatch(6, 7))?;
    let mut back = [0; 25];
    refused(copy!(back <- array), &mismatch(25, 24))?;
    refused(ArrayObject::from_slice(&numbered(25), [4, 6]), &mismatch(24, 25))?;
    let mut dev = device_vec![0_u32; 23]?;
    refused(copy!(dev <- array), &mismatch(23, 24))?;
    let shapes = |destination_extents, source_extents| Error::ShapeMismatch { destination_extents, source_extents };
    let host = numbered(24);
    refused(copy!(array <- host.as_2d(4)?), &shapes([1, 4, 6], [1, 6, 4]))?;
    let other = ArrayObject::<u32>::zeroed([6, 4])?;
    refused(copy!(array <- other), &shapes([1, 4, 6], [1, 6, 4]))?;
    refused(copy!(array[..2, ..] <- other[..2, ..]), &shapes([1, 2, 6], [1, 2, 4]))?;
    let volume = ArrayObject::<u32>::zeroed([4, 6, 1])?;
    refused(copy!(array <- volume), &shapes([1, 4, 6], [4, 6, 1]))?;
    assert_eq!(array.to_vec()?, [0; 24]);
    Ok(())
}

fn windows_stay_inside(_: &Context) -> Outcome {
    let mut array = ArrayObject::<u32>::zeroed([2, 4, 6])?;
    let host = numbered(48);
    let outside = |axis, start, end, extent| Error::WindowOutside { axis, start, end, extent };
    refused(copy!(array[..3, .., ..] <- host), &outside("slices", 0, 3, 2))?;
    refused(copy!(array[.., 4, ..] <- host), &outside("rows", 4, 5, 4))?;
    refused(copy!(array[.., .., 3..7] <- host), &outside("columns", 3, 7, 6))?;
    refused(array.as_view().slice(2).map(|_| ()), &outside("slices", 2, 3, 2))?;
    // Rows and columns of what has several slices.
    let reason = "a window of several slices names them too: `[slices, rows, columns]`";
    refused(copy!(array[1, ..] <- host), &Error::InvalidShape { len: 48, extents: [2, 4, 6], reason })?;
    let slice = array.as_view().slice(1)?;
    let reason = "the rows of an array are no slices";
    refused(slice.in_slices_of(2).map(|_| ()), &Error::InvalidShape { len: 24, extents: [1, 4, 6], reason })?;
    Ok(())
}

fn nothing_is_copied(_: &Context) -> Outcome {
    let mut array = ArrayObject::from_slice(&numbered(6), [2, 3])?;
    let none: [u32; 0] = [];
    copy!(array[2.., ..] <- none)?;
    copy!(array[.., 3..] <- none)?;
    fill!(array[0..0, ..] <- 9)?;
    assert_eq!(array.as_view().window(0, 1..1, ..)?.to_vec()?, none);
    assert_eq!(array.to_vec()?, numbered(6));
    Ok(())
}
