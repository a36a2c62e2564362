use memcore::DeviceCopy;

#[derive(Clone, Copy)]
#[repr(transparent)]
struct PhantomData<T>(T);

unsafe impl<T: memcore::bytemuck::Zeroable> memcore::bytemuck::Zeroable for PhantomData<T> {}
unsafe impl<T: memcore::bytemuck::Pod> memcore::bytemuck::Pod for PhantomData<T> {}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Tagged<T, U> {
    value: T,
    tag: PhantomData<U>,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct OfOneType<T> {
    value: u8,
    tag: PhantomData<T>,
}

fn main() {}
