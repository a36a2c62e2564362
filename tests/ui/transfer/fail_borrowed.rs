//! A transfer can be forgotten, and owns what it works on: it borrows nothing.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let mut host = [0u8; 4];
    let dev = DeviceBuffer::<u8>::zeroed(4).unwrap();
    let _transfer = stream.download(dev, &mut host[..]);
}
