use memcore::DeviceCopy;
use std::num::Wrapping;

trait Classify: Sized {
    fn memcore_classify(self) -> Anything {
        Anything
    }
}

impl<T> Classify for T {}

struct Anything;

impl Anything {
    fn verify<T>(self, _field: T) {}
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    flag: Wrapping<bool>,
}

fn main() {}
