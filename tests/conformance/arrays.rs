//! CUDA arrays.

use std::mem::MaybeUninit;

use memcore::bytemuck;
use memcore::memory::array::{ArrayElement, ArrayFlags, ArrayFormat, ArrayKind, ArrayShape, Half};
use memcore::prelude::*;
use memcore::{DeviceAttribute, Error};

use crate::rig::{NOT_SAID, Outcome, refused, tests, waited};

tests!(
    arrays_are_made_in_every_way,
    every_element_and_every_shape,
    what_the_driver_says_of_an_array,
    extents_that_no_array_has,
    flags_that_an_array_does_not_have,
    more_than_there_is,
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
    nothing_is_copied,
    arrays_are_taken_apart_and_put_together
);

/// Numbers from 1.
fn numbered(len: usize) -> Vec<u32> {
    (1..=len as u32).collect()
}

/// Some of the elements of `[slices, rows, columns]`.
fn plain_box(all: &[u32], [_, height, width]: [usize; 3], ranges: [std::ops::Range<usize>; 3]) -> Vec<u32> {
    let [slices, rows, columns] = ranges;
    let row = |slice, row| &all[(slice * height + row) * width..][columns.clone()];
    slices.flat_map(|z| rows.clone().flat_map(move |y| row(z, y).to_vec())).collect()
}

