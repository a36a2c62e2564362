use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>, Mixed<u8, u32>, Mixed<bool, u8>))]
#[repr(C)]
struct Mixed<T, U> {
    first: T,
    second: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Other<f32>, Mixed<u8, u8>, u8))]
#[repr(C)]
struct Other<T>(T);

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(instances(Plain))]
#[repr(C)]
struct Plain(u8);

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Mixed<f32, u32>>();
    accepts::<Mixed<u64, u64>>();
}
