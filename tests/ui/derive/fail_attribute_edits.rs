use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::replace_body(key: bool,)]
#[repr(C)]
struct AnotherType {
    key: u8,
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::replace_repr(C)]
#[repr(C, packed)]
struct Unpacked {
    kind: u8,
    key: u32,
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::replace_repr(Rust)]
#[repr(C)]
struct Reordered {
    kind: u8,
    key: u32,
    kinds: [u8; 3],
}

#[derive(Clone, Copy, DeviceCopy)]
#[memcore_test_macros::replace_repr(u32)]
#[repr(u8)]
enum Wider {
    First,
}

fn main() {}
