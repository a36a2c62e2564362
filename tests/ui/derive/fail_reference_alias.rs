use memcore::DeviceCopy;

type Text = &'static str;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Record {
    before: u64,
    field: Text,
}

fn main() {}
