//! The traits of the memory types: copies, addresses and sizes in generic code.

use std::fmt::Debug;

use memcore::Error;
use memcore::memory::{AsyncCopyDestination, CopyDestination, DeviceMemory, GpuBox, GpuBuffer};
use memcore::prelude::*;

use crate::rig::{Outcome, refused, tests, waited};

tests!(
    copies_go_both_ways_for_every_pair,
    asynchronous_copies_go_both_ways_for_every_pair,
    a_box_copies_its_value,
    copies_of_another_length_are_refused,
    copies_of_invalid_values_are_refused,
    copies_of_nothing,
    every_memory_says_where_it_is_and_how_large,
    a_box_of_either_kind,
    a_buffer_of_either_kind
);

/// Takes what `device` holds out to `old`, and puts `new` in.
fn swap_in<D, O>(device: &mut D, old: &mut O, new: &O) -> memcore::Result<()>
where
    D: CopyDestination<O> + ?Sized,
    O: ?Sized,
{
    device.copy_to(old)?;
    device.copy_from(new)
}

/// As `swap_in`, queued on a stream and then waited for.
fn swap_in_async<D, O>(device: &mut D, old: &mut O, new: &O, stream: &Stream) -> memcore::Result<()>
where
    D: AsyncCopyDestination<O> + ?Sized,
    O: ?Sized,
{
    waited(stream, || {
        // SAFETY: all three are borrowed until the wait has succeeded, and used by nothing but these two copies, in order.
        unsafe { device.async_copy_to(old, stream)? };
        // SAFETY: as above.
        unsafe { device.async_copy_from(new, stream) }
    })
}

/// Device memory that can be made and read, to check what a swap did.
trait Device3: Sized {
    fn of(values: &[u32]) -> memcore::Result<Self>;
    fn values(&self) -> memcore::Result<Vec<u32>>;
}

impl Device3 for DeviceBuffer<u32> {
    fn of(values: &[u32]) -> memcore::Result<Self> {
        DeviceBuffer::from_slice(values)
    }

    fn values(&self) -> memcore::Result<Vec<u32>> {
        self.to_vec()
    }
}

impl Device3 for DeviceBox<u32> {
    fn of(values: &[u32]) -> memcore::Result<Self> {
        DeviceBox::new(&values[0])
    }

    fn values(&self) -> memcore::Result<Vec<u32>> {
        self.to_vec()
    }
}

/// Runs `$swap` for a device owner, and for the slice of it, against every type that it copies to and from.
macro_rules! against_everything {
    ($swap:ident($($stream:expr)?), $len:literal, $owner:ty, boxes: $boxes:tt) => {{
        let (first, second): (&[u32], &[u32]) = (&[1, 2, 3][..$len], &[7, 8, 9][..$len]);
        macro_rules! against {
            ($other:ty, $make:expr, $read:expr) => {{
                let make: fn(&[u32]) -> memcore::Result<Box<$other>> = $make;
                let read: fn(&$other) -> memcore::Result<Vec<u32>> = $read;
                let mut device = <$owner>::of(first)?;
                let (new, mut old) = (make(second)?, make(&[0; $len])?);
                $swap::<$owner, $other>(&mut device, &mut old, &new $(, $stream)?)?;
                assert_eq!((read(&old)?, device.values()?), (first.to_vec(), second.to_vec()), stringify!($owner, $other));
                $swap::<DeviceSlice<u32>, $other>(&mut device, &mut old, &new $(, $stream)?)?;
                assert_eq!((read(&old)?, device.values()?), (second.to_vec(), second.to_vec()), stringify!($other));
            }};
        }
        against!([u32], |values| Ok(values.into()), |values| Ok(values.to_vec()));
        against!(Vec<u32>, |values| Ok(Box::new(values.to_vec())), |values| Ok(values.clone()));
        against!([u32; $len], |values| Ok(Box::new(values.try_into().unwrap())), |values| Ok(values.to_vec()));
        against!(Box<[u32]>, |values| Ok(Box::new(values.into())), |values| Ok(values.to_vec()));
        against!(LockedBuffer<u32>, |values| LockedBuffer::from_slice(values).map(Box::new), |values| Ok(values.to_vec()));
        against!(UnifiedBuffer<u32>, |values| UnifiedBuffer::from_slice(values).map(Box::new), |values| Ok(values.to_vec()));
        against!(DeviceBuffer<u32>, |values| DeviceBuffer::from_slice(values).map(Box::new), |values| values.to_vec());
        against_everything!(@boxes $boxes);
        // A slice has no owner in a `Box`.
        let (mut device, new, mut old) = (<$owner>::of(first)?, DeviceBuffer::of(second)?, DeviceBuffer::of(&[0; $len])?);
        $swap::<$owner, DeviceSlice<u32>>(&mut device, &mut old, &new $(, $stream)?)?;
        assert_eq!((old.values()?, device.values()?), (first.to_vec(), second.to_vec()));
        $swap::<DeviceSlice<u32>, DeviceSlice<u32>>(&mut device, &mut old, &new $(, $stream)?)?;
        assert_eq!((old.values()?, device.values()?), (second.to_vec(), second.to_vec()));
    }};
    (@boxes false) => {};
    (@boxes true) => {
        against!(LockedBox<u32>, |values| LockedBox::new(&values[0]).map(Box::new), |value| Ok(vec![**value]));
        against!(UnifiedBox<u32>, |values| UnifiedBox::new(&values[0]).map(Box::new), |value| Ok(vec![**value]));
        against!(DeviceBox<u32>, |values| DeviceBox::new(&values[0]).map(Box::new), |value| value.to_vec());
    };
}

