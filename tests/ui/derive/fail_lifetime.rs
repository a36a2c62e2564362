use memcore::DeviceCopy;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct View<'a> {
    data: &'a [f32],
    length: usize,
}

fn main() {}
