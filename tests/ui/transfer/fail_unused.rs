//! A transfer that nobody keeps gives its buffers to nobody.
#![deny(unused_must_use)]
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    stream.upload(vec![1u8; 4], DeviceBuffer::zeroed(4).unwrap()).unwrap();
}
