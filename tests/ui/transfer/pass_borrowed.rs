//! A boxed slice is owned.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let host = vec![1u8; 4].into_boxed_slice();
    let dev = DeviceBuffer::<u8>::zeroed(4).unwrap();
    let (_dev, host) = stream.download(dev, host).unwrap().wait().unwrap();
    assert_eq!(*host, [0; 4]);
}
