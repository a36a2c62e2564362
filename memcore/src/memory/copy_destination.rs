//! Copies as traits, for code that is generic over what it copies to.

use super::operand::{DeviceDestination, DeviceSource, HostDestination, HostSource, ToDestination, ToSource};
use super::pair::{Pair, RawPair};
use super::{
    DeviceBox, DeviceBuffer, DeviceCopy, DeviceSlice, LockedBox, LockedBuffer, RegisteredBuffer, UnifiedBox,
    UnifiedBuffer,
};
use crate::copy::Order;
use crate::error::Result;
use crate::stream::Stream;
use bytemuck::AnyBitPattern;

/// Device memory that can be copied to and from an `O`: host memory or other device memory. Every copy is complete on
/// return.
///
/// [`DeviceSlice`], [`DeviceBuffer`] and [`DeviceBox`] implement it for `[T]`, `Vec<T>`, `[T; N]`, `Box<[T]>`, the
/// page-locked, registered and unified owners, and each other; `DeviceBox` also for `T`. It is sealed. Where the types are known,
/// [`copy!`](crate::copy) says the same.
///
/// ```
/// use memcore::memory::CopyDestination;
/// use memcore::prelude::*;
///
/// fn swap_in<D: CopyDestination<[f32]>>(dev: &mut D, old: &mut [f32], new: &[f32]) -> memcore::Result<()> {
///     dev.copy_to(old)?;
///     dev.copy_from(new)
/// }
///
/// let mut dev = device_vec![1.0f32, 2.0]?;
/// let mut old = [0.0; 2];
/// swap_in(&mut dev, &mut old, &[3.0, 4.0])?;
/// assert_eq!((old, dev.to_vec()?), ([1.0, 2.0], vec![3.0, 4.0]));
/// # Ok::<(), memcore::Error>(())
/// ```
pub trait CopyDestination<O: ?Sized>: sealed::Sealed<O> {
    /// Copies all of `source` into `self`.
    ///
    /// # Errors
    ///
    /// Those of [`copy!`](crate::copy).
    #[track_caller]
    fn copy_from(&mut self, source: &O) -> Result<()>;

    /// Copies all of `self` into `destination`.
    ///
    /// # Errors
    ///
    /// Those of [`copy!`](crate::copy).
    #[track_caller]
    fn copy_to(&self, destination: &mut O) -> Result<()>;
}

/// Device memory that can be copied to and from an `O` asynchronously. No copy waits.
///
/// Implemented for the types that [`CopyDestination`] is, as far as any bytes that come to the host are values
/// ([`AnyBitPattern`](https://docs.rs/bytemuck/1/bytemuck/trait.AnyBitPattern.html)). It is sealed.
///
/// # Safety
///
/// Of each method: until the copy is known to be complete (the stream has been synchronised, or an event behind it has)
/// both sides stay allocated, nothing writes the source, and nothing reads or writes the destination. An error of the
/// wait proves nothing.
///
/// ```
/// use memcore::memory::AsyncCopyDestination;
/// use memcore::prelude::*;
///
/// let stream = Stream::new()?;
/// let source = locked_vec![5u8; 100]?;
/// let mut dev = device_vec![0u8; 100]?;
/// // SAFETY: both live, unused, until the wait has succeeded.
/// unsafe { dev.async_copy_from(&source[..], &stream)? };
/// stream.synchronize()?;
/// assert_eq!(dev.to_vec()?, [5; 100]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub unsafe trait AsyncCopyDestination<O: ?Sized>: sealed::Sealed<O> {
    /// Queues a copy of all of `source` into `self` on `stream`.
    ///
    /// # Errors
    ///
    /// Those of the asynchronous form of [`copy!`](crate::copy).
    ///
    /// # Safety
    ///
    /// See the trait's page.
    #[track_caller]
    unsafe fn async_copy_from(&mut self, source: &O, stream: &Stream) -> Result<()>;

    /// Queues a copy of all of `self` into `destination` on `stream`.
    ///
    /// # Errors
    ///
    /// Those of the asynchronous form of [`copy!`](crate::copy).
    ///
    /// # Safety
    ///
    /// See the trait's page.
    #[track_caller]
    unsafe fn async_copy_to(&self, destination: &mut O, stream: &Stream) -> Result<()>;
}

