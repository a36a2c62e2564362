use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: &'static [f32],
}

fn main() {}
