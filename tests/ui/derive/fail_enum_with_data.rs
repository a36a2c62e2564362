use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u32)]
enum Kind {
    First(u32),
    Second { flag: bool },
    Third,
}

fn main() {}
