//! What a view can be of.

use crate::memory::DeviceSlice;

/// A reference to memory that a [`View`](super::View) can stand for: to a [`DeviceSlice`], to an
/// [`ArrayObject`](crate::ArrayObject), to a host slice, or to [`Lent`](crate::Lent) memory.
///
/// # Safety
///
/// Sealed. The element type and the kind of memory are those of the reference.
pub unsafe trait ViewMemory: sealed::Sealed {
    /// The element type.
    type Element;

    /// The same reference for a shorter time, to be read.
    type Shared<'x>: ViewMemory<Element = Self::Element>
    where
        Self: 'x;

    /// Whether the host's addresses are meant.
    #[doc(hidden)]
    const IS_HOST: bool;
}

/// A mutable reference to memory that a [`View`](super::View) can stand for.
///
/// # Safety
///
/// Sealed.
pub unsafe trait ViewMemoryMut: ViewMemory {
    /// The same reference for a shorter time.
    type Exclusive<'x>: ViewMemoryMut<Element = Self::Element>
    where
        Self: 'x;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Writes what the shared and the mutable reference to a kind of memory are.
macro_rules! view_memory {
    ($([$($generics:tt)*] $life:lifetime, $memory:ty, $is_host:literal;)*) => {$(
        impl<$($generics)*> $crate::memory::view::sealed::Sealed for &$life $memory {}
        impl<$($generics)*> $crate::memory::view::sealed::Sealed for &$life mut $memory {}

        // SAFETY: the memory holds `T`s, and whether the host's addresses are meant is its kind's.
        unsafe impl<$($generics)*> $crate::memory::view::ViewMemory for &$life $memory {
            type Element = T;
            type Shared<'x> = &$life $memory where Self: 'x;
            const IS_HOST: bool = $is_host;
        }

        // SAFETY: the memory holds `T`s, and whether the host's addresses are meant is its kind's.
        unsafe impl<$($generics)*> $crate::memory::view::ViewMemory for &$life mut $memory {
            type Element = T;
            type Shared<'x> = &'x $memory where Self: 'x;
            const IS_HOST: bool = $is_host;
        }

        // SAFETY: an exclusive reference, and its reborrow is one.
        unsafe impl<$($generics)*> $crate::memory::view::ViewMemoryMut for &$life mut $memory {
            type Exclusive<'x> = &'x mut $memory where Self: 'x;
        }
    )*};
}
pub(crate) use view_memory;

view_memory! {
    ['a, T: 'a] 'a, DeviceSlice<T>, false;
    ['a, T: 'a] 'a, [T], true;
}
