//! What is queued on the program's stream before a copy is seen by it, and captures are left alone.

use std::thread;

use memcore::prelude::*;
use memcore::sim::{CaptureMode, Order, SimOptions};
use memcore::{Error, Staging};

use crate::{LARGE, ORDERS, SMALL, finish, open, pattern};

#[test]
fn a_copy_comes_behind_what_its_stream_has() {
    for order in ORDERS.into_iter().chain((10..20).map(Order::Random)) {
        let (sim, context) = open(SimOptions::default().order(order));
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        for len in [SMALL, LARGE] {
            let (first, second) = (LockedBuffer::from_slice(&pattern(len, 1)).unwrap(), pattern(len, 2));
            let mut dev = device_vec![0_u8; len].unwrap();
            let mut host = vec![0; len];
            // SAFETY: the source is left alone until the copy below has waited for it.
            unsafe { copy!(dev <- first, async stream) }.unwrap();
            copy!(host <- dev, stream).unwrap();
            assert!(host == *first, "{order:?}, {len} bytes");
            // An upload comes behind the read of what it writes over.
            let mut seen = locked_vec![0_u8; len].unwrap();
            // SAFETY: `seen` is left alone until the copy below has waited for it.
            unsafe { copy!(seen <- dev, async stream) }.unwrap();
            copy!(dev <- second, stream).unwrap();
            assert!(*seen == *first && dev.to_vec().unwrap() == second, "{order:?}, {len} bytes");
        }
        drop(stream);
        finish(sim, &context);
    }
}

#[test]
fn captures_are_left_alone_and_captured_streams_refused() {
    for mode in [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed] {
        let (sim, context) = open(SimOptions::default());
        let _entered = context.enter();
        let mut captured = Stream::new().unwrap();
        let mut dev = device_vec![7_u8; LARGE].unwrap();
        let mut host = pattern(LARGE, 3);
        let capture = sim.begin_capture(&mut captured, mode).unwrap();
        for len in [SMALL, LARGE] {
            assert_eq!(copy!(dev[..len] <- host[..len], capture.stream()), Err(Error::StreamCapturing));
            assert_eq!(copy!(host[..len] <- dev[..len], capture.stream()), Err(Error::StreamCapturing));
        }
        assert_eq!(context.staging_bytes(), 0);
        // Beside it, on this thread and on another, pieces are made, used and given back.
        let works = |dev: &mut DeviceBuffer<u8>| {
            let source = pattern(LARGE, 4);
            copy!(dev <- source)?;
            copy!(dev[..SMALL] <- source[..SMALL])?;
            assert!(dev.to_vec()? == source);
            context.set_staging(Staging::off())?;
            context.set_staging(crate::STAGING)
        };
        works(&mut dev).unwrap();
        thread::scope(|scope| scope.spawn(|| works(&mut dev)).join().unwrap()).unwrap();
        assert_eq!(capture.end(), Ok(()), "{mode:?}");
        drop((captured, dev));
        finish(sim, &context);
    }
}
