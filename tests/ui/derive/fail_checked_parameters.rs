use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Flagged<T> {
    value: T,
    flags: [bool; 4],
}

fn main() {}
