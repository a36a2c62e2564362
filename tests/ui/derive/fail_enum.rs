use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u32)]
enum Kind {
    First,
    Second,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Kind>();
}
