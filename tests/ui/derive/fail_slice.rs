use memcore::DeviceCopy;

#[derive(DeviceCopy)]
#[repr(C)]
struct Record {
    length: u64,
    data: [f32],
}

fn main() {}
