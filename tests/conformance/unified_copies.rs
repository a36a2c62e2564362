//! Copies and fills of unified memory, by the host and by the device.

use memcore::Error;
use memcore::prelude::*;

use crate::buffers::pattern;
use crate::rig::{Outcome, refused, tests, waited};

tests!(
    the_device_writes_what_the_host_reads,
    the_host_writes_what_the_device_reads,
    every_pair_of_memories,
    boxes_in_every_pair,
    ranges_on_either_side,
    lengths_must_match,
    on_a_stream_and_asynchronously,
    invalid_values_are_refused_and_nothing_is_written,
);

fn the_device_writes_what_the_host_reads(_: &Context) -> Outcome {
    let mut unified = unified_vec![0_u32; 1000]?;
    fill!(unified.as_device_slice_mut() <- 0x0102_0304)?;
    assert_eq!(*unified, [0x0102_0304; 1000]);
    let device = unified.as_device_slice_mut();
    device[..10].set_8(0x11)?;
    device[10..20].set_16(0x2233)?;
    device[20..30].set_32(0x4455_6677)?;
    device[30..40].set_zero()?;
    fill!(device[40..50].view_as_mut::<[u16; 2]>()? <- [1, 2])?;
    copy!(device[50..53] <- [7, 8, 9])?;
    copy!(device[53..55] <- device_vec![5, 6]?)?;
    let mut expected = [0x0102_0304; 1000];
    expected[..10].fill(0x1111_1111);
    expected[10..20].fill(0x2233_2233);
    expected[20..30].fill(0x4455_6677);
    expected[30..40].fill(0);
    expected[40..50].fill(0x0002_0001_u32.to_le());
    expected[50..55].copy_from_slice(&[7, 8, 9, 5, 6]);
    assert_eq!(*unified, expected);
    // A value too wide for a memset, and values in a box.
    let mut wide = unified_vec![[0_u64; 3]; 100]?;
    wide.as_device_slice_mut().fill([1, 2, 3])?;
    assert_eq!(*wide, [[1, 2, 3]; 100]);
    let mut boxed = unified_box![0.0_f64]?;
    boxed.as_device_slice_mut().copy_from(&[2.5])?;
    assert_eq!(*boxed, 2.5);
    Ok(())
}

fn the_host_writes_what_the_device_reads(_: &Context) -> Outcome {
    let mut unified = unified_vec![1_u16; 100]?;
    unified[99] = 7;
    assert_eq!(unified.as_device_slice().to_vec()?, *unified);
    assert_eq!(unified.as_device_slice()[99].to_value()?, 7);
    let mut dev = device_vec![0_u16; 50]?;
    copy!(dev <- unified.as_device_slice()[50..])?;
    assert_eq!(dev.to_vec()?, unified[50..]);
    unified[98] = 8;
    copy!(dev[..2] <- unified.as_device_slice()[98..])?;
    assert_eq!(dev[..3].to_vec()?, [8, 7, 1]);
    let mut boxed = unified_box!['a']?;
    *boxed = 'b';
    assert_eq!(boxed.as_device_slice().to_value()?, 'b');
    assert_eq!(boxed.as_device_slice().len(), 1);
    Ok(())
}

/// Memory of any kind, to be compared.
trait Memory: Sized {
    fn of(values: &[u32]) -> memcore::Result<Self>;
    fn values(&self) -> memcore::Result<Vec<u32>>;
}

impl Memory for Vec<u32> {
    fn of(values: &[u32]) -> memcore::Result<Self> {
        Ok(values.to_vec())
    }

    fn values(&self) -> memcore::Result<Vec<u32>> {
        Ok(self.clone())
    }
}

macro_rules! memories {
    ($($memory:ident: |$this:ident| $values:expr;)*) => {$(
        impl Memory for $memory<u32> {
            fn of(values: &[u32]) -> memcore::Result<Self> {
                $memory::from_slice(values)
            }

            fn values(&self) -> memcore::Result<Vec<u32>> {
                let $this = self;
                $values
            }
        }
    )*};
}

memories! {
    DeviceBuffer: |dev| dev.to_vec();
    LockedBuffer: |locked| Ok(locked.to_vec());
    UnifiedBuffer: |unified| Ok(unified.to_vec());
}

/// Copies from every kind of memory to every kind.
macro_rules! every_pair {
    ([$($to:ident)*], $from:tt) => { $(every_pair!(@from $to, $from);)* };
    (@from $to:ident, [$($from:ident)*]) => { $(every_pair!(@pair $to, $from);)* };
    (@pair $to:ident, $from:ident) => {{
        let values: Vec<u32> = (0..1000).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
        let (from, mut to) = (<$from<u32>>::of(&values)?, <$to<u32>>::of(&[0; 1000])?);
        copy!(to <- from)?;
        assert_eq!((to.values()?, from.values()?), (values.clone(), values.clone()), concat!(stringify!($to <- $from)));
        copy!(to[3..13] <- from[990..])?;
        let mut expected = values.clone();
        expected[3..13].copy_from_slice(&values[990..]);
        assert_eq!(to.values()?, expected, concat!("a range of ", stringify!($to <- $from)));
    }};
}

