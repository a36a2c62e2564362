//! `fill!` and the byte-wise sets.

use memcore::Error;
use memcore::prelude::*;

use crate::rig::{Outcome, tests, waited};

tests!(
    any_type_fills_any_range,
    misaligned_small_units_fill_too,
    sets_write_units,
    sets_of_misaligned_ranges_are_refused,
    fills_on_a_stream,
    sets_in_the_order_of_a_stream,
    asynchronous_sets_of_misaligned_ranges_are_refused,
    asynchronous_sets_of_nothing,
    host_memory_fills_too
);

fn any_type_fills_any_range(_: &Context) -> Outcome {
    fn check<T: DeviceCopy + PartialEq + std::fmt::Debug>(first: T, second: T) -> memcore::Result<()> {
        for len in [1, 2, 3, 4, 5, 31, 32, 33, 1000] {
            let mut dev = DeviceBuffer::filled(first, len)?;
            fill!(dev[len / 3..len - len / 4] <- second)?;
            let mut expected = vec![first; len];
            expected[len / 3..len - len / 4].fill(second);
            assert_eq!(dev.to_vec()?, expected);
        }
        Ok(())
    }
    check(1_u8, 2)?;
    check(0x1234_u16, 0x5678)?;
    check(0x1234_5678_u32, u32::MAX)?;
    check(1.5_f64, -0.0)?;
    check([1_u8, 2, 3], [3; 3])?;
    check([1_u16, 2, 3], [9, 8, 7])?;
    check([1_u32, 2, 3], [1, 1, 1])?;
    check(u128::MAX - 5, 0)?;
    check([1_u64, 2, 3, 4, 5], [5, 4, 3, 2, 1])?;
    check('a', '\u{10FFFF}')?;
    check(true, false)?;
    Ok(())
}

fn misaligned_small_units_fill_too(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 64]?;
    fill!(dev[1..61].view_as_mut::<[u8; 4]>()? <- [1, 2, 3, 4])?;
    let host = dev.to_vec()?;
    assert_eq!(host[0], 0);
    assert!(host[1..61].chunks(4).all(|unit| unit == [1, 2, 3, 4]));
    assert_eq!(host[61..], [0; 3]);
    fill!(dev[3..9].view_as_mut::<[u8; 2]>()? <- [7, 8])?;
    assert_eq!(dev[3..9].to_vec()?, [7, 8, 7, 8, 7, 8]);
    Ok(())
}

fn sets_write_units(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u32; 4]?;
    dev.set_8(0x11)?;
    assert_eq!(dev.to_vec()?, [0x1111_1111; 4]);
    dev[1..3].set_16(0x2233)?;
    assert_eq!(dev.to_vec()?, [0x1111_1111, 0x2233_2233, 0x2233_2233, 0x1111_1111]);
    dev[3..].set_32(0x4455_6677)?;
    dev[..1].set_zero()?;
    assert_eq!(dev.to_vec()?, [0, 0x2233_2233, 0x2233_2233, 0x4455_6677]);
    Ok(())
}

fn sets_of_misaligned_ranges_are_refused(_: &Context) -> Outcome {
    let mut dev = device_vec![0_u8; 16]?;
    let address = dev.as_device_ptr().as_raw();
    assert_eq!(dev[..3].set_16(1), Err(Error::MisalignedSet { address, size: 3, unit: 2 }));
    assert_eq!(dev[1..5].set_32(1), Err(Error::MisalignedSet { address: address + 1, size: 4, unit: 4 }));
    assert_eq!(dev[..6].set_32(1), Err(Error::MisalignedSet { address, size: 6, unit: 4 }));
    dev[2..6].set_16(0x0101)?;
    assert_eq!(dev.to_vec()?, [0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    Ok(())
}

fn fills_on_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0.0_f64; 100]?;
    fill!(dev <- 2.5, stream)?;
    fill!(dev[50..] <- 3.5, &stream)?;
    assert_eq!(dev[49..51].to_vec()?, [2.5, 3.5]);
    Ok(())
}

