#[repr(C)]
union Bits {
    number: f32,
    integer: u32,
}
