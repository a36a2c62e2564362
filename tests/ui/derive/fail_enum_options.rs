use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked, instances(Kind))]
#[repr(u8)]
enum Kind {
    First,
    #[device_copy(skip)]
    Second,
}

fn main() {}
