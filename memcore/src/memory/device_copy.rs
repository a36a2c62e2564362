//! What may be copied to and from a device.

use core::any::TypeId;

use bytemuck::{CheckedBitPattern, NoUninit};

/// Types whose values are plain device data: every byte is initialised, nothing points into the host, and the bytes
/// that come back are checked where not every one is a value.
///
/// There is one blanket implementation: every type with bytemuck's
/// [`NoUninit`](https://docs.rs/bytemuck/1/bytemuck/trait.NoUninit.html) and
/// [`CheckedBitPattern`](https://docs.rs/bytemuck/1/bytemuck/checked/trait.CheckedBitPattern.html) is `DeviceCopy`, so the
/// number types, arrays of them and every [`Pod`](https://docs.rs/bytemuck/1/bytemuck/trait.Pod.html) type of any crate
/// are. Implement it for a struct with [`#[derive(DeviceCopy)]`](macro@crate::DeviceCopy).
///
/// # What may not be device data, and why
///
/// | rule | what it protects from | what to write instead |
/// |---|---|---|
/// | no padding: not between fields, not at the end, not from `align` | bytes between fields are uninitialised: reading them, as every upload does, is undefined behaviour; and a kernel that lays the struct out otherwise reads the wrong field | a field `_pad: [u8; N]` in each gap (the error gives its place and `N`), fields from the largest to the smallest, or `repr(C, packed)` |
/// | `repr(C)`, `repr(transparent)` or `repr(C, packed)` on a struct | without one the compiler orders the fields as it likes, and otherwise in its next version | `#[repr(C)]`; `#[repr(C, packed)]` in place of `packed` alone |
/// | no references, raw pointers, `Box`, `Vec`, `String`, `Rc`, `fn`, not behind an alias either | a host address means nothing on the device, and one that comes back may point anywhere | [`DevicePointer<T>`](crate::DevicePointer) to device memory, or the data itself: `[T; N]` |
/// | no lifetimes, no `str`, slices or trait objects as fields | data that is borrowed, or has no size, cannot be copied by its bytes | an owned value of a fixed size |
/// | no `MaybeUninit` | what it holds may be uninitialised, as padding is | the type inside it |
/// | no tuples | Rust may lay a tuple out in any order | a struct with `#[repr(C)]` and the derive |
/// | `bool`, `char`, `NonZero*`, enums and structs that hold them in checked structs only | a kernel may write a byte that is no `bool`: using it would be undefined behaviour | `#[device_copy(checked)]` above the struct, which checks it field by field when it comes back; or `u8`, `u32`, `Option<NonZero*>` |
/// | no `Option` but of `NonZero*`; no `Wrapping<bool>` | there is no telling which bytes are a value | a flag of its own beside the value |
/// | an enum has an integer `repr` and no data | the compiler would choose its size; with data, variants differ in size and leave padding | `#[repr(u32)]`; the data in a struct, beside an enum without any |
/// | the fields of a union are plain and have one size | what a smaller field leaves out is uninitialised, and nothing tells which field to check | a struct that fills the smaller field up with a `[u8; N]` |
/// | a struct with parameters has no padding whatever they are: all fields `T` or `[T; N]`, or `transparent`, or `repr(C, packed)` | the derive judges the struct once, and `Mixed<u8, u32>` would have a gap that `Mixed<f32, u32>` has not | `#[device_copy(instances(Mixed<f32, u32>))]`: each is judged by itself |
/// | no attribute macro below the derive on a union or a struct with parameters | it could edit what the derive has judged; everywhere else the compiler is asked about the outcome | the derive below the attribute; `#[device_copy(inert(name))]` for an attribute that another derive reads |
/// | `Copy`, and so no `Drop` | a copy of the bytes is a copy of the value | `#[derive(Clone, Copy, DeviceCopy)]` |
///
/// Arrays of plain data are device data, of any length and depth. Arrays of checked data are so as fields alone: there is
/// no `DeviceBuffer<[bool; 4]>`, but one of a checked struct that holds a `[bool; 4]`, or of `bool` with four times the
/// length. [`Wrapping`](core::num::Wrapping), [`PhantomData`](core::marker::PhantomData) of any type, and the `Pod` types
/// of other crates, such as `glam::Vec3`, `half::f16`, `num_complex::Complex` and nalgebra's matrices (with their feature
/// `bytemuck`), are plain data.
///
/// Bytes that are no value are an [`Error::InvalidValue`](crate::Error::InvalidValue) with the element's index and the path
/// of the field in it; nothing of them reaches the destination.
///
/// # Safety
///
/// An implementer has no padding and no host pointers; its `Bits` describe every byte. The blanket implementation
/// leaves no room for another.
///
/// # Examples
///
/// ```
/// use memcore::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// let particle = Particle { position: [1.0, 2.0, 3.0], mass: 0.5 };
/// let dev = device_vec![particle; 100]?;
/// assert_eq!(dev[99..].to_vec()?, [particle]);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// Data that is checked when it comes back:
///
/// ```
/// use memcore::{Error, prelude::*};
///
/// #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
/// #[repr(u8)]
/// enum Kind {
///     Star,
///     Planet,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
/// #[device_copy(checked)]
/// #[repr(C)]
/// struct Body {
///     kind: Kind,
///     visible: [bool; 3],
/// }
///
/// // A kernel wrote a 2 where a `bool` was meant.
/// let dev = device_vec![0u8, 1, 1, 1, 1, 0, 2, 0]?;
/// let error = dev.view_as::<Body>()?.to_vec().unwrap_err();
/// assert!(matches!(error, Error::InvalidValue { index: 1, field: Some(path), .. } if path == "visible[1]"));
/// # Ok::<(), memcore::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to or from a CUDA device",
    label = "not plain device data",
    note = "for a struct of your own: `#[derive(Clone, Copy, DeviceCopy)] #[repr(C)]`"
)]
pub unsafe trait DeviceCopy: NoUninit + CheckedBitPattern + Copy + 'static {}

// SAFETY: `NoUninit` rules out padding and host pointers, and `CheckedBitPattern` brings the `Bits`.
#[diagnostic::do_not_recommend]
unsafe impl<T: NoUninit + CheckedBitPattern + Copy + 'static> DeviceCopy for T {}

/// Whether any bytes are a `T`, so that a download needs no check.
pub(crate) fn is_any_bit_pattern<T: DeviceCopy>() -> bool {
    TypeId::of::<T>() == TypeId::of::<T::Bits>()
}
