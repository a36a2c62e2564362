//! `DeviceBuffer`: construction, ownership, reinterpretation, and what is refused.

use memcore::prelude::*;
use memcore::{Error, bytemuck};

use crate::rig::{MIB, NOT_SAID, Outcome, all_freed, tests, turns};

tests!(
    every_byte_comes_back_at_every_size,
    zeroed_and_filled,
    empty_buffers_have_no_memory,
    zero_sized_types_have_no_memory,
    lengths_that_overflow_are_refused,
    out_of_memory_says_how_much_and_passes,
    memory_is_aligned_to_256_bytes,
    a_derived_struct_goes_there_and_back,
    parts_are_taken_apart_and_put_together,
    try_free_frees,
    leaked_memory_stays,
    borrowed_memory_is_not_freed,
    views_see_the_same_bytes,
    views_that_do_not_fit_are_refused,
    casts_keep_the_memory,
    debug_shows_no_contents,
    strict_alignments_hold_or_are_refused,
    uninitialized_is_written_before_it_is_read,
    repeated_allocation_reuses_memory,
);

/// Bytes that differ from their neighbours and between calls.
pub(crate) fn pattern(len: usize, seed: u32) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) as u8).collect()
}

fn every_byte_comes_back_at_every_size(_: &Context) -> Outcome {
    for len in [1, 2, 3, 7, 8, 255, 256, 257, 4095, 4096, 65_537, MIB, 8 * MIB + 1] {
        let host = pattern(len, len as u32);
        assert!(DeviceBuffer::from_slice(&host)?.to_vec()? == host, "{len} bytes");
    }
    let wide: Vec<u64> = (0..1000).map(|i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    assert_eq!(DeviceBuffer::from_slice(&wide)?.to_vec()?, wide);
    Ok(())
}

fn zeroed_and_filled(context: &Context) -> Outcome {
    assert_eq!(DeviceBuffer::<u32>::zeroed(1000)?.to_vec()?, [0; 1000]);
    assert_eq!(DeviceBuffer::<f64>::zeroed_in(context, 3)?.to_vec()?, [0.0; 3]);
    assert_eq!(DeviceBuffer::filled(1.5_f32, 1000)?.to_vec()?, [1.5; 1000]);
    assert_eq!(DeviceBuffer::filled_in(context, [1_u8, 2, 3], 100)?.to_vec()?, [[1, 2, 3]; 100]);
    assert_eq!(device_vec![in context; 7_i16; 5]?.to_vec()?, [7; 5]);
    assert_eq!(device_vec![in context; 7_i16, 8]?.to_vec()?, [7, 8]);
    Ok(())
}

fn empty_buffers_have_no_memory(_: &Context) -> Outcome {
    let mut empty = DeviceBuffer::<f32>::from_slice(&[])?;
    assert!(empty.is_empty());
    assert_eq!((empty.len(), empty.size_in_bytes()), (0, 0));
    assert_eq!(empty.to_vec()?, []);
    assert!(!empty.as_device_ptr().is_null());
    assert!(Some(&*empty).is_some(), "a reference to an empty slice is not null");
    copy!(empty <- [0.0_f32; 0])?;
    fill!(empty <- 1.0)?;
    empty.set_32(5)?;
    empty.set_zero()?;
    assert_eq!(empty.view_as::<u64>()?.len(), 0);
    assert!(empty.view_as_mut::<u8>()?.is_empty());
    assert_eq!(empty[..].split_at(0).0.len(), 0);
    assert!(empty.try_free().is_ok());
    assert!(DeviceBuffer::<u8>::default().is_empty());
    assert!(DeviceBuffer::<u8>::zeroed(0)?.is_empty());
    assert!(device_vec![3_u8; 0]?.is_empty());
    Ok(())
}

fn zero_sized_types_have_no_memory(_: &Context) -> Outcome {
    let mut units = DeviceBuffer::from_slice(&[(); 5])?;
    assert_eq!((units.len(), units.size_in_bytes()), (5, 0));
    assert_eq!(units.to_vec()?.len(), 5);
    copy!(units[1..3] <- [(), ()])?;
    fill!(units <- ())?;
    assert_eq!(units[4].to_value()?, ());
    let many = DeviceBuffer::filled([0_u8; 0], usize::MAX)?;
    assert_eq!(many.len(), usize::MAX);
    assert!(matches!(units.view_as::<u8>(), Ok(view) if view.is_empty()));
    assert!(matches!(units.view_as::<()>(), Err(Error::InvalidView(view)) if view.to_size == 0));
    Ok(())
}

fn lengths_that_overflow_are_refused(_: &Context) -> Outcome {
    for len in [usize::MAX, usize::MAX / 8 + 2, isize::MAX as usize / 8 + 1] {
        let expected = Error::SizeOverflow { len, element_size: 8 };
        assert_eq!(DeviceBuffer::<u64>::zeroed(len).unwrap_err(), expected);
        assert_eq!(DeviceBuffer::filled(1_u64, len).unwrap_err(), expected);
        // SAFETY: it fails, so nothing is read.
        assert_eq!(unsafe { DeviceBuffer::<u64>::uninitialized(len) }.unwrap_err(), expected);
        assert_eq!(LockedBuffer::<u64>::zeroed(len).unwrap_err(), expected);
    }
    Ok(())
}

fn out_of_memory_says_how_much_and_passes(context: &Context) -> Outcome {
    let kept = device_vec![1_u8, 2, 3]?;
    let asked = 1_usize << 40;
    let error = DeviceBuffer::<u8>::zeroed(asked).unwrap_err();
    let Error::OutOfMemory { requested, free, total, .. } = error else { return Err(error.into()) };
    assert!(error.is_out_of_memory(), "{error}");
    assert_eq!(requested, asked as u64);
    let (Some(free), Some(total)) = (free, total) else { return Err(NOT_SAID.into()) };
    assert_eq!(total, context.memory_info()?.1);
    assert!(free < total);
    // The error is not sticky.
    assert_eq!(kept.to_vec()?, [1, 2, 3]);
    assert_eq!(device_vec![9_u8; 100]?.to_vec()?, [9; 100]);
    Ok(())
}

fn memory_is_aligned_to_256_bytes(_: &Context) -> Outcome {
    let buffers = (1..20).map(|len| device_vec![1_u8; len * 3]).collect::<Result<Vec<_>, _>>()?;
    for buffer in &buffers {
        assert_eq!(buffer.as_device_ptr().as_raw() % 256, 0, "{buffer:?}");
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Particle {
    position: [f32; 3],
    charge: i32,
    id: u64,
}

fn a_derived_struct_goes_there_and_back(_: &Context) -> Outcome {
    let particles: Vec<Particle> =
        (0..1000).map(|i| Particle { position: [i as f32, 0.5, -1.0], charge: -i, id: 1 << (i % 64) }).collect();
    let mut dev = DeviceBuffer::from_slice(&particles)?;
    assert_eq!(dev.to_vec()?, particles);
    fill!(dev[10..20] <- particles[0])?;
    assert_eq!(dev[10..20].to_vec()?, [particles[0]; 10]);
    assert_eq!(dev[20].to_value()?, particles[20]);
    Ok(())
}

fn parts_are_taken_apart_and_put_together(_: &Context) -> Outcome {
    let (pointer, len) = device_vec![1_u32, 2, 3]?.into_raw_parts();
    assert_eq!(len, 3);
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    assert_eq!(again.as_device_ptr(), pointer);
    assert_eq!(again.to_vec()?, [1, 2, 3]);
    again.try_free().map_err(|(error, _)| error)?;
    // SAFETY: a length of 0 asks for nothing, also at address 0.
    let nothing = unsafe { DeviceBuffer::<u32>::from_raw_parts(DevicePointer::null(), 0) };
    assert_eq!(nothing.to_vec()?, []);
    Ok(())
}

fn try_free_frees(_: &Context) -> Outcome {
    let dev = device_vec![1_u8; MIB]?;
    dev.try_free().map_err(|(error, _)| error)?;
    Ok(())
}

fn leaked_memory_stays(_: &Context) -> Outcome {
    let slice: &'static mut DeviceSlice<u16> = device_vec![5_u16; 8]?.leak();
    let seen = fill!(slice[..4] <- 6).and_then(|()| slice.to_vec());
    // SAFETY: the memory that was just leaked, so that nothing is left behind.
    drop(unsafe { DeviceBuffer::from_raw_parts(slice.as_device_ptr(), slice.len()) });
    assert_eq!(seen?, [6, 6, 6, 6, 5, 5, 5, 5]);
    Ok(())
}

fn borrowed_memory_is_not_freed(_: &Context) -> Outcome {
    let owner = device_vec![1_u8, 2, 3, 4]?;
    {
        // SAFETY: `owner` lives longer and is not used meanwhile.
        let borrowed = unsafe { DeviceBuffer::borrowed(owner.as_device_ptr(), owner.len()) };
        copy!(borrowed[..2] <- [9, 8])?;
        assert_eq!(borrowed.to_vec()?, [9, 8, 3, 4]);
    }
    assert_eq!(owner.to_vec()?, [9, 8, 3, 4]);
    // SAFETY: a length of 0 asks for nothing.
    assert!(unsafe { DeviceBuffer::<u8>::borrowed(DevicePointer::null(), 0) }.is_empty());
    Ok(())
}

fn views_see_the_same_bytes(_: &Context) -> Outcome {
    let words = [0x0403_0201_u32, 0x0807_0605];
    let mut dev = DeviceBuffer::from_slice(&words)?;
    assert_eq!(dev.view_as::<u8>()?.to_vec()?, bytemuck::cast_slice::<u32, u8>(&words));
    assert_eq!(dev.view_as::<u64>()?.to_vec()?, [0x0807_0605_0403_0201_u64.to_le()]);
    fill!(dev.view_as_mut::<u8>()?[4..] <- 0)?;
    assert_eq!(dev.to_vec()?, [words[0], 0]);
    Ok(())
}

fn views_that_do_not_fit_are_refused(_: &Context) -> Outcome {
    let dev = device_vec![0_u8; 12]?;
    let error = dev.view_as::<u64>().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("12 elements of u8 (1 bytes each)") && text.contains("u64 (8 bytes"), "{text}");
    assert!(matches!(dev[1..9].view_as::<u64>(), Err(Error::InvalidView(view)) if view.to_align == 8));
    assert!(matches!(dev[1..9].view_as::<[u8; 8]>(), Ok(view) if view.len() == 1));
    assert!(matches!(dev.view_as::<()>(), Err(Error::InvalidView(_))));
    Ok(())
}

fn casts_keep_the_memory(_: &Context) -> Outcome {
    let dev = device_vec![1.0_f32, 2.0]?;
    let pointer = dev.as_device_ptr();
    let bits = dev.cast::<u32>().map_err(|(error, _)| error)?;
    assert_eq!(bits.as_device_ptr(), pointer.cast());
    assert_eq!(bits.to_vec()?, [1.0_f32.to_bits(), 2.0_f32.to_bits()]);
    let (error, bits) = bits.cast::<[u32; 3]>().unwrap_err();
    assert!(matches!(error, Error::InvalidView(_)));
    assert_eq!(bits.len(), 2);
    Ok(())
}

fn strict_alignments_hold_or_are_refused(_: &Context) -> Outcome {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C, align(4096))]
    struct Page([u8; 4096]);

    for _ in 0..4 {
        match DeviceBuffer::<Page>::zeroed(3) {
            Ok(dev) => assert_eq!(dev.as_device_ptr().as_raw() % 4096, 0),
            Err(Error::Unsupported { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn debug_shows_no_contents(_: &Context) -> Outcome {
    let dev = device_vec![0x5A5A_u32; 3]?;
    let text = format!("{dev:?} {:?}", &dev[1..]);
    assert!(text.contains("len: 3") && text.contains("len: 2"), "{text}");
    assert!(text.contains(&format!("{:#x}", dev.as_device_ptr().as_raw())), "{text}");
    assert!(!text.contains("23130"), "{text}");
    Ok(())
}

fn uninitialized_is_written_before_it_is_read(context: &Context) -> Outcome {
    // SAFETY: every element is written before any is read.
    let mut dev = unsafe { DeviceBuffer::<u64>::uninitialized_in(context, 3)? };
    copy!(dev <- [1, 2, 3])?;
    assert_eq!(dev.to_vec()?, [1, 2, 3]);
    Ok(())
}

fn repeated_allocation_reuses_memory(context: &Context) -> Outcome {
    drop(device_vec![1_u8; 64 * MIB]?);
    context.trim(0)?;
    let (before, _) = context.memory_info()?;
    for _ in 0..turns(50) {
        drop(device_vec![2_u8; 64 * MIB]?);
    }
    context.trim(0)?;
    all_freed(context)?;
    let (after, _) = context.memory_info()?;
    assert!(after + 64 * MIB as u64 >= before, "{before} bytes were free, {after} are");
    Ok(())
}
