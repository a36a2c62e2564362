//! The layouts of the types that every program has.

use core::{
    marker::PhantomData,
    num::{
        NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64,
        NonZeroUsize, Wrapping,
    },
};

use super::{DeviceLayout, Kind, Layout};
use crate::memory::{DevicePointer, UnifiedPointer};

/// What C spells the target of a pointer about which it knows nothing.
const VOID: &str = "void";

/// Implements the trait for numbers: how C spells each.
macro_rules! numbers {
    ($($number:ident $(| $same:ty)*: $spelling:literal;)*) => {$(
        numbers!(@one $number, $number, $spelling);
        $(numbers!(@one $same, $number, $spelling);)*
    )*};
    (@one $ty:ty, $number:ident, $spelling:literal) => {
        // SAFETY: the number, or one of the same layout.
        unsafe impl DeviceLayout for $ty {
            fn name() -> String {
                stringify!($number).to_owned()
            }

            fn layout() -> Layout {
                Layout::new(Self::name(), size_of::<Self>(), align_of::<Self>(), Kind::Scalar($spelling))
            }

            fn pointee() -> String {
                $spelling.to_owned()
            }
        }
    };
}

numbers! {
    i8 | NonZeroI8 | Option<NonZeroI8>: "signed char";
    u8 | NonZeroU8 | Option<NonZeroU8>: "unsigned char";
    i16 | NonZeroI16 | Option<NonZeroI16>: "short";
    u16 | NonZeroU16 | Option<NonZeroU16>: "unsigned short";
    i32 | NonZeroI32 | Option<NonZeroI32>: "int";
    u32 | NonZeroU32 | Option<NonZeroU32>: "unsigned int";
    i64 | NonZeroI64 | Option<NonZeroI64>: "long long";
    u64 | NonZeroU64 | Option<NonZeroU64>: "unsigned long long";
    isize | NonZeroIsize | Option<NonZeroIsize>: "long long";
    usize | NonZeroUsize | Option<NonZeroUsize>: "unsigned long long";
    f32: "float";
    f64: "double";
    bool: "bool";
    char: "unsigned int";
}

/// Implements the trait for types that are some bytes to C.
macro_rules! bytes {
    ($($ty:ident),*) => {$(
        // SAFETY: of the type, its size and its alignment.
        unsafe impl DeviceLayout for $ty {
            fn name() -> String {
                stringify!($ty).to_owned()
            }

            fn layout() -> Layout {
                Layout { name: Self::name(), ..Layout::bytes::<Self>() }
            }

            fn pointee() -> String {
                VOID.to_owned()
            }
        }
    )*};
}

bytes!(i128, u128);

// SAFETY: `repr(transparent)`.
unsafe impl<T: DeviceLayout> DeviceLayout for Wrapping<T> {
    fn name() -> String {
        T::name()
    }

    fn layout() -> Layout {
        T::layout()
    }

    fn pointee() -> String {
        T::pointee()
    }
}

// SAFETY: elements one after the other.
unsafe impl<T: DeviceLayout, const N: usize> DeviceLayout for [T; N] {
    fn name() -> String {
        format!("{}x{N}", T::name())
    }

    fn layout() -> Layout {
        let element = Box::new(T::layout());
        Layout::new(Self::name(), size_of::<Self>(), align_of::<Self>(), Kind::Array(element, N))
    }

    fn pointee() -> String {
        VOID.to_owned()
    }
}

// SAFETY: no bytes.
unsafe impl<T: ?Sized> DeviceLayout for PhantomData<T> {
    fn name() -> String {
        "PhantomData".to_owned()
    }

    fn layout() -> Layout {
        Layout::bytes::<Self>()
    }

    fn pointee() -> String {
        VOID.to_owned()
    }
}

// SAFETY: no bytes.
unsafe impl DeviceLayout for () {
    fn name() -> String {
        "void".to_owned()
    }

    fn layout() -> Layout {
        Layout::bytes::<Self>()
    }

    fn pointee() -> String {
        VOID.to_owned()
    }
}

/// Implements the trait for pointers. They ask for the name alone of what they point at: it may hold such a pointer.
macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        // SAFETY: one address of 64 bits.
        unsafe impl<T: DeviceLayout> DeviceLayout for $pointer<T> {
            fn name() -> String {
                format!("{}_pointer", T::name())
            }

            fn layout() -> Layout {
                let (size, align) = (size_of::<Self>(), align_of::<Self>());
                Layout::new(Self::name(), size, align, Kind::Pointer(T::pointee()))
            }

            fn pointee() -> String {
                format!("{}*", T::pointee())
            }
        }
    )*};
}

pointers!(DevicePointer, UnifiedPointer);
