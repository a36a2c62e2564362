#[repr(C)]
pub struct Particle {
    pub position: [f32; 3],
    pub(crate) mass: f32,
    r#type: Kind,
}