fn copies_go_both_ways_for_every_pair(_: &Context) -> Outcome {
    against_everything!(swap_in(), 3, DeviceBuffer<u32>, boxes: false);
    against_everything!(swap_in(), 1, DeviceBuffer<u32>, boxes: true);
    against_everything!(swap_in(), 1, DeviceBox<u32>, boxes: true);
    Ok(())
}

fn asynchronous_copies_go_both_ways_for_every_pair(_: &Context) -> Outcome {
    let stream = &Stream::new()?;
    against_everything!(swap_in_async(stream), 3, DeviceBuffer<u32>, boxes: false);
    against_everything!(swap_in_async(stream), 1, DeviceBuffer<u32>, boxes: true);
    against_everything!(swap_in_async(stream), 1, DeviceBox<u32>, boxes: true);
    Ok(())
}

fn a_box_copies_its_value(_: &Context) -> Outcome {
    fn both<T: DeviceCopy + PartialEq + Debug>(first: T, second: T) -> memcore::Result<()> {
        let mut device = DeviceBox::new(&first)?;
        let mut old = second;
        swap_in::<_, T>(&mut device, &mut old, &second)?;
        assert_eq!((old, device.to_value()?), (first, second));
        Ok(())
    }
    both(1_u8, 2)?;
    both([1.5_f64, 2.5], [3.5, 4.5])?;
    both(true, false)?;
    both((), ())?;
    let (stream, mut device, mut old) = (Stream::new()?, DeviceBox::new(&1_u32)?, 0);
    swap_in_async(&mut device, &mut old, &2, &stream)?;
    assert_eq!((old, device.to_value()?), (1, 2));
    Ok(())
}

fn copies_of_another_length_are_refused(_: &Context) -> Outcome {
    let mut device = device_vec![1_u32, 2]?;
    let mismatch = |destination_len, source_len| Err(Error::LengthMismatch { destination_len, source_len });
    assert_eq!(CopyDestination::<[u32]>::copy_from(&mut device, &[5]), mismatch(2, 1));
    assert_eq!(CopyDestination::<[u32; 3]>::copy_to(&device, &mut [0; 3]), mismatch(3, 2));
    assert_eq!(CopyDestination::<DeviceBuffer<u32>>::copy_to(&device, &mut device_vec![0; 4]?), mismatch(4, 2));
    assert_eq!(CopyDestination::<LockedBox<u32>>::copy_from(&mut device, &locked_box![5]?), mismatch(2, 1));
    let stream = Stream::new()?;
    // SAFETY: refused, so that nothing is queued.
    let refused = unsafe { AsyncCopyDestination::<[u32]>::async_copy_from(&mut device, &[5], &stream) };
    assert_eq!(refused, mismatch(2, 1));
    // SAFETY: as above.
    let refused = unsafe { AsyncCopyDestination::<[u32]>::async_copy_to(&device, &mut [0; 5], &stream) };
    assert_eq!(refused, mismatch(5, 2));
    assert_eq!(device.to_vec()?, [1, 2]);
    Ok(())
}

fn copies_of_invalid_values_are_refused(_: &Context) -> Outcome {
    let mut device = device_vec![true; 4]?;
    fill!(device.view_as_mut::<u8>()?[2..] <- 3)?;
    let mut host = [false; 4];
    let invalid = Error::InvalidValue { index: 2, type_name: "bool", field: None };
    refused(CopyDestination::<[bool]>::copy_to(&device, &mut host[..]), &invalid)?;
    let mut unified = unified_vec![false; 4]?;
    refused(CopyDestination::<UnifiedBuffer<bool>>::copy_to(&device, &mut unified), &invalid)?;
    assert_eq!((host, &*unified), ([false; 4], [false; 4].as_slice()));
    // Between devices nobody looks.
    let mut other = device_vec![false; 4]?;
    CopyDestination::<DeviceBuffer<bool>>::copy_to(&device, &mut other)?;
    assert_eq!(other.view_as::<u8>()?.to_vec()?, [1, 1, 3, 3]);
    Ok(())
}

