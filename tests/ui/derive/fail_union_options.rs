use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
union Checked {
    flag: bool,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Generic<T: Copy, U: Copy> {
    one: T,
    other: U,
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::leave_alone]
#[repr(C)]
union Edited {
    key: u32,
}

fn main() {}
