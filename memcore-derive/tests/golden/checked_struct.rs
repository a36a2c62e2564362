#[device_copy(checked)]
#[repr(C)]
struct Record {
    flags: [bool; 4],
    letter: char,
}
