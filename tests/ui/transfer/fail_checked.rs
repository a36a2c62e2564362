//! A byte of 3 is no `bool`, and nobody checks before the host sees it.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let dev = DeviceBuffer::from_slice(&[true; 4]).unwrap();
    let _transfer = stream.download(dev, vec![false; 4]);
}
