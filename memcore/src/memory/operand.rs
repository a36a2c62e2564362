//! The operands of copies: what each kind of memory becomes before a copy is dispatched on the pair.
//!
//! Macros turn an operand into one of these by method autoref (`(expr).__as_copy_source()`), so that an owner, a
//! reference, a slice or a temporary all do, and each expression is evaluated once.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::device::{DeviceBox, DeviceBuffer};
use super::host::{LockedBox, LockedBuffer, RegisteredBuffer, UnifiedBox, UnifiedBuffer};
use super::slice::DeviceSlice;
use crate::copy::HostKind;

/// Host memory that is read.
#[derive(Debug)]
pub struct HostSource<'a, T> {
    slice: &'a [T],
    kind: HostKind,
}

/// Host memory that is written, initialised or not.
#[derive(Debug)]
pub struct HostDestination<'a, T> {
    // INVARIANT: valid for writes of `len` elements for `'a`, by this alone.
    pointer: *mut T,
    len: usize,
    kind: HostKind,
    marker: PhantomData<&'a mut [T]>,
}

/// Device memory that is read.
#[derive(Debug)]
pub struct DeviceSource<'a, T> {
    slice: &'a DeviceSlice<T>,
}

/// Device memory that is written.
#[derive(Debug)]
pub struct DeviceDestination<'a, T> {
    slice: &'a mut DeviceSlice<T>,
}

impl<'a, T> HostSource<'a, T> {
    pub(crate) fn slice(&self) -> &'a [T] {
        self.slice
    }

    pub(crate) fn kind(&self) -> HostKind {
        self.kind
    }

    /// The address, exposed to the device.
    pub(crate) fn address(&self) -> u64 {
        self.slice.as_ptr().expose_provenance() as u64
    }
}

impl<'a, T> HostDestination<'a, T> {
    pub(crate) fn of(slice: &'a mut [T], kind: HostKind) -> Self {
        Self { pointer: slice.as_mut_ptr(), len: slice.len(), kind, marker: PhantomData }
    }

    pub(crate) fn of_uninit(slice: &'a mut [MaybeUninit<T>]) -> Self {
        let len = slice.len();
        Self { pointer: slice.as_mut_ptr().cast(), len, kind: HostKind::Unknown, marker: PhantomData }
    }

    /// Writes `value` to every element.
    pub(crate) fn fill(self, value: T)
    where
        T: Copy,
    {
        if size_of::<T>() == 0 {
            return; // `len` may be astronomical.
        }
        // SAFETY: by the invariant there is room for `len` elements, used by this alone.
        let room = unsafe { core::slice::from_raw_parts_mut(self.pointer.cast::<MaybeUninit<T>>(), self.len) };
        room.fill(MaybeUninit::new(value));
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn kind(&self) -> HostKind {
        self.kind
    }

    pub(crate) fn as_mut_ptr(&self) -> *mut T {
        self.pointer
    }

    /// The address, exposed to the device.
    pub(crate) fn address(&self) -> u64 {
        self.pointer.expose_provenance() as u64
    }
}

impl<'a, T> HostDestination<'a, MaybeUninit<T>> {
    /// The same memory, as one of elements to be written.
    pub(crate) fn of_elements(self) -> HostDestination<'a, T> {
        HostDestination { pointer: self.pointer.cast(), len: self.len, kind: self.kind, marker: PhantomData }
    }
}

impl<'a, T> DeviceSource<'a, T> {
    pub(crate) fn new(slice: &'a DeviceSlice<T>) -> Self {
        Self { slice }
    }

    pub(crate) fn slice(&self) -> &'a DeviceSlice<T> {
        self.slice
    }
}

impl<'a, T> DeviceDestination<'a, T> {
    pub(crate) fn new(slice: &'a mut DeviceSlice<T>) -> Self {
        Self { slice }
    }

    pub(crate) fn address(&self) -> u64 {
        self.slice.address()
    }

    pub(crate) fn len(&self) -> usize {
        self.slice.len()
    }

