//! An `Arc` can be shared with it.
use memcore::prelude::*;
use std::sync::Arc;

fn main() {
    let stream = Stream::new().unwrap();
    let host = Arc::new(vec![1u8; 4]);
    let transfer = stream.upload(Arc::clone(&host), DeviceBuffer::zeroed(4).unwrap()).unwrap();
    assert_eq!(*host, [1; 4]); // read by both
    transfer.wait().unwrap();
}
