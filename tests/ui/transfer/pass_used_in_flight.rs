//! It gives it back.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let transfer = stream.upload(vec![1u8; 4], DeviceBuffer::zeroed(4).unwrap()).unwrap();
    let (mut host, dev) = transfer.wait().unwrap();
    host[0] = 2;
    assert_eq!(dev.to_vec().unwrap(), [1; 4]);
}
