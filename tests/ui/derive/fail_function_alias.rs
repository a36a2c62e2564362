use memcore::DeviceCopy;

type Callback = fn(f32) -> f32;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Callback,
}

fn main() {}
