#[repr(C)]
struct ByHand {
    position: glam::Vec3,
    mass: f32,
}
