use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(16))]
struct Aligned<T> {
    value: T,
}

fn main() {}