mod sealed {
    pub trait Sealed<O: ?Sized> {}
}

macro_rules! copy_destination {
    ($device:ident: $([$($generics:tt)*] $other:ty, $source:ident, $destination:ident $(, $checked:ident)?;)*) => {$(
        impl<T, $($generics)*> sealed::Sealed<$other> for $device<T> {}

        impl<T: DeviceCopy, $($generics)*> CopyDestination<$other> for $device<T> {
            fn copy_from(&mut self, source: &$other) -> Result<()> {
                let source: $source<'_, T> = source.__as_copy_source();
                self.__as_copy_destination().copy(source, Order::Now)
            }

            fn copy_to(&self, destination: &mut $other) -> Result<()> {
                let destination: $destination<'_, T> = destination.__as_copy_destination();
                destination.copy(self.__as_copy_source(), Order::Now)
            }
        }

        // SAFETY: the methods' contract is the raw copies' own.
        unsafe impl<T: DeviceCopy $(+ $checked)?, $($generics)*> AsyncCopyDestination<$other> for $device<T> {
            unsafe fn async_copy_from(&mut self, source: &$other, stream: &Stream) -> Result<()> {
                let source: $source<'_, T> = source.__as_copy_source();
                // SAFETY: the caller's contract.
                unsafe { self.__as_copy_destination().copy_raw(source, stream) }
            }

            unsafe fn async_copy_to(&self, destination: &mut $other, stream: &Stream) -> Result<()> {
                let destination: $destination<'_, T> = destination.__as_copy_destination();
                // SAFETY: the caller's contract.
                unsafe { destination.copy_raw(self.__as_copy_source(), stream) }
            }
        }
    )*};
}

macro_rules! copy_destinations {
    ($($device:ident),*) => {$(
        copy_destination! {
            $device:
            [] [T], HostSource, HostDestination, AnyBitPattern;
            [] Vec<T>, HostSource, HostDestination, AnyBitPattern;
            [const N: usize] [T; N], HostSource, HostDestination, AnyBitPattern;
            [] Box<[T]>, HostSource, HostDestination, AnyBitPattern;
            [] LockedBuffer<T>, HostSource, HostDestination, AnyBitPattern;
            [] LockedBox<T>, HostSource, HostDestination, AnyBitPattern;
            [] RegisteredBuffer<T>, HostSource, HostDestination, AnyBitPattern;
            [] UnifiedBuffer<T>, HostSource, HostDestination, AnyBitPattern;
            [] UnifiedBox<T>, HostSource, HostDestination, AnyBitPattern;
            [] DeviceSlice<T>, DeviceSource, DeviceDestination;
            [] DeviceBuffer<T>, DeviceSource, DeviceDestination;
            [] DeviceBox<T>, DeviceSource, DeviceDestination;
        }
    )*};
}

copy_destinations!(DeviceSlice, DeviceBuffer, DeviceBox);

impl<T> sealed::Sealed<T> for DeviceBox<T> {}

/// A box holds one value, and so does a reference to one.
impl<T: DeviceCopy> CopyDestination<T> for DeviceBox<T> {
    fn copy_from(&mut self, source: &T) -> Result<()> {
        CopyDestination::<[T]>::copy_from(self, core::slice::from_ref(source))
    }

    fn copy_to(&self, destination: &mut T) -> Result<()> {
        CopyDestination::<[T]>::copy_to(self, core::slice::from_mut(destination))
    }
}

// SAFETY: the methods' contract is the raw copies' own.
unsafe impl<T: DeviceCopy + AnyBitPattern> AsyncCopyDestination<T> for DeviceBox<T> {
    unsafe fn async_copy_from(&mut self, source: &T, stream: &Stream) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { AsyncCopyDestination::<[T]>::async_copy_from(self, core::slice::from_ref(source), stream) }
    }

    unsafe fn async_copy_to(&self, destination: &mut T, stream: &Stream) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { AsyncCopyDestination::<[T]>::async_copy_to(self, core::slice::from_mut(destination), stream) }
    }
}
