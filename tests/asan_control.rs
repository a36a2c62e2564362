//! What `scripts/asan.sh` must see: unsafe asynchronous copies whose host memory is freed in flight. Without the sanitizer
//! they are ignored, since they have undefined behaviour. Each has the corrected program beside it.
//!
//! That the sanitizer reports these is what makes its silence about everything else mean something.

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

fn open() -> (Sim, Context, Stream) {
    let sim = Sim::new(SimOptions::default().late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let stream = Stream::new_in(&context).unwrap();
    (sim, context, stream)
}

#[test]
#[ignore = "has undefined behaviour, on purpose: for scripts/asan.sh"]
fn broken_upload_from_memory_that_is_freed() {
    let (_sim, context, stream) = open();
    let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 1000).unwrap();
    let source = vec![1_u8; 1000];
    // SAFETY: none: the source is freed before the copy has run.
    unsafe { copy!(dev <- source, async stream).unwrap() };
    drop(source);
    stream.synchronize().unwrap();
}

#[test]
#[ignore = "has undefined behaviour, on purpose: for scripts/asan.sh"]
fn broken_download_into_memory_that_is_freed() {
    let (_sim, context, stream) = open();
    let dev = DeviceBuffer::<u8>::zeroed_in(&context, 1000).unwrap();
    let mut back = vec![1_u8; 1000];
    // SAFETY: none: the destination is freed before the copy has run.
    unsafe { copy!(back <- dev, async stream).unwrap() };
    drop(back);
    stream.synchronize().unwrap();
}

#[test]
fn corrected_upload_and_download() {
    let (sim, context, stream) = open();
    let mut dev = DeviceBuffer::<u8>::zeroed_in(&context, 1000).unwrap();
    let (source, mut back) = (vec![1_u8; 1000], vec![0_u8; 1000]);
    // SAFETY: both live until the wait, and nothing else touches them.
    unsafe { copy!(dev <- source, async stream).unwrap() };
    // SAFETY: as above.
    unsafe { copy!(back <- dev, async stream).unwrap() };
    stream.synchronize().unwrap();
    assert!(back == source);
    drop((dev, stream, context));
    assert!(sim.finish().is_empty());
}
