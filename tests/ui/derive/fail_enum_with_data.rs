use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
enum Kind {
    First(u32),
    Second(bool),
}

fn main() {}
