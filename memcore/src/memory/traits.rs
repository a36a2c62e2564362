//! What the memory types have in common, for code that is generic over them.

use super::{DeviceBox, DeviceBuffer, DevicePointer, DeviceSlice, DeviceVariable, UnifiedBox, UnifiedBuffer};

/// Memory that a device reaches: an address and a size.
///
/// Sealed: the device and unified owners, [`DeviceSlice`] and [`DeviceVariable`].
///
/// ```
/// use memcore::memory::DeviceMemory;
/// use memcore::prelude::*;
///
/// fn bytes(memory: &[&dyn DeviceMemory]) -> usize {
///     memory.iter().map(|one| one.size_in_bytes()).sum()
/// }
///
/// let (dev, unified) = (device_vec![1u32; 10]?, unified_box![2.0f64]?);
/// assert_eq!(bytes(&[&dev, &unified]), 48);
/// assert_eq!(dev.as_raw_ptr(), dev.as_device_ptr().as_raw());
/// # Ok::<(), memcore::Error>(())
/// ```
pub trait DeviceMemory: sealed::Sealed {
    /// The address of the first byte (a `CUdeviceptr`). Memory without bytes has an address too, which means nothing.
    fn as_raw_ptr(&self) -> u64;

    /// How many bytes there are.
    fn size_in_bytes(&self) -> usize;
}

/// One `T` that a device reaches.
///
/// Sealed: [`DeviceBox`] and [`UnifiedBox`].
pub trait GpuBox<T>: DeviceMemory + sealed::Of<T> {
    /// Where it is.
    fn as_device_ptr(&self) -> DevicePointer<T>;
}

/// An array of `T`s that a device reaches.
///
/// Sealed: [`DeviceBuffer`] and [`UnifiedBuffer`].
///
/// ```
/// use memcore::memory::GpuBuffer;
/// use memcore::prelude::*;
///
/// fn last<T>(buffer: &impl GpuBuffer<T>) -> Option<DevicePointer<T>> {
///     Some(buffer.as_device_ptr().add(buffer.len().checked_sub(1)?))
/// }
///
/// let dev = device_vec![1u16, 2, 3]?;
/// assert_eq!(last(&dev), Some(dev[2].as_device_ptr()));
/// # Ok::<(), memcore::Error>(())
/// ```
pub trait GpuBuffer<T>: DeviceMemory + sealed::Of<T> {
    /// Where the first element is.
    fn as_device_ptr(&self) -> DevicePointer<T>;

    /// How many elements there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

mod sealed {
    pub trait Sealed {}

    /// Memory of `T`s, and of nothing else.
    pub trait Of<T> {}
}

macro_rules! device_memory {
    ($($type:ident: |$memory:ident| $len:expr;)*) => {$(
        impl<T> sealed::Sealed for $type<T> {}

        impl<T> DeviceMemory for $type<T> {
            fn as_raw_ptr(&self) -> u64 {
                self.as_device_ptr().as_raw()
            }

            fn size_in_bytes(&self) -> usize {
                let $memory = self;
                $len * size_of::<T>()
            }
        }
    )*};
}

device_memory! {
    DeviceSlice: |slice| slice.len();
    DeviceBuffer: |buffer| buffer.as_slice().len();
    DeviceBox: |_box| 1;
    DeviceVariable: |_variable| 1;
    UnifiedBuffer: |buffer| buffer.as_slice().len();
    UnifiedBox: |_box| 1;
}

impl<T> sealed::Of<T> for DeviceBox<T> {}
impl<T> sealed::Of<T> for UnifiedBox<T> {}
impl<T> sealed::Of<T> for DeviceBuffer<T> {}
impl<T> sealed::Of<T> for UnifiedBuffer<T> {}

impl<T> GpuBox<T> for DeviceBox<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        (**self).as_device_ptr()
    }
}

impl<T> GpuBox<T> for UnifiedBox<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        self.as_device_ptr()
    }
}

impl<T> GpuBuffer<T> for DeviceBuffer<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        (**self).as_device_ptr()
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}

impl<T> GpuBuffer<T> for UnifiedBuffer<T> {
    fn as_device_ptr(&self) -> DevicePointer<T> {
        self.as_device_ptr()
    }

    fn len(&self) -> usize {
        (**self).len()
    }
}
