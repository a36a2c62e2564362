//! The buffers that a transfer can own.

use core::mem::ManuallyDrop;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use crate::memory::{DeviceBuffer, DeviceCopy, LockedBuffer, RegisteredBuffer, UnifiedBuffer};

/// A buffer taken apart for the time that the device works on it: not a live `Box` or `Vec`, whose moves would claim
/// that nobody else uses the memory.
///
/// # Safety
///
/// The elements stay where [`place`](Self::place) says, whatever happens to the parts, until they are put together
/// again.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a transfer cannot own a `{Self}`",
    label = "no owner of memory that stays where it is",
    note = "a transfer owns its host memory: pass a `Vec`, `Box<[T]>`, `LockedBuffer` or `UnifiedBuffer`"
)]
pub unsafe trait Owned: sealed::Sealed + Send + 'static {
    /// The element type.
    type Element;
    /// The buffer taken apart. Dropping it frees nothing: it is dropped where the device may still work on the memory.
    type Parts: Send;

    /// Takes it apart.
    fn take_apart(self) -> Self::Parts;

    /// Puts it together again.
    ///
    /// # Safety
    ///
    /// The parts are of [`take_apart`](Self::take_apart), put together once, and the device is done with them.
    unsafe fn put_together(parts: Self::Parts) -> Self;

    /// The first element's address, and the number of elements.
    fn place(parts: &mut Self::Parts) -> (u64, usize);
}

/// Host memory that an upload can own: [`LockedBuffer`], [`RegisteredBuffer`], [`UnifiedBuffer`], `Vec`, `Box<[T]>`, and an [`Arc`] of any of
/// them, which is read and may be shared.
///
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "an upload cannot own a `{Self}`",
    label = "no owner of host memory that stays where it is",
    note = "a transfer owns its host memory: pass a `Vec`, `Box<[T]>`, `LockedBuffer` or `UnifiedBuffer`, or an `Arc` of one",
    note = "borrowed memory goes into a scope: `stream.scope(|scope| copy!(d <- s, scope))`"
)]
pub trait TransferSource: Owned {}

/// Host memory that a download can own: [`LockedBuffer`], [`RegisteredBuffer`], [`UnifiedBuffer`], `Vec` and `Box<[T]>`, of elements that any
/// bytes are.
///
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "a download cannot own a `{Self}`",
    label = "no owner of host memory that stays where it is",
    note = "a transfer owns its host memory: pass a `Vec`, `Box<[T]>`, `LockedBuffer` or `UnifiedBuffer`",
    note = "borrowed memory goes into a scope: `stream.scope(|scope| copy!(d <- s, scope))`"
)]
pub trait TransferDestination: Owned {}

mod sealed {
    pub trait Sealed {}
}

/// Owners that hold a raw pointer, and can be moved while the device works on what it points to.
macro_rules! movable {
    ($($buffer:ident),*) => {$(
        impl<T> sealed::Sealed for $buffer<T> {}

        // SAFETY: a move of the owner neither moves the elements nor claims them.
        unsafe impl<T: Send + 'static> Owned for $buffer<T> {
            type Element = T;
            type Parts = ManuallyDrop<Self>;

            fn take_apart(self) -> Self::Parts {
                ManuallyDrop::new(self)
            }

            unsafe fn put_together(parts: Self::Parts) -> Self {
                ManuallyDrop::into_inner(parts)
            }

            fn place(parts: &mut Self::Parts) -> (u64, usize) {
                (parts.elements_address(), parts.as_slice().len())
            }
        }
    )*};
}

/// Where the owner's elements are.
trait Place {
    fn elements_address(&mut self) -> u64;
}

impl<T> Place for DeviceBuffer<T> {
    fn elements_address(&mut self) -> u64 {
        self.as_device_ptr().as_raw()
    }
}

impl<T> Place for LockedBuffer<T> {
    fn elements_address(&mut self) -> u64 {
        self.as_mut_ptr().expose_provenance() as u64
    }
}

impl<T> Place for RegisteredBuffer<T> {
    fn elements_address(&mut self) -> u64 {
        self.as_mut_ptr().expose_provenance() as u64
    }
}

impl<T> Place for UnifiedBuffer<T> {
    fn elements_address(&mut self) -> u64 {
        self.as_mut_ptr().expose_provenance() as u64
    }
}

movable!(DeviceBuffer, LockedBuffer, RegisteredBuffer, UnifiedBuffer);

