//! Events and streams that wait for each other.

#![allow(unsafe_code, reason = "the library's contract is kept")]

use programs::Outcome;
use rustacuda::event::{Event, EventFlags, EventStatus};
use rustacuda::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer};
use rustacuda::stream::{Stream, StreamFlags, StreamWaitEventFlags};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let first = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let second = Stream::new(StreamFlags::DEFAULT, None)?;
    assert_eq!(first.get_flags()?, StreamFlags::NON_BLOCKING);
    let source = vec![7u32; 1000];
    let (start, uploaded, done) = (event()?, event()?, event()?);
    start.record(&first)?;
    // SAFETY: the source is there, and untouched, until `done` has been waited for, which comes after this.
    let device = unsafe { DeviceBuffer::from_slice_async(&source, &first) }?;
    uploaded.record(&first)?;
    // It is destroyed here, which changes nothing for the stream that waits.
    second.wait_event(uploaded, StreamWaitEventFlags::DEFAULT)?;
    // SAFETY: written whole by the next copy.
    let mut copy = unsafe { DeviceBuffer::<u32>::uninitialized(1000) }?;
    // SAFETY: both are there, and untouched, until `done` has been waited for.
    unsafe { copy.async_copy_from(&device, &second) }?;
    done.record(&second)?;
    done.synchronize()?;
    assert_eq!(done.query()?, EventStatus::Ready);
    assert!(done.elapsed_time_f32(&start)? >= 0.0);
    let mut back = vec![0u32; 1000];
    copy.copy_to(&mut back[..])?;
    assert_eq!(back, source);
    Ok(())
}

fn event() -> rustacuda::error::CudaResult<Event> {
    Event::new(EventFlags::DEFAULT)
}
