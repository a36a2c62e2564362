use memcore::DeviceCopy;

type Other<T> = Wrapper<T>;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(transparent)]
struct Wrapper<T>(T);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Aliased<T> {
    first: T,
    second: Other<T>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Row<const N: usize> {
    length: u32,
    values: [f32; N],
}

fn main() {}