fn arrays_are_made_in_every_way(context: &Context) -> Outcome {
    let values = numbered(12);
    assert_eq!(ArrayObject::<u32>::zeroed([3, 4])?.to_vec()?, [0; 12]);
    assert_eq!(ArrayObject::<u32>::zeroed_in(context, [2, 3, 2])?.to_vec()?, [0; 12]);
    assert_eq!(ArrayObject::filled(7_u32, 12)?.to_vec()?, [7; 12]);
    assert_eq!(ArrayObject::filled_in(context, 7_u32, [1, 12])?.to_vec()?, [7; 12]);
    assert_eq!(ArrayObject::from_slice(&values, [3, 4])?.to_vec()?, values);
    let array = ArrayObject::from_slice_in(context, &values, [3, 2, 2])?;
    assert_eq!(array.to_vec()?, values);
    assert_eq!((array.len(), array.size_in_bytes(), array.context()), (12, 48, context.clone()));
    // SAFETY: the elements are written before they are read.
    let mut array = unsafe { ArrayObject::<u32>::uninitialized([4, 3])? };
    array.copy_from(&values)?;
    assert_eq!(array.to_vec()?, values);
    // SAFETY: as above.
    let mut array = unsafe { ArrayObject::<u32>::uninitialized_in(context, 12)? };
    copy!(array <- values)?;
    let mut back = [0; 12];
    array.copy_to(&mut back)?;
    assert_eq!(back, *values);
    array.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn there_and_back<T: ArrayElement + PartialEq + std::fmt::Debug>(value: impl Fn(usize) -> T) -> memcore::Result<()> {
    let surface = |shape: ArrayShape| shape.with_flags(ArrayFlags::SURFACE_LOAD_STORE);
    for shape in [
        ArrayShape::new_1d(5),
        ArrayShape::new_2d([3, 5]),
        ArrayShape::new_2d([3, 5]).with_flags(ArrayFlags::TEXTURE_GATHER),
        surface(ArrayShape::new_3d([2, 3, 5])),
        ArrayShape::new_layered_1d(4, 5),
        surface(ArrayShape::new_layered_2d(2, [3, 5])),
        ArrayShape::new_cubemap(3),
        ArrayShape::new_layered_cubemap(2, 2),
    ] {
        let values: Vec<T> = (0..shape.len()).map(&value).collect();
        let array = ArrayObject::from_slice(&values, shape)?;
        assert_eq!(array.to_vec()?, values, "{shape:?}");
        assert_eq!(array.descriptor()?.shape(), shape);
        let zeros = ArrayObject::<T>::zeroed(shape)?.to_vec()?;
        assert!(zeros.iter().all(|zero| bytemuck::bytes_of(zero).iter().all(|byte| *byte == 0)), "{shape:?}");
    }
    Ok(())
}

fn every_element_and_every_shape(_: &Context) -> Outcome {
    there_and_back(|i| i as u8)?;
    there_and_back(|i| [i as u16; 2])?;
    there_and_back(|i| [i as u32, 1, 2, 3])?;
    there_and_back(|i| [-(i as i8)])?;
    there_and_back(|i| [-(i as i16), 1, 2, 3])?;
    there_and_back(|i| [-(i as i32), 1])?;
    there_and_back(|i| [Half::from_bits(i as u16); 4])?;
    there_and_back(|i| i as f32 + 0.5)?;
    Ok(())
}

fn what_the_driver_says_of_an_array(_: &Context) -> Outcome {
    let said = |format, channels, array: &memcore::memory::array::ArrayDescriptor| {
        assert_eq!((array.format(), array.channels()), (format, channels));
        array.shape()
    };
    let image = ArrayObject::<[f32; 4]>::zeroed([8, 16])?;
    let descriptor = image.descriptor()?;
    let shape = said(ArrayFormat::F32, 4, &descriptor);
    assert_eq!((shape.kind(), shape.extents(), shape.flags()), (ArrayKind::D2, [1, 8, 16], ArrayFlags::empty()));
    assert_eq!((descriptor.element_size(), descriptor.size_in_bytes()), (16, 2048));
    let shape = ArrayShape::new_layered_cubemap(2, 4).with_flags(ArrayFlags::SURFACE_LOAD_STORE);
    let cubes = ArrayObject::<Half>::zeroed(shape)?;
    assert_eq!(said(ArrayFormat::F16, 1, &cubes.descriptor()?), shape);
    assert_eq!((shape.kind(), cubes.extents()), (ArrayKind::LayeredCubemap, [12, 4, 4]));
    // Neither shows an address, which it has not.
    assert!(format!("{cubes:?}").contains("kind: LayeredCubemap"), "{cubes:?}");
    let part = cubes.as_view().window(1, 2.., 3)?;
    assert_eq!(format!("{part:?}"), "View { bytes_before: 54, extents: [1, 2, 1], pitch_in_bytes: 8 }");
    let line = ArrayObject::<[i8; 2]>::zeroed(ArrayShape::new_layered_1d(3, 7))?;
    assert_eq!(said(ArrayFormat::I8, 2, &line.descriptor()?).kind(), ArrayKind::LayeredD1);
    Ok(())
}

fn extents_that_no_array_has(context: &Context) -> Outcome {
    let device = context.device();
    let limit = |number| -> memcore::Result<usize> {
        Ok(usize::try_from(device.attribute(DeviceAttribute(number))?).expect("a limit"))
    };
    let none = |shape: ArrayShape, kind, axis, extent, most| {
        refused(ArrayObject::<u8>::zeroed(shape), &Error::ArrayExtent { kind, axis, extent, most })
    };
    none(ArrayShape::new_1d(0), ArrayKind::D1, "columns", 0, limit(21)?)?;
    none(ArrayShape::new_2d([0, 4]), ArrayKind::D2, "rows", 0, limit(23)?)?;
    none(ArrayShape::new_2d([4, 0]), ArrayKind::D2, "columns", 0, limit(22)?)?;
    none(ArrayShape::new_3d([0, 4, 4]), ArrayKind::D3, "slices", 0, limit(26)?)?;
    none(ArrayShape::new_layered_1d(0, 4), ArrayKind::LayeredD1, "slices", 0, limit(43)?)?;
    none(ArrayShape::new_cubemap(0), ArrayKind::Cubemap, "rows", 0, limit(52)?)?;
    for past in [limit(22)? + 1, 1 << 31, (1 << 32) + 1, usize::MAX] {
        none(ArrayShape::new_2d([1, past]), ArrayKind::D2, "columns", past, limit(22)?)?;
        none(ArrayShape::new_3d([1, 1, past]), ArrayKind::D3, "columns", past, limit(24)?)?;
    }
    let layers = limit(29)?;
    none(ArrayShape::new_layered_2d(layers + 1, [1, 1]), ArrayKind::LayeredD2, "slices", layers + 1, layers)?;
    let faces = limit(54)? / 6 * 6;
    none(ArrayShape::new_layered_cubemap(faces / 6 + 1, 1), ArrayKind::LayeredCubemap, "slices", faces + 6, limit(54)?)?;
    none(ArrayShape::new_layered_cubemap(usize::MAX, 1), ArrayKind::LayeredCubemap, "slices", usize::MAX, limit(54)?)?;
    let surface = ArrayShape::new_1d(limit(55)? + 1).with_flags(ArrayFlags::SURFACE_LOAD_STORE);
    none(surface, ArrayKind::D1, "columns", limit(55)? + 1, limit(55)?)?;
    let gathered = ArrayShape::new_2d([1, limit(45)? + 1]).with_flags(ArrayFlags::TEXTURE_GATHER);
    none(gathered, ArrayKind::D2, "columns", limit(45)? + 1, limit(45)?)?;
    Ok(())
}

fn flags_that_an_array_does_not_have(_: &Context) -> Outcome {
    let gather = Error::Unsupported { what: "texture gather from an array that is not 2-D" };
    for shape in [
        ArrayShape::new_1d(4),
        ArrayShape::new_3d([4, 4, 4]),
        ArrayShape::new_layered_2d(4, [4, 4]),
        ArrayShape::new_cubemap(4),
    ] {
        refused(ArrayObject::<u8>::zeroed(shape.with_flags(ArrayFlags::all())), &gather)?;
    }
    // `CUDA_ARRAY3D_SPARSE`.
    let sparse = ArrayShape::new_2d([4, 4]).with_flags(ArrayFlags::from_bits_retain(0x40));
    refused(ArrayObject::<u8>::zeroed(sparse), &Error::UnknownFlags { what: "an array", bits: 0x40 })?;
    Ok(())
}

fn more_than_there_is(context: &Context) -> Outcome {
    let all = ArrayShape::new_3d([16_384; 3]);
    match ArrayObject::<[f32; 4]>::zeroed(all) {
        Err(Error::OutOfMemory {
            operation: "cuArray3DCreate_v2",
            requested: 0x4000_0000_0000,
            total: Some(total),
            ..
        }) => {
            assert_eq!(total, context.memory_info()?.1);
            Ok(())
        }
        Err(Error::OutOfMemory { total: None, .. }) => Err(NOT_SAID.into()),
        Err(error) => Err(error.into()),
        Ok(array) => panic!("{array:?} was made"),
    }
}

fn windows_between_arrays_and_every_memory(_: &Context) -> Outcome {
    let host = numbered(60);
    let expected = plain_box(&host, [1, 6, 10], [0..1, 1..4, 3..8]);
    let (mut locked, mut unified) = (LockedBuffer::from_slice(&host)?, UnifiedBuffer::from_slice(&host)?);
    let (mut dev, pitched) = (DeviceBuffer::from_slice(&host)?, PitchedBuffer::from_slice(&host, 10)?);
    let source = ArrayObject::from_slice(&host, [6, 10])?;

    // To an array, from everything.
    let mut target = ArrayObject::<u32>::zeroed([5, 7])?;
    let check = |target: &mut ArrayObject<u32>| -> memcore::Result<()> {
        assert_eq!(target.as_view().window(0, 2.., 1..6)?.to_vec()?, expected);
        fill!(target[2.., 1..6] <- 0)?;
        assert_eq!(target.to_vec()?, [0; 35]);
        Ok(())
    };
    copy!(target[2.., 1..6] <- host.as_2d(10)?[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- locked.as_2d(10)?[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- unified.as_2d(10)?[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- unified.as_device_slice().as_2d(10)?[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- dev.as_2d(10)?[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- pitched[1..4, 3..8])?;
    check(&mut target)?;
    copy!(target[2.., 1..6] <- source[1..4, 3..8])?;
    assert_eq!(target.as_view().window(0, 2.., 1..6)?.to_vec()?, expected);

    // From an array, to everything.
    let mut back = vec![0; 15];
    copy!(back.as_2d_mut(5)? <- target[2.., 1..6])?;
    assert_eq!(back, expected);
    let mut room = [MaybeUninit::<u32>::uninit(); 15];
    copy!(room.as_2d_mut(5)? <- target[2.., 1..6])?;
    // SAFETY: the copy wrote every element.
    assert_eq!(room.map(|element| unsafe { element.assume_init() }), *expected);
    fill!(locked.as_2d_mut(10)?[1..4, 3..8] <- 0)?;
    copy!(locked.as_2d_mut(10)?[1..4, 3..8] <- target[2.., 1..6])?;
    assert_eq!(*locked, *host);
    fill!(unified.as_2d_mut(10)?[1..4, 3..8] <- 0)?;
    copy!(unified.as_2d_mut(10)?[1..4, 3..8] <- target[2.., 1..6])?;
    assert_eq!(*unified, *host);
    fill!(unified.as_device_slice_mut().as_2d_mut(10)?[1..4, 3..8] <- 0)?;
    copy!(unified.as_device_slice_mut().as_2d_mut(10)?[1..4, 3..8] <- target[2.., 1..6])?;
    assert_eq!(*unified, *host);
    fill!(dev.as_2d_mut(10)?[1..4, 3..8] <- 0)?;
    copy!(dev.as_2d_mut(10)?[1..4, 3..8] <- target[2.., 1..6])?;
    assert_eq!(dev.to_vec()?, host);
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

fn arrays_are_taken_apart_and_put_together(context: &Context) -> Outcome {
    let values: Vec<[u8; 4]> = (0..12).map(|i| [i; 4]).collect();
    let handle = ArrayObject::from_slice(&values, [3, 4])?.into_raw();
    let format = ArrayFormat::U8.as_raw();
    let other = |type_name| Error::ArrayElement { type_name, format, channels: 4 };
    // Put together in any case: the array is the caller's until then.
    // SAFETY: the handle is that of an array that was just taken apart; it stays so where it is refused.
    let wrong = refused(unsafe { ArrayObject::<u32>::from_raw(context, handle) }, &other("u32"));
    // SAFETY: as above.
    let again = unsafe { ArrayObject::<[u8; 4]>::from_raw(context, handle) }.or_else(|_| {
        // SAFETY: as above.
        unsafe { ArrayObject::<[u8; 4]>::from_raw(context, handle) }
    })?;
    wrong?;
    assert_eq!(again.as_raw(), handle);
    assert_eq!((again.shape(), again.to_vec()?), (ArrayShape::new_2d([3, 4]), values));
    again.try_free().map_err(|(error, _)| error)?;
    Ok(())
}
