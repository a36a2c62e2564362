//! A copy that waits checks; and any bytes are bytes.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    assert_eq!(DeviceBuffer::from_slice(&[true; 4]).unwrap().to_vec().unwrap(), [true; 4]);
    let dev = DeviceBuffer::from_slice(&[1u8; 4]).unwrap();
    let (_dev, host) = stream.download(dev, vec![0u8; 4]).unwrap().wait().unwrap();
    assert_eq!(host, [1; 4]);
}
