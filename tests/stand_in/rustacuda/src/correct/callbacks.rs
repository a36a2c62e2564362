//! Functions that a stream calls on the host.

use std::sync::mpsc;

use programs::Outcome;
use rustacuda::stream::{Stream, StreamFlags};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let (sender, receiver) = mpsc::channel();
    for number in 0..3 {
        let sender = sender.clone();
        stream.add_callback(Box::new(move |status| sender.send((number, status)).unwrap()))?;
    }
    stream.synchronize()?;
    let calls: Vec<_> = receiver.try_iter().collect();
    assert_eq!(calls, [(0, Ok(())), (1, Ok(())), (2, Ok(()))]);
    Ok(())
}