    pub(crate) fn into_slice(self) -> &'a mut DeviceSlice<T> {
        self.slice
    }
}

/// What can stand right of `<-`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the source of a copy",
    label = "neither host memory (`[T]`, array, `Vec`, `LockedBuffer`, `RegisteredBuffer`, `UnifiedBuffer`), nor device memory, a view or an `ArrayObject`"
)]
pub trait ToSource {
    /// The operand it becomes.
    type Source;
    /// Makes it.
    fn __as_copy_source(self) -> Self::Source;
}

/// What can stand left of `<-`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the destination of a copy",
    label = "neither mutable host memory (`[T]`, array, `Vec`, `LockedBuffer`, `RegisteredBuffer`, `UnifiedBuffer`), nor mutable device memory, view or `ArrayObject`"
)]
pub trait ToDestination {
    /// The operand it becomes.
    type Destination;
    /// Makes it.
    fn __as_copy_destination(self) -> Self::Destination;
}

/// As [`ToDestination`], of a value that is left of `<-`: a view stands for its memory as long as that is borrowed, and
/// not as long as itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the destination of a copy",
    label = "neither mutable host memory (`[T]`, array, `Vec`, `LockedBuffer`, `RegisteredBuffer`, `UnifiedBuffer`), nor mutable device memory, view or `ArrayObject`"
)]
pub trait IntoDestination {
    /// The operand it becomes.
    type Destination;
    /// Makes it.
    fn __into_copy_destination(self) -> Self::Destination;
}

impl<'a, M: ?Sized> IntoDestination for &'a mut M
where
    &'a mut M: ToDestination,
{
    type Destination = <&'a mut M as ToDestination>::Destination;

    fn __into_copy_destination(self) -> Self::Destination {
        self.__as_copy_destination()
    }
}

macro_rules! host_operands {
    ($([$($generics:tt)*] $type:ty, $kind:ident;)*) => {$(
        impl<'a, $($generics)*> ToSource for &'a $type {
            type Source = HostSource<'a, T>;

            fn __as_copy_source(self) -> Self::Source {
                HostSource { slice: self, kind: HostKind::$kind }
            }
        }

        impl<'a, $($generics)*> ToDestination for &'a mut $type {
            type Destination = HostDestination<'a, T>;

            fn __as_copy_destination(self) -> Self::Destination {
                HostDestination::of(self, HostKind::$kind)
            }
        }
    )*};
}

host_operands! {
    [T] [T], Unknown;
    [T] Vec<T>, Unknown;
    [T] Box<[T]>, Unknown;
    [T, const N: usize] [T; N], Unknown;
    [T] LockedBuffer<T>, HostVisible;
    [T] RegisteredBuffer<T>, HostVisible;
    [T] UnifiedBuffer<T>, HostVisible;
}

macro_rules! host_boxes {
    ($($type:ident),*) => {$(
        impl<'a, T> ToSource for &'a $type<T> {
            type Source = HostSource<'a, T>;

            fn __as_copy_source(self) -> Self::Source {
                HostSource { slice: core::slice::from_ref(self), kind: HostKind::HostVisible }
            }
        }

        impl<'a, T> ToDestination for &'a mut $type<T> {
            type Destination = HostDestination<'a, T>;

            fn __as_copy_destination(self) -> Self::Destination {
                HostDestination::of(core::slice::from_mut(self), HostKind::HostVisible)
            }
        }
    )*};
}

host_boxes!(LockedBox, UnifiedBox);

macro_rules! device_operands {
    ($($type:ident),*) => {$(
        impl<'a, T> ToSource for &'a $type<T> {
            type Source = DeviceSource<'a, T>;

            fn __as_copy_source(self) -> Self::Source {
                DeviceSource { slice: self }
            }
        }

        impl<'a, T> ToDestination for &'a mut $type<T> {
            type Destination = DeviceDestination<'a, T>;

            fn __as_copy_destination(self) -> Self::Destination {
                DeviceDestination { slice: self }
            }
        }
    )*};
}

device_operands!(DeviceSlice, DeviceBuffer, DeviceBox);