fn sets_in_the_order_of_a_stream(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![1_u32; 1000]?;
    let mut back = locked_vec![0_u32; 1000]?;
    waited(&stream, || {
        // SAFETY: of each operation down to the wait: nothing uses the two memories but these, in order on one stream.
        unsafe { dev.set_8_async(0x11, &stream)? };
        // SAFETY: as above.
        unsafe { dev[10..20].set_16_async(0x2233, &stream)? };
        // SAFETY: as above.
        unsafe { dev[15..25].set_32_async(0x4455_6677, &stream)? };
        // SAFETY: as above.
        unsafe { dev[990..].set_zero_async(&stream)? };
        // SAFETY: as above.
        unsafe { copy!(back <- dev, async stream)? };
        // SAFETY: as above. The copy has its bytes by then.
        unsafe { dev.set_8_async(0xFF, &stream) }
    })?;
    let mut expected = [0x1111_1111; 1000];
    expected[10..15].fill(0x2233_2233);
    expected[15..25].fill(0x4455_6677);
    expected[990..].fill(0);
    assert_eq!(*back, expected);
    assert_eq!(dev.to_vec()?, [u32::MAX; 1000]);

    // Ranges that start in the middle of a word, as far as the unit allows it.
    let mut bytes = device_vec![0_u8; 16]?;
    waited(&stream, || {
        // SAFETY: as above.
        unsafe { bytes[1..3].set_8_async(5, &stream)? };
        // SAFETY: as above.
        unsafe { bytes[6..10].set_16_async(0x0707, &stream) }
    })?;
    assert_eq!(bytes.to_vec()?, [0, 5, 5, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0]);
    Ok(())
}

fn asynchronous_sets_of_misaligned_ranges_are_refused(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u8; 16]?;
    let address = dev.as_device_ptr().as_raw();
    // SAFETY: refused, so that nothing is queued.
    let refused = unsafe { dev[..3].set_16_async(1, &stream) };
    assert_eq!(refused, Err(Error::MisalignedSet { address, size: 3, unit: 2 }));
    // SAFETY: as above.
    let refused = unsafe { dev[1..5].set_16_async(0x0101, &stream) };
    assert_eq!(refused, Err(Error::MisalignedSet { address: address + 1, size: 4, unit: 2 }));
    // SAFETY: as above.
    let refused = unsafe { dev[2..6].set_32_async(1, &stream) };
    assert_eq!(refused, Err(Error::MisalignedSet { address: address + 2, size: 4, unit: 4 }));
    // SAFETY: as above. A value whose bytes are all one could be set, but which values can must not depend on that.
    let refused = unsafe { dev[..6].set_32_async(0, &stream) };
    assert_eq!(refused, Err(Error::MisalignedSet { address, size: 6, unit: 4 }));
    stream.synchronize()?;
    assert_eq!(dev.to_vec()?, [0; 16]);
    Ok(())
}

fn asynchronous_sets_of_nothing(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let (mut empty, mut units) = (DeviceBuffer::<u8>::default(), device_vec![(); 3]?);
    // SAFETY: there is no memory.
    unsafe { empty.set_8_async(1, &stream)? };
    // SAFETY: as above.
    unsafe { empty.set_16_async(1, &stream)? };
    // SAFETY: as above.
    unsafe { empty[..0].set_32_async(1, &stream)? };
    // SAFETY: as above.
    unsafe { units.set_zero_async(&stream)? };
    stream.synchronize()?;
    Ok(())
}

fn host_memory_fills_too(_: &Context) -> Outcome {
    let mut host = [0_u8; 4];
    fill!(host[1..] <- 3)?;
    assert_eq!(host, [0, 3, 3, 3]);
    let mut locked = locked_vec![0_u32; 3]?;
    fill!(locked <- 5)?;
    assert_eq!(*locked, [5; 3]);
    Ok(())
}
