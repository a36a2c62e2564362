use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    integer: u32,
    float: f32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Bits>();
}
