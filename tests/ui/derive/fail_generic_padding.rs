use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Mixed<T, U> {
    first: T,
    second: [U; 2],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Row<T, const N: usize> {
    length: u32,
    values: [T; N],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed(2))]
struct HalfDense<T>(u8, T);

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Mixed<f32, u32>>();
    accepts::<Row<f32, 4>>();
    accepts::<HalfDense<u16>>();
}
