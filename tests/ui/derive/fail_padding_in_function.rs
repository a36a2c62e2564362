use memcore::DeviceCopy;


fn main() {
    #[derive(Clone, Copy, DeviceCopy)]
    #[repr(C)]
    struct Local {
        kind: u8,
        key: u16,
    }
}
