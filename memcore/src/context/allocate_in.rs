//! Where device memory is made.

use super::Context;
use super::pool::MemoryPool;

/// Where device memory can be made: in a [`Context`], whose own pool it then comes from, or from a [`MemoryPool`].
///
/// Sealed: what the constructors of [`DeviceBuffer`](crate::DeviceBuffer) and [`DeviceBox`](crate::DeviceBox) take that have
/// `_in` in their names, and `device_vec![in …]` and `device_box![in …]`. Memory of other kinds is not from a pool, and its
/// constructors take a [`Context`].
#[diagnostic::on_unimplemented(
    message = "device memory cannot be made in a `{Self}`",
    label = "neither a context nor a memory pool",
    note = "in the order of a stream: `DeviceBuffer::uninitialized_on(&stream, len)`, or in a scope `scope.device_vec(len)`"
)]
pub trait AllocateIn: sealed::Sealed {
    /// The context, and the pool if it is not the context's own.
    #[doc(hidden)]
    fn __heap(&self) -> Heap<'_>;
}

/// A context, and the pool if it is not the context's own.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Heap<'p> {
    pub(crate) context: &'p Context,
    pub(crate) pool: Option<&'p MemoryPool>,
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Context {}
    impl Sealed for super::MemoryPool {}
    impl<P: Sealed + ?Sized> Sealed for &P {}
    impl<P: Sealed + ?Sized> Sealed for std::sync::Arc<P> {}
}

impl AllocateIn for Context {
    fn __heap(&self) -> Heap<'_> {
        Heap { context: self, pool: None }
    }
}

impl AllocateIn for MemoryPool {
    fn __heap(&self) -> Heap<'_> {
        Heap { context: self.context(), pool: Some(self) }
    }
}

impl<P: AllocateIn + ?Sized> AllocateIn for &P {
    fn __heap(&self) -> Heap<'_> {
        (**self).__heap()
    }
}

impl<P: AllocateIn + ?Sized> AllocateIn for std::sync::Arc<P> {
    fn __heap(&self) -> Heap<'_> {
        (**self).__heap()
    }
}
