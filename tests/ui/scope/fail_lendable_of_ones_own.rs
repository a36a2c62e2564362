//! What can be lent is memcore's to say: anything else could lie about its place.
use memcore::prelude::*;

struct Mine;

unsafe impl memcore::Lend for Mine {
    type Memory = DeviceSlice<u8>;

    fn __place(&self) -> (u64, usize) {
        (0x1000, 1 << 40)
    }
}

fn main() {}
