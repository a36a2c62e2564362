use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Pair<T: Copy> {
    first: T,
    second: T,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Pair<f32>>();
}
