//! CUDA arrays: making them, what they are, and taking them apart.

use memcore::bytemuck;
use memcore::memory::array::{ArrayElement, ArrayFlags, ArrayFormat, ArrayKind, ArrayShape, Half};
use memcore::prelude::*;
use memcore::{DeviceAttribute as Attribute, Error};

use crate::rig::{NOT_SAID, Outcome, refused, tests};

tests!(
    arrays_are_made_in_every_way,
    every_element_and_every_shape,
    what_the_driver_says_of_an_array,
    extents_that_no_array_has,
    flags_that_an_array_does_not_have,
    more_than_there_is,
    arrays_are_taken_apart_and_put_together
);

/// Numbers from 1.
pub(crate) fn numbered(len: usize) -> Vec<u32> {
    (1..=len as u32).collect()
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
    let limit =
        |attribute| -> memcore::Result<usize> { Ok(usize::try_from(device.attribute(attribute)?).expect("a limit")) };
    let none = |shape: ArrayShape, kind, axis, extent, most| {
        refused(ArrayObject::<u8>::zeroed(shape), &Error::ArrayExtent { kind, axis, extent, most })
    };
    none(ArrayShape::new_1d(0), ArrayKind::D1, "columns", 0, limit(Attribute::MAXIMUM_TEXTURE1D_WIDTH)?)?;
    none(ArrayShape::new_2d([0, 4]), ArrayKind::D2, "rows", 0, limit(Attribute::MAXIMUM_TEXTURE2D_HEIGHT)?)?;
    none(ArrayShape::new_2d([4, 0]), ArrayKind::D2, "columns", 0, limit(Attribute::MAXIMUM_TEXTURE2D_WIDTH)?)?;
    none(ArrayShape::new_3d([0, 4, 4]), ArrayKind::D3, "slices", 0, limit(Attribute::MAXIMUM_TEXTURE3D_DEPTH)?)?;
    none(
        ArrayShape::new_layered_1d(0, 4),
        ArrayKind::LayeredD1,
        "slices",
        0,
        limit(Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS)?,
    )?;
    none(ArrayShape::new_cubemap(0), ArrayKind::Cubemap, "rows", 0, limit(Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH)?)?;
    for past in [limit(Attribute::MAXIMUM_TEXTURE2D_WIDTH)? + 1, 1 << 31, (1 << 32) + 1, usize::MAX] {
        none(
            ArrayShape::new_2d([1, past]),
            ArrayKind::D2,
            "columns",
            past,
            limit(Attribute::MAXIMUM_TEXTURE2D_WIDTH)?,
        )?;
        none(
            ArrayShape::new_3d([1, 1, past]),
            ArrayKind::D3,
            "columns",
            past,
            limit(Attribute::MAXIMUM_TEXTURE3D_WIDTH)?,
        )?;
    }
    let layers = limit(Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS)?;
    none(ArrayShape::new_layered_2d(layers + 1, [1, 1]), ArrayKind::LayeredD2, "slices", layers + 1, layers)?;
    let faces = limit(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)? / 6 * 6;
    none(
        ArrayShape::new_layered_cubemap(faces / 6 + 1, 1),
        ArrayKind::LayeredCubemap,
        "slices",
        faces + 6,
        limit(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)?,
    )?;
    none(
        ArrayShape::new_layered_cubemap(usize::MAX, 1),
        ArrayKind::LayeredCubemap,
        "slices",
        usize::MAX,
        limit(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)?,
    )?;
    let surface =
        ArrayShape::new_1d(limit(Attribute::MAXIMUM_SURFACE1D_WIDTH)? + 1).with_flags(ArrayFlags::SURFACE_LOAD_STORE);
    none(
        surface,
        ArrayKind::D1,
        "columns",
        limit(Attribute::MAXIMUM_SURFACE1D_WIDTH)? + 1,
        limit(Attribute::MAXIMUM_SURFACE1D_WIDTH)?,
    )?;
    let gathered = ArrayShape::new_2d([1, limit(Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH)? + 1])
        .with_flags(ArrayFlags::TEXTURE_GATHER);
    none(
        gathered,
        ArrayKind::D2,
        "columns",
        limit(Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH)? + 1,
        limit(Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH)?,
    )?;
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
