//! What is not staged: page-locked memory, and everything where staging is off.

use memcore::memory::{cuda_free_locked, cuda_malloc_locked};
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
use memcore::{RegisterFlags, Registration};

use crate::{LARGE, SMALL, STAGING, Staging, count, finish, open, pattern};

/// The calls that a copy is made of, beyond questions.
fn calls(sim: &Sim, copy: impl FnOnce() -> memcore::Result<()>) -> Vec<&'static str> {
    const QUESTIONS: [&str; 4] =
        ["cuCtxGetCurrent", "cuCtxSetCurrent", "cuThreadExchangeStreamCaptureMode", "cuPointerGetAttribute"];
    sim.clear_calls();
    copy().unwrap();
    let calls = sim.calls();
    // Of host memory the device writes, what proves that it is done.
    let proof = ["cuStreamWriteValue32_v2", "cuMemHostAlloc", "cuMemHostGetDevicePointer_v2"];
    calls.into_iter().filter(|call| !QUESTIONS.contains(call) && !proof.contains(call)).collect()
}

const UPLOAD: [&str; 2] = ["cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"];
const DOWNLOAD: [&str; 2] = ["cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"];

/// Copies that memory there and back; each is one call, and nothing is staged.
fn goes_directly(sim: &Sim, context: &Context, memory: &mut [u8]) {
    let before = memory.to_vec();
    let mut dev = DeviceBuffer::zeroed_in(context, memory.len()).unwrap();
    assert_eq!(calls(sim, || copy!(dev <- memory)), UPLOAD);
    memory.fill(0);
    assert_eq!(calls(sim, || copy!(memory <- dev)), DOWNLOAD);
    assert!(*memory == *before);
    // Parts of it too.
    let len = memory.len();
    assert_eq!(calls(sim, || copy!(dev[1..] <- memory[1..])), UPLOAD);
    assert_eq!(calls(sim, || copy!(memory[..len - 1] <- dev[..len - 1])), DOWNLOAD);
    assert!(*memory == *before);
    assert_eq!(context.staging_bytes(), 0);
}

#[test]
fn slices_of_page_locked_memory_go_directly_at_any_size() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    for len in [SMALL, LARGE] {
        let host = pattern(len, 1);
        goes_directly(&sim, &context, &mut LockedBuffer::from_slice(&host).unwrap());
        goes_directly(&sim, &context, &mut UnifiedBuffer::from_slice(&host).unwrap());
        goes_directly(&sim, &context, &mut RegisteredBuffer::new(host).unwrap());
    }
    let mut boxed = LockedBox::new(&[7_u8; 3000]).unwrap();
    goes_directly(&sim, &context, boxed.as_mut_slice());
    drop(boxed);
    finish(sim, &context);
}

#[test]
fn large_memory_that_others_have_page_locked_goes_directly_and_small_is_right() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    for len in [1 << 20, LARGE] {
        let mut host = pattern(len, 1);
        // SAFETY: the memory outlives the registration.
        let registration =
            unsafe { Registration::new(&context, RegisterFlags::PORTABLE, host.as_mut_ptr(), len) }.unwrap();
        let mut dev = device_vec![0_u8; len].unwrap();
        assert_eq!(calls(&sim, || copy!(dev <- host)), UPLOAD);
        host.fill(0);
        assert_eq!(calls(&sim, || copy!(host <- dev)), DOWNLOAD);
        assert!(host == pattern(len, 1));
        assert_eq!(context.staging_bytes(), 0);
        registration.unregister().unwrap();
    }
    // SAFETY: it is freed below, once.
    let raw = unsafe { cuda_malloc_locked::<u8>(LARGE) }.unwrap();
    // SAFETY: so many bytes, which nothing else uses, and which the simulated device has filled.
    let memory = unsafe { std::slice::from_raw_parts_mut(raw, LARGE) };
    memory.copy_from_slice(&pattern(LARGE, 2));
    let mut dev = device_vec![0_u8; LARGE].unwrap();
    assert_eq!(calls(&sim, || copy!(dev <- memory)), UPLOAD);
    memory.fill(0);
    assert_eq!(calls(&sim, || copy!(memory <- dev)), DOWNLOAD);
    assert!(*memory == pattern(LARGE, 2));
    assert_eq!(context.staging_bytes(), 0);
    // Small copies are staged, which nobody sees.
    let (part, other) = memory.split_at_mut(SMALL);
    copy!(dev[..SMALL] <- other[..SMALL]).unwrap();
    copy!(part <- dev[..SMALL]).unwrap();
    assert!(*part == other[..SMALL]);
    assert!(context.staging_bytes() > 0);
    // SAFETY: nothing uses it any more.
    unsafe { cuda_free_locked(raw) }.unwrap();
    drop(dev);
    finish(sim, &context);
}

#[test]
fn without_staging_the_driver_copies() {
    for settings in
        [Staging::off(), STAGING.threads(0), STAGING.maximum_bytes(0), STAGING.maximum_bytes((128 << 10) - 1)]
    {
        let (sim, context) = open(SimOptions::default());
        context.set_staging(settings).unwrap();
        let _entered = context.enter();
        for len in [1, SMALL, LARGE, 9 << 20] {
            let (host, mut back) = (pattern(len, 1), vec![0; len]);
            let mut dev = device_vec![0_u8; len].unwrap();
            assert_eq!(calls(&sim, || copy!(dev <- host)), UPLOAD);
            assert_eq!(count(&sim, "cuMemHostAlloc"), 0);
            assert_eq!(calls(&sim, || copy!(back <- dev)), DOWNLOAD);
            assert_eq!(count(&sim, "cuMemHostAlloc"), 0);
            assert!(back == host);
        }
        assert_eq!(context.staging_bytes(), 0);
        finish(sim, &context);
    }
}

#[test]
fn one_thread_and_many_work() {
    for settings in [STAGING.threads(1), STAGING.threads(100).maximum_bytes(usize::MAX), Staging::default()] {
        let (sim, context) = open(SimOptions::default());
        context.set_staging(settings).unwrap();
        let _entered = context.enter();
        for len in [SMALL, 300_000, LARGE, 9 << 20] {
            let host = pattern(len, 1);
            let dev = DeviceBuffer::from_slice(&host).unwrap();
            assert!(dev.to_vec().unwrap() == host, "{settings:?}, {len} bytes");
            // No more than the copies so far have had parts for.
            assert!(context.staging_bytes() <= 3 * (len + (4 << 20)), "{settings:?}: {}", context.staging_bytes());
        }
        finish(sim, &context);
    }
}
