//! What a device can be asked for by number.

/// A property of a device, by the driver's number (`CUdevice_attribute`).
///
/// A newtype and not an enum, so that a property this crate has no name for can be asked for too:
///
/// ```
/// use memcore::{Device, DeviceAttribute};
///
/// let device = Device::new(0)?;
/// assert_eq!(device.attribute(DeviceAttribute::WARP_SIZE)?, device.attribute(DeviceAttribute(10))?);
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceAttribute(pub u32);

macro_rules! attributes {
    ($($name:ident = $number:literal, $meaning:literal;)*) => {
        impl DeviceAttribute {
            $(#[doc = concat!($meaning, ".")] pub const $name: Self = Self($number);)*
        }
    };
}

attributes! {
    MAX_THREADS_PER_BLOCK = 1, "Most threads in a block";
    WARP_SIZE = 10, "Threads in a warp";
    MULTIPROCESSOR_COUNT = 16, "How many multiprocessors the device has";
    INTEGRATED = 18, "Whether the device shares the host's memory (0 or 1)";
    CAN_MAP_HOST_MEMORY = 19, "Whether page-locked memory can be mapped for the device (0 or 1)";
    ECC_ENABLED = 32, "Whether memory errors are corrected (0 or 1)";
    ASYNC_ENGINE_COUNT = 40, "How many engines copy at the same time";
    UNIFIED_ADDRESSING = 41, "Whether host and device share one address space (0 or 1)";
    COMPUTE_CAPABILITY_MAJOR = 75, "The first number of the compute capability";
    COMPUTE_CAPABILITY_MINOR = 76, "The second number of the compute capability";
    MANAGED_MEMORY = 83, "Whether managed memory can be allocated (0 or 1)";
    PAGEABLE_MEMORY_ACCESS = 88, "Whether the device reads pageable host memory (0 or 1)";
    CONCURRENT_MANAGED_ACCESS = 89, "Whether the host may use managed memory while the device is busy (0 or 1)";
    HOST_REGISTER_SUPPORTED = 99, "Whether existing host memory can be page-locked (0 or 1)";
    READ_ONLY_HOST_REGISTER_SUPPORTED = 113, "Whether existing host memory can be page-locked as read-only (0 or 1)";
    MEMORY_POOLS_SUPPORTED = 115, "Whether the device has memory pools (0 or 1)";
}
