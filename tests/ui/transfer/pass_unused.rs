//! Waited for, it gives them back.
#![deny(unused_must_use)]
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let transfer = stream.upload(vec![1u8; 4], DeviceBuffer::zeroed(4).unwrap()).unwrap();
    let (_host, dev) = transfer.wait().unwrap();
    assert_eq!(dev.to_vec().unwrap(), [1; 4]);
}
