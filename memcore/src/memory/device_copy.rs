//! What may be copied to and from a device.

use core::any::TypeId;

use bytemuck::{CheckedBitPattern, NoUninit};

/// Types whose values are plain device data: every byte is initialised, nothing points into the host, and the bytes
/// that come back are checked where not every one is a value.
///
/// There is one blanket implementation: every type with bytemuck's [`NoUninit`] and [`CheckedBitPattern`] is
/// `DeviceCopy`, so the number types, arrays of them and every [`Pod`](bytemuck::Pod) type of any crate are. Implement
/// it for a struct with [`#[derive(DeviceCopy)]`](macro@crate::DeviceCopy).
///
/// | what it rules out | why | write instead |
/// |---|---|---|
/// | padding | uninitialised bytes would be uploaded, and a kernel's struct may differ | a named `[u8; N]` field |
/// | references, pointers, `Box`, `Vec`, `String` | a host address means nothing on the device | [`DevicePointer`](crate::DevicePointer) |
/// | `repr(Rust)` structs | field order and padding are the compiler's choice | `#[repr(C)]` |
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
