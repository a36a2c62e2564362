use memcore::DeviceCopy;

type Samples = *const f32;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: [Samples; 2],
}

fn main() {}
