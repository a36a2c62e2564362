#[repr(C)]
struct Unit;
