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
    MAXIMUM_TEXTURE1D_WIDTH = 21, "Most columns of a 1-D array";
    MAXIMUM_TEXTURE2D_WIDTH = 22, "Most columns of a 2-D array";
    MAXIMUM_TEXTURE2D_HEIGHT = 23, "Most rows of a 2-D array";
    MAXIMUM_TEXTURE3D_WIDTH = 24, "Most columns of a 3-D array";
    MAXIMUM_TEXTURE3D_HEIGHT = 25, "Most rows of a 3-D array";
    MAXIMUM_TEXTURE3D_DEPTH = 26, "Most slices of a 3-D array";
    MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27, "Most columns of a layered 2-D array";
    MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28, "Most rows of a layered 2-D array";
    MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29, "Most layers of a layered 2-D array";
    ECC_ENABLED = 32, "Whether memory errors are corrected (0 or 1)";
    ASYNC_ENGINE_COUNT = 40, "How many engines copy at the same time";
    UNIFIED_ADDRESSING = 41, "Whether host and device share one address space (0 or 1)";
    MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42, "Most columns of a layered 1-D array";
    MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43, "Most layers of a layered 1-D array";
    MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45, "Most columns of a 2-D array for texture gather";
    MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46, "Most rows of a 2-D array for texture gather";
    MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47, "Most columns of a 3-D array of the other proportions";
    MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48, "Most rows of a 3-D array of the other proportions";
    MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49, "Most slices of a 3-D array of the other proportions";
    MAXIMUM_TEXTURECUBEMAP_WIDTH = 52, "Most rows and columns of a cubemap";
    MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53, "Most rows and columns of a layered cubemap";
    MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54, "Most faces of a layered cubemap";
    MAXIMUM_SURFACE1D_WIDTH = 55, "Most columns of a 1-D array for surfaces";
    MAXIMUM_SURFACE2D_WIDTH = 56, "Most columns of a 2-D array for surfaces";
    MAXIMUM_SURFACE2D_HEIGHT = 57, "Most rows of a 2-D array for surfaces";
    MAXIMUM_SURFACE3D_WIDTH = 58, "Most columns of a 3-D array for surfaces";
    MAXIMUM_SURFACE3D_HEIGHT = 59, "Most rows of a 3-D array for surfaces";
    MAXIMUM_SURFACE3D_DEPTH = 60, "Most slices of a 3-D array for surfaces";
    MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61, "Most columns of a layered 1-D array for surfaces";
    MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62, "Most layers of a layered 1-D array for surfaces";
    MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63, "Most columns of a layered 2-D array for surfaces";
    MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64, "Most rows of a layered 2-D array for surfaces";
    MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65, "Most layers of a layered 2-D array for surfaces";
    MAXIMUM_SURFACECUBEMAP_WIDTH = 66, "Most rows and columns of a cubemap for surfaces";
    MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67, "Most rows and columns of a layered cubemap for surfaces";
    MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68, "Most faces of a layered cubemap for surfaces";
    COMPUTE_CAPABILITY_MAJOR = 75, "The first number of the compute capability";
    COMPUTE_CAPABILITY_MINOR = 76, "The second number of the compute capability";
    MANAGED_MEMORY = 83, "Whether managed memory can be allocated (0 or 1)";
    PAGEABLE_MEMORY_ACCESS = 88, "Whether the device reads pageable host memory (0 or 1)";
    CONCURRENT_MANAGED_ACCESS = 89, "Whether the host may use managed memory while the device is busy (0 or 1)";
    HOST_REGISTER_SUPPORTED = 99, "Whether existing host memory can be page-locked (0 or 1)";
    READ_ONLY_HOST_REGISTER_SUPPORTED = 113, "Whether existing host memory can be page-locked as read-only (0 or 1)";
    MEMORY_POOLS_SUPPORTED = 115, "Whether the device has memory pools (0 or 1)";
}
