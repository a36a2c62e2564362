use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
struct Record {
    flag: bool,
    letter: char,
    last: [bool; 3],
}

fn main() {}