fn copies_of_nothing(_: &Context) -> Outcome {
    let mut empty = DeviceBuffer::<u32>::default();
    swap_in::<_, [u32]>(&mut empty, &mut [], &[])?;
    swap_in::<_, Vec<u32>>(&mut empty, &mut Vec::new(), &Vec::new())?;
    swap_in::<_, UnifiedBuffer<u32>>(&mut empty, &mut UnifiedBuffer::default(), &UnifiedBuffer::default())?;
    let stream = Stream::new()?;
    swap_in_async::<_, LockedBuffer<u32>>(&mut empty, &mut LockedBuffer::default(), &LockedBuffer::default(), &stream)?;
    Ok(())
}

fn every_memory_says_where_it_is_and_how_large(_: &Context) -> Outcome {
    let (dev, dev_box, variable) = (device_vec![1_u32; 10]?, device_box![2.0_f64]?, DeviceVariable::new(3_u8)?);
    let (unified, unified_box) = (unified_vec![4_u16; 5]?, unified_box![[5_u8; 3]]?);
    let memories: [(&dyn DeviceMemory, u64, usize); 6] = [
        (&dev, dev.as_device_ptr().as_raw(), 40),
        (&dev_box, dev_box.as_device_ptr().as_raw(), 8),
        (&variable, variable.as_device_ptr().as_raw(), 1),
        (&unified, unified.as_unified_ptr().as_raw(), 10),
        (&unified_box, unified_box.as_unified_ptr().as_raw(), 3),
        (&device_vec![7_u8]?, 0, 1),
    ];
    for (memory, address, size) in &memories[..5] {
        assert_eq!((memory.as_raw_ptr(), memory.size_in_bytes()), (*address, *size));
    }
    fn of_slice(memory: &(impl DeviceMemory + ?Sized)) -> (u64, usize) {
        (memory.as_raw_ptr(), memory.size_in_bytes())
    }
    assert_eq!(of_slice(&dev[3..5]), (dev.as_device_ptr().add(3).as_raw(), 8));
    assert_eq!(of_slice(&DeviceBuffer::<u32>::default()).1, 0);
    assert_eq!(of_slice(&unified_vec![(); 3]?).1, 0);
    Ok(())
}

fn a_box_of_either_kind(_: &Context) -> Outcome {
    /// What a call of a kernel would take from any box.
    fn argument<T>(value: &impl GpuBox<T>) -> (DevicePointer<T>, usize) {
        (value.as_device_ptr(), value.size_in_bytes())
    }
    let (dev, unified) = (device_box![1_u64]?, unified_box![2_u64]?);
    assert_eq!(argument(&dev), (dev.as_device_ptr(), 8));
    assert_eq!(argument(&unified), (unified.as_unified_ptr().as_device_ptr(), 8));
    let boxes: [&dyn GpuBox<u64>; 2] = [&dev, &unified];
    let read = boxes.map(|one| {
        // SAFETY: the value is the box's, which is borrowed and which nothing writes.
        unsafe { DeviceSlice::from_raw_parts(one.as_device_ptr(), 1) }.to_value()
    });
    let [first, second] = read;
    assert_eq!((first?, second?), (1, 2));
    Ok(())
}

fn a_buffer_of_either_kind(_: &Context) -> Outcome {
    fn argument<T>(values: &impl GpuBuffer<T>) -> (DevicePointer<T>, usize, bool) {
        (values.as_device_ptr(), values.len(), values.is_empty())
    }
    let (dev, unified) = (device_vec![1_u64, 2]?, unified_vec![3_u64, 4, 5]?);
    assert_eq!(argument(&dev), (dev.as_device_ptr(), 2, false));
    assert_eq!(argument(&unified), (unified.as_device_ptr(), 3, false));
    assert!(argument(&UnifiedBuffer::<u8>::default()).2 && argument(&DeviceBuffer::<u8>::default()).2);
    let buffers: [&dyn GpuBuffer<u64>; 2] = [&dev, &unified];
    let read = buffers.map(|one| {
        // SAFETY: the elements are the buffer's, which is borrowed and which nothing writes.
        unsafe { DeviceSlice::from_raw_parts(one.as_device_ptr(), one.len()) }.to_vec()
    });
    let [first, second] = read;
    assert_eq!((first?, second?), (vec![1, 2], vec![3, 4, 5]));
    Ok(())
}
