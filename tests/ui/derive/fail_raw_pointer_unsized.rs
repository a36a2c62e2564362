use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    names: *const [u8],
    call: *mut dyn Fn(),
}

fn main() {}
