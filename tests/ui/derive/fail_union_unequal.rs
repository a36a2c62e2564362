use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    integer: u32,
    small: u16,
    bytes: [u8; 3],
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(8))]
union Wide {
    integer: u32,
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Bits>();
}
