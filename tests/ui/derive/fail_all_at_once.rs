use memcore::DeviceCopy;

#[derive(DeviceCopy)]
struct NoLayout {
    flag: bool,
    name: &'static str,
    letter: char,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Mixed {
    flag: bool,
    key: u32,
    data: *const u8,
    last: u8,
}

fn main() {}
