use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Vec<f32>,
}

fn main() {}
