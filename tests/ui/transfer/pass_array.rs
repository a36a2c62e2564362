//! The elements of a vector stay where they are.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let dev = DeviceBuffer::<u8>::zeroed(4).unwrap();
    let transfer = stream.download(dev, vec![1u8; 4]).unwrap();
    let moved = Box::new(transfer);
    let (_dev, host) = moved.wait().unwrap();
    assert_eq!(host, [0; 4]);
}
