//! An array moves with its owner, and the device would write where it was.
use memcore::prelude::*;

fn main() {
    let stream = Stream::new().unwrap();
    let dev = DeviceBuffer::<u8>::zeroed(4).unwrap();
    let _transfer = stream.download(dev, [0u8; 4]);
}
