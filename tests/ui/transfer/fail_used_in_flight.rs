//! What a transfer works on is the transfer's.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let mut host = vec![1u8; 4];
    let transfer = stream.upload(host, DeviceBuffer::zeroed(4).unwrap()).unwrap();
    host[0] = 2;
    transfer.wait().unwrap();
}
