use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Particle {
    id: u32,
    kind: u8,
    position: [f32; 3],
}

fn main() {}
