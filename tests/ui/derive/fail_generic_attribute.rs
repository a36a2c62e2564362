use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::replace_repr(C, align(16))]
#[repr(C)]
struct Pair<T> {
    first: T,
    second: T,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
#[memcore_test_macros::leave_alone]
struct Dense<T, U>(T, U);

#[derive(Clone, Copy, DeviceCopy)]
#[derive(Debug)]
#[repr(transparent)]
struct Wrapper<T>(T);

fn main() {}
