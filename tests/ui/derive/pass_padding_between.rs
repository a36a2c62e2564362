#![allow(dead_code)]

use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Particle {
    id: u32,
    kind: u8,
    _pad1: [u8; 3],
    position: [f32; 3],
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Particle>();
}
