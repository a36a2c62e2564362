use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u8, align(4))]
enum Kind {
    First,
    Second,
}

fn main() {}
