//! Two devices of one machine: slices find their own, and copies go from one to the other.

use std::thread;

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{MIB, Outcome, joined, turns};

/// A test, by name, that is given the contexts of two devices, the first of which is entered.
pub(crate) type TwoDeviceTest = (&'static str, fn(&Context, &Context) -> Outcome);

pub(crate) const TESTS: &[TwoDeviceTest] = &[
    ("devices::slices_find_their_own_context", slices_find_their_own_context),
    ("devices::copies_go_from_device_to_device", copies_go_from_device_to_device),
    ("devices::windows_go_from_device_to_device", windows_go_from_device_to_device),
    ("devices::scoped_windows", scoped_windows),
    ("devices::arrays_go_from_device_to_device", arrays_go_from_device_to_device),
    ("devices::a_stream_of_the_other_device", a_stream_of_the_other_device),
    ("devices::entering_switches", entering_switches),
    ("devices::each_thread_has_its_own", each_thread_has_its_own),
    ("devices::raw_parts_find_their_owner", raw_parts_find_their_owner),
    ("devices::one_scope_with_both", crate::scopes::on_two_devices),
];

fn slices_find_their_own_context(here: &Context, there: &Context) -> Outcome {
    let host = pattern(100_000, 20);
    let mut far = DeviceBuffer::from_slice_in(there, &host)?;
    let near = device_vec![in here; 3_u8; 100]?;
    fill!(far[..100] <- 9)?;
    copy!(far[100..200] <- [7; 100])?;
    let back = far.to_vec()?;
    assert!(back[..100] == [9; 100] && back[100..200] == [7; 100] && back[200..] == host[200..]);
    assert_eq!(near.to_vec()?, [3; 100]);
    assert_eq!(Context::current()?, *here);
    let locked = locked_vec![in there; 5_u8; 100]?;
    copy!(far[..100] <- locked)?;
    assert_eq!(far[99].to_value()?, 5);
    Ok(())
}

fn copies_go_from_device_to_device(here: &Context, there: &Context) -> Outcome {
    for len in [1, 1000, 4 * MIB + 3] {
        let host = pattern(len, len as u32);
        let near = DeviceBuffer::from_slice_in(here, &host)?;
        let mut far = DeviceBuffer::<u8>::zeroed_in(there, len)?;
        copy!(far <- near)?;
        assert!(far.to_vec()? == host, "{len} bytes there");
        let mut back = DeviceBuffer::<u8>::zeroed_in(here, len)?;
        copy!(back <- far)?;
        assert!(back.to_vec()? == host, "{len} bytes back");
    }
    let near = device_vec![in here; 1_u8, 2, 3]?;
    let mut far = device_vec![in there; 0_u8; 2]?;
    assert_eq!(copy!(far <- near), Err(Error::LengthMismatch { destination_len: 2, source_len: 3 }));
    copy!(far[1..] <- near[2..])?;
    assert_eq!(far.to_vec()?, [0, 3]);
    Ok(())
}

fn arrays_go_from_device_to_device(here: &Context, there: &Context) -> Outcome {
    let host: Vec<u32> = (0..120).collect();
    let near = ArrayObject::from_slice_in(here, &host, [4, 5, 6])?;
    let mut far = ArrayObject::<u32>::zeroed_in(there, [4, 5, 6])?;
    copy!(far <- near)?;
    assert_eq!(far.to_vec()?, host);
    // Device memory of the one, an array of the other; and a window.
    let mut memory = DeviceBuffer::<u32>::zeroed_in(here, 120)?;
    copy!(memory <- far)?;
    assert_eq!(memory.to_vec()?, host);
    fill!(memory <- 7)?;
    copy!(far[1..3, 2, ..] <- memory[..12])?;
    let back = far.to_vec()?;
    assert!(back.iter().enumerate().all(|(i, element)| match (i / 30, i / 6 % 5) {
        (1 | 2, 2) => *element == 7,
        _ => *element == host[i],
    }));
    let stream = Stream::new_in(here)?;
    let mut again = ArrayObject::<u32>::zeroed_in(here, [4, 5, 6])?;
    stream.scope(|s| copy!(again <- far, s))?;
    assert_eq!(again.to_vec()?, back);
    assert_eq!((near.context(), far.context()), (here.clone(), there.clone()));
    Ok(())
}

fn windows_go_from_device_to_device(here: &Context, there: &Context) -> Outcome {
    let host: Vec<u32> = (0..24).collect();
    let near = DeviceBuffer::from_slice_in(here, &host)?;
    let mut far = PitchedBuffer::<u32>::zeroed_in(there, [4, 6])?;
    copy!(far[1..3, 2..5] <- near.as_2d(6)?[1..3, 1..4])?;
    let row = |y: usize, far: &PitchedBuffer<u32>| far.as_view().window(y, ..)?.to_vec();
    assert_eq!((row(0, &far)?, row(1, &far)?), (vec![0; 6], vec![0, 0, 7, 8, 9, 0]));
    assert_eq!((row(2, &far)?, row(3, &far)?), (vec![0, 0, 13, 14, 15, 0], vec![0; 6]));
    let mut back = DeviceBuffer::<u32>::zeroed_in(here, 24)?;
    let slices = far.as_view().in_slices_of(2)?;
    copy!(back.as_3d_mut([2, 6])?[.., 0, 1..] <- slices[.., 1, 1..])?;
    let mut expected = vec![0; 24];
    expected[1..6].copy_from_slice(&[0, 7, 8, 9, 0]);
    assert_eq!(back.to_vec()?, expected);
    Ok(())
}

fn scoped_windows(here: &Context, there: &Context) -> Outcome {
    let far = PitchedBuffer::from_slice_in(there, &(0..24_u32).collect::<Vec<_>>(), 6)?;
    let mut back = DeviceBuffer::<u32>::zeroed_in(here, 24)?;
    for context in [here, there] {
        let stream = Stream::new_in(context)?;
        stream.scope(|s| copy!(back.as_2d_mut(6)?[3, 1..] <- far[2, ..5], s))?;
        assert_eq!(back[18..].to_vec()?, [0, 12, 13, 14, 15, 16]);
        fill!(back <- 0)?;
    }
    Ok(())
}

/// The driver refuses some of these and takes others, by how the memory was made; memcore takes none but copies between
/// the two devices.
fn a_stream_of_the_other_device(here: &Context, there: &Context) -> Outcome {
    let host = pattern(50_000, 21);
    let (stream, source_stream) = (Stream::new_in(there)?, Stream::new_in(here)?);
    let mut near = DeviceBuffer::from_slice_in(here, &host)?;
    let mut far = DeviceBuffer::<u8>::zeroed_in(there, host.len())?;
    let mut back = vec![0; host.len()];
    let refused = Err(Error::OtherDevice { stream: there.device().ordinal(), memory: here.device().ordinal() });
    assert_eq!(copy!(near <- host, stream), refused);
    assert_eq!(copy!(back <- near, stream), refused);
    assert_eq!(fill!(near <- 1, stream), refused);
    // SAFETY: it is refused, so that nothing is in flight.
    assert_eq!(unsafe { copy!(near <- host, async stream) }, refused);
    copy!(far <- near, stream)?;
    assert!(far.to_vec()? == host);
    fill!(far <- 0)?;
    copy!(far <- near, source_stream)?;
    assert!(far.to_vec()? == host);
    Ok(())
}

fn entering_switches(here: &Context, there: &Context) -> Outcome {
    let inner = there.enter();
    let far = device_vec![1_u8; 10]?;
    assert_eq!(Context::current()?, *there);
    let again = here.enter();
    let near = device_vec![2_u8; 10]?;
    drop(inner); // out of order
    assert_eq!(Context::current()?, *here);
    drop(again);
    assert_eq!(Context::current()?, *here);
    assert_eq!((far.to_vec()?, near.to_vec()?), (vec![1; 10], vec![2; 10]));
    Ok(())
}

fn each_thread_has_its_own(here: &Context, there: &Context) -> Outcome {
    thread::scope(|scope| {
        let work = [here, there, here, there].into_iter().enumerate().map(|(seed, context)| {
            scope.spawn(move || {
                let _entered = context.enter();
                let host = pattern(10_000, seed as u32);
                for _ in 0..turns(20) {
                    assert!(DeviceBuffer::from_slice(&host)?.to_vec()? == host);
                }
                Ok(())
            })
        });
        joined(work.collect::<Vec<_>>())
    })?;
    Ok(())
}

fn raw_parts_find_their_owner(_: &Context, there: &Context) -> Outcome {
    let (pointer, len) = device_vec![in there; 6_u16; 10]?.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let again = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    assert_eq!(again.to_vec()?, [6; 10]);
    again.try_free().map_err(|(error, _)| error)?;
    Ok(())
}