/// A `Vec` taken apart, or a `Box<[T]>`, whose capacity is its length.
#[derive(Debug)]
pub struct VecParts<T> {
    pointer: *mut T,
    len: usize,
    capacity: usize,
}

// SAFETY: the parts own the elements, as the `Vec` did.
unsafe impl<T: Send> Send for VecParts<T> {}

impl<T> sealed::Sealed for Vec<T> {}

// SAFETY: the elements are on the heap, and nothing claims them until the `Vec` is put together again.
unsafe impl<T: Send + 'static> Owned for Vec<T> {
    type Element = T;
    type Parts = VecParts<T>;

    fn take_apart(self) -> VecParts<T> {
        let mut vec = ManuallyDrop::new(self);
        VecParts { pointer: vec.as_mut_ptr(), len: vec.len(), capacity: vec.capacity() }
    }

    unsafe fn put_together(parts: VecParts<T>) -> Self {
        // SAFETY: by the caller's contract these are a `Vec`'s own parts, put together once.
        unsafe { Vec::from_raw_parts(parts.pointer, parts.len, parts.capacity) }
    }

    fn place(parts: &mut VecParts<T>) -> (u64, usize) {
        (parts.pointer.expose_provenance() as u64, parts.len)
    }
}

impl<T> sealed::Sealed for Box<[T]> {}

// SAFETY: as for a `Vec`, which it becomes meanwhile.
unsafe impl<T: Send + 'static> Owned for Box<[T]> {
    type Element = T;
    type Parts = VecParts<T>;

    fn take_apart(self) -> VecParts<T> {
        self.into_vec().take_apart()
    }

    unsafe fn put_together(parts: VecParts<T>) -> Self {
        // SAFETY: the caller's contract.
        unsafe { Vec::put_together(parts) }.into_boxed_slice()
    }

    fn place(parts: &mut VecParts<T>) -> (u64, usize) {
        Vec::place(parts)
    }
}

impl<B: SharedBuffer> sealed::Sealed for Arc<B> {}

/// What an [`Arc`] may hold: buffers whose elements do not move while they are only read. Sealed, since a program's own
/// `AsRef` could give other elements each time.
#[doc(hidden)]
pub trait SharedBuffer: sealed::Sealed + AsRef<[Self::Element]> + Send + Sync + 'static {
    /// The element type.
    type Element;
}

impl<T: Send + Sync + 'static> SharedBuffer for Vec<T> {
    type Element = T;
}

impl<T: Send + Sync + 'static> SharedBuffer for Box<[T]> {
    type Element = T;
}

impl<T: Send + Sync + 'static> SharedBuffer for LockedBuffer<T> {
    type Element = T;
}

impl<T: Send + Sync + 'static> SharedBuffer for RegisteredBuffer<T> {
    type Element = T;
}

// SAFETY: while the reference is held nobody has the buffer mutably, so that its elements stay and are only read; and
// it is held until it is put together, since parts that are dropped do not let it go.
unsafe impl<B: SharedBuffer> Owned for Arc<B> {
    type Element = B::Element;
    type Parts = ManuallyDrop<Self>;

    fn take_apart(self) -> Self::Parts {
        ManuallyDrop::new(self)
    }

    unsafe fn put_together(parts: Self::Parts) -> Self {
        ManuallyDrop::into_inner(parts)
    }

    fn place(parts: &mut Self::Parts) -> (u64, usize) {
        let elements = (***parts).as_ref();
        (elements.as_ptr().expose_provenance() as u64, elements.len())
    }
}

impl<T: DeviceCopy + Send> TransferSource for LockedBuffer<T> {}
impl<T: DeviceCopy + Send> TransferSource for RegisteredBuffer<T> {}
impl<T: DeviceCopy + Send> TransferSource for UnifiedBuffer<T> {}
impl<T: DeviceCopy + Send> TransferSource for Vec<T> {}
impl<T: DeviceCopy + Send> TransferSource for Box<[T]> {}
impl<B: SharedBuffer> TransferSource for Arc<B> where B::Element: DeviceCopy {}

impl<T: DeviceCopy + AnyBitPattern + Send> TransferDestination for LockedBuffer<T> {}
impl<T: DeviceCopy + AnyBitPattern + Send> TransferDestination for RegisteredBuffer<T> {}
impl<T: DeviceCopy + AnyBitPattern + Send> TransferDestination for UnifiedBuffer<T> {}
impl<T: DeviceCopy + AnyBitPattern + Send> TransferDestination for Vec<T> {}
impl<T: DeviceCopy + AnyBitPattern + Send> TransferDestination for Box<[T]> {}
