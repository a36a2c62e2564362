use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Row<const N: usize> {
    values: [f32; N],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Row<4>>();
}
