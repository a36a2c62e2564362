//! A transfer that is dropped is kept by another thread.
use memcore::prelude::*;
use std::rc::Rc;

fn main() {
    let stream = Stream::new().unwrap();
    let _transfer = stream.upload(Rc::new(vec![1u8; 4]), DeviceBuffer::zeroed(4).unwrap());
}
