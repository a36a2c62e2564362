use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    pair: (u32, u32),
    nothing: (),
}

fn main() {}