fn every_pair_of_memories(_: &Context) -> Outcome {
    every_pair!([Vec DeviceBuffer LockedBuffer UnifiedBuffer], [Vec DeviceBuffer LockedBuffer UnifiedBuffer]);
    // By way of the device's side of unified memory.
    let values: Vec<u32> = (0..1000).collect();
    let (source, mut unified) = (UnifiedBuffer::from_slice(&values)?, unified_vec![0_u32; 1000]?);
    copy!(unified.as_device_slice_mut() <- source.as_device_slice())?;
    assert_eq!(*unified, *values);
    copy!(unified.as_device_slice_mut()[1..] <- source[..999])?;
    assert_eq!(unified[1..], values[..999]);
    copy!(unified <- source.as_device_slice())?;
    assert_eq!(*unified, *values);
    Ok(())
}

fn boxes_in_every_pair(_: &Context) -> Outcome {
    let (mut dev, mut locked, mut unified) = (device_box![1_u32]?, locked_box![2_u32]?, unified_box![3_u32]?);
    let mut host = [4_u32];
    copy!(dev <- unified)?;
    assert_eq!(dev.to_value()?, 3);
    copy!(unified <- host)?;
    copy!(locked <- unified)?;
    assert_eq!(*locked, 4);
    *locked = 5;
    copy!(unified <- locked)?;
    copy!(host <- unified)?;
    assert_eq!(host, [5]);
    copy!(unified <- dev)?;
    assert_eq!(*unified, 3);
    copy!(unified <- unified_box![6_u32]?)?;
    copy!(unified_vec![0_u32]? <- unified)?;
    fill!(unified <- 8)?;
    copy!(dev <- unified)?;
    assert_eq!((dev.to_value()?, *unified), (8, 8));
    Ok(())
}

fn ranges_on_either_side(_: &Context) -> Outcome {
    let mut unified = UnifiedBuffer::from_slice(&pattern(100, 1))?;
    let mut dev = device_vec![0_u8; 100]?;
    copy!(dev[10..50] <- unified[50..90])?;
    let expected = unified[50..90].to_vec();
    unified.fill(0);
    copy!(unified[60..] <- dev[10..50])?;
    assert_eq!((&unified[60..], &unified[..60]), (&*expected, [0; 60].as_slice()));
    fill!(unified[..30] <- 3)?;
    assert_eq!((unified[29], unified[30]), (3, 0));
    Ok(())
}

fn lengths_must_match(_: &Context) -> Outcome {
    let (mut unified, mut dev) = (unified_vec![1_u8, 2, 3]?, device_vec![4_u8, 5]?);
    assert_eq!(copy!(unified <- dev), Err(Error::LengthMismatch { destination_len: 3, source_len: 2 }));
    assert_eq!(copy!(dev <- unified), Err(Error::LengthMismatch { destination_len: 2, source_len: 3 }));
    let device = unified.as_device_slice_mut();
    assert_eq!(copy!(device[..1] <- dev), Err(Error::LengthMismatch { destination_len: 1, source_len: 2 }));
    assert_eq!(*unified, [1, 2, 3]);
    let mut boxed = unified_box![1_u8]?;
    assert_eq!(copy!(boxed <- dev), Err(Error::LengthMismatch { destination_len: 1, source_len: 2 }));
    assert_eq!(*boxed, 1);
    Ok(())
}

fn on_a_stream_and_asynchronously(_: &Context) -> Outcome {
    let stream = Stream::new()?;
    let host = pattern(100_000, 2);
    let (mut source, mut unified) = (UnifiedBuffer::from_slice(&host)?, unified_vec![0_u8; 100_000]?);
    let mut dev = device_vec![0_u8; 100_000]?;
    copy!(dev <- source, stream)?;
    copy!(unified <- dev, &stream)?;
    assert!(*unified == *host);
    fill!(unified.as_device_slice_mut()[..1000] <- 9, stream)?;
    assert_eq!(unified[..1000], [9; 1000]);

    source.reverse();
    waited(&stream, || {
        // SAFETY: nothing uses the three but these operations, in order on one stream, until the wait has succeeded.
        unsafe { copy!(dev <- source, async stream)? };
        // SAFETY: as above.
        unsafe { copy!(unified <- dev, async stream)? };
        // SAFETY: as above.
        unsafe { unified.as_device_slice_mut()[..10].set_8_async(7, &stream) }
    })?;
    assert!(unified[10..] == source[10..] && unified[..10] == [7; 10]);
    Ok(())
}

fn invalid_values_are_refused_and_nothing_is_written(_: &Context) -> Outcome {
    let mut dev = device_vec![true; 1000]?;
    fill!(dev.view_as_mut::<u8>()?[999..] <- 2)?;
    let mut unified = unified_vec![false; 1000]?;
    refused(copy!(unified <- dev), &Error::InvalidValue { index: 999, type_name: "bool", field: None })?;
    assert_eq!(*unified, [false; 1000]);
    copy!(unified[..999] <- dev[..999])?;
    assert!(unified[..999] == [true; 999] && !unified[999]);
    let mut boxed = unified_box![false]?;
    refused(copy!(boxed <- dev[999]), &Error::InvalidValue { index: 0, type_name: "bool", field: None })?;
    assert!(!*boxed);
    copy!(boxed <- dev[..1])?;
    assert!(*boxed);
    // What the device gets from it is checked on the way to the host, as from any device memory.
    let numbers = unified_vec![1_u8, 2]?;
    let view = numbers.as_device_slice().view_as::<bool>()?;
    refused(view.to_vec(), &Error::InvalidValue { index: 1, type_name: "bool", field: None })?;
    Ok(())
}
