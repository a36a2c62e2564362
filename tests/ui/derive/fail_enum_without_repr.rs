use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
enum Kind {
    First,
    Second,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
enum AsInC {
    First,
    Second,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Kind>();
    accepts::<AsInC>();
}
