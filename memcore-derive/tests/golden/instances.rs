#[device_copy(instances(Mixed<f32, u32>, Mixed<u8, [i8; 3]>), crate = "crate::device")]
#[repr(C)]
struct Mixed<T, U> {
    one: T,
    other: U,
}
