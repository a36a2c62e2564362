//! Copies on streams. They are unsafe functions, for the reason that the other libraries' mistakes show.

#![allow(unsafe_code, reason = "the library's contract is kept")]

use programs::Outcome;
use rustacuda::memory::{AsyncCopyDestination, DeviceBuffer, LockedBuffer};
use rustacuda::stream::{Stream, StreamFlags};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, Some(-1))?;
    assert_eq!(stream.get_priority()?, -1);
    let source: Vec<u32> = (0..1000).collect();
    let locked = LockedBuffer::from_slice(&source)?;
    let mut back = LockedBuffer::new(&0u32, 1000)?;

    // SAFETY: all memory is there, and untouched, until the stream has been waited for.
    let mut device = unsafe { DeviceBuffer::from_slice_async(&source, &stream) }?;
    // SAFETY: it is written whole by the next copy.
    let mut copy = unsafe { DeviceBuffer::<u32>::uninitialized(1000) }?;
    // SAFETY: as above.
    unsafe { copy.async_copy_from(&*device, &stream) }?;
    // SAFETY: as above.
    unsafe { device[..500].async_copy_from(&locked[500..], &stream) }?;
    // SAFETY: as above.
    unsafe { copy.async_copy_to(&mut back, &stream) }?;
    stream.synchronize()?;
    assert_eq!(back[..], source);
    // SAFETY: as above.
    unsafe { device.async_copy_to(&mut back, &stream) }?;
    stream.synchronize()?;
    assert_eq!(back[..], [&source[500..], &source[500..]].concat());
    Ok(())
}
