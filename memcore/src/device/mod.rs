//! The devices of a driver, and what they can be asked.

mod attribute;

pub use attribute::DeviceAttribute;

use core::ffi::{CStr, c_char};
use core::fmt;
use std::sync::Arc;

use crate::driver::ffi::{CUdevice, CUuuid};
use crate::driver::sim::Sim;
use crate::driver::{Driver, check, default_driver, initialise, symbol};
use crate::error::{Error, Result};

/// A GPU, or a simulated device: a cheap handle that answers questions about it.
///
/// Asking opens no context and allocates no device memory. None of these calls waits for device work.
///
/// ```
/// use memcore::Device;
///
/// for device in Device::all()? {
///     let (major, minor) = device.compute_capability()?;
///     println!("{}: {} ({major}.{minor}, {} bytes)", device.ordinal(), device.name()?, device.total_memory()?);
/// }
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    driver: Arc<dyn Driver>,
    handle: CUdevice,
    ordinal: u32,
}

impl Device {
    /// The device of this number, counted from 0 as the driver counts, of the driver that `MEMCORE_DRIVER` names.
    ///
    /// Driver functions: `cuDeviceGetCount`, `cuDeviceGet`; the first call in a process loads and initialises the
    /// driver.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDevice`] if there are not so many; [`Error::NoDriver`], [`Error::NoDevice`] or
    /// [`Error::InvalidVariable`] if there is no driver to ask.
    pub fn new(ordinal: u32) -> Result<Self> {
        Self::of(default_driver()?, ordinal)
    }

    /// All devices, in the driver's order. Driver functions: `cuDeviceGetCount`, `cuDeviceGet`.
    ///
    /// # Errors
    ///
    /// As [`Device::new`].
    pub fn all() -> Result<Vec<Self>> {
        let driver = default_driver()?;
        (0..count_of(&*driver)?).map(|ordinal| Self::of(Arc::clone(&driver), ordinal)).collect()
    }

    /// How many devices there are. Driver function: `cuDeviceGetCount`.
    ///
    /// # Errors
    ///
    /// As [`Device::new`].
    pub fn count() -> Result<u32> {
        count_of(&*default_driver()?)
    }

    fn of(driver: Arc<dyn Driver>, ordinal: u32) -> Result<Self> {
        let count = count_of(&*driver)?;
        let number = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
        let number = number.ok_or(Error::InvalidDevice { ordinal, count })?;
        let mut handle = 0;
        // SAFETY: `handle` is writable for the length of the call.
        check(symbol::device_get, unsafe { driver.device_get(&raw mut handle, number) })?;
        Ok(Self { driver, handle, ordinal })
    }

    /// The device's number, from 0.
    #[must_use]
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Whether the device is memcore's simulation and no GPU.
    #[must_use]
    pub fn is_simulated(&self) -> bool {
        self.driver.is_simulated()
    }

    /// The newest CUDA version the driver knows, as (major, minor). Driver function: `cuDriverGetVersion`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    pub fn driver_version(&self) -> Result<(u32, u32)> {
        let mut version = 0;
        // SAFETY: `version` is writable for the length of the call.
        check(symbol::driver_version, unsafe { self.driver.driver_version(&raw mut version) })?;
        let version = version.unsigned_abs();
        Ok((version / 1000, version % 1000 / 10))
    }

    /// The device's name. Driver function: `cuDeviceGetName`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    pub fn name(&self) -> Result<String> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: `name` has room for the 256 characters announced, for the length of the call.
        check(symbol::device_name, unsafe { self.driver.device_name(name.as_mut_ptr(), 256, self.handle) })?;
        name[255] = 0;
        // SAFETY: the array is initialised and its last character is a NUL.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        Ok(name.to_string_lossy().into_owned())
    }

    /// The device's UUID: the same for this device in every process. Driver function: `cuDeviceGetUuid`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    pub fn uuid(&self) -> Result<[u8; 16]> {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: `uuid` is writable for the length of the call.
        check(symbol::device_uuid, unsafe { self.driver.device_uuid(&raw mut uuid, self.handle) })?;
        // `c_char` is signed on some machines: the bits are the same.
        Ok(uuid.bytes.map(|byte| byte.to_ne_bytes()[0]))
    }

    /// The compute capability as (major, minor), such as (9, 0). Driver function: `cuDeviceGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    pub fn compute_capability(&self) -> Result<(u32, u32)> {
        let major = self.attribute(DeviceAttribute::COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.attribute(DeviceAttribute::COMPUTE_CAPABILITY_MINOR)?;
        Ok((major.unsigned_abs(), minor.unsigned_abs()))
    }

    /// A property by its number. Driver function: `cuDeviceGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code; `INVALID_VALUE` where the driver does not know the property.
    pub fn attribute(&self, attribute: DeviceAttribute) -> Result<i32> {
        let mut value = 0;
        // SAFETY: `value` is writable for the length of the call.
        let status = unsafe { self.driver.device_attribute(&raw mut value, attribute.0, self.handle) };
        check(symbol::device_attribute, status)?;
        Ok(value)
    }

    /// The device's memory in bytes, in total. Driver function: `cuDeviceTotalMem_v2`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    pub fn total_memory(&self) -> Result<u64> {
        let mut bytes = 0;
        // SAFETY: `bytes` is writable for the length of the call.
        check(symbol::device_total_memory, unsafe { self.driver.device_total_memory(&raw mut bytes, self.handle) })?;
        Ok(bytes as u64)
    }

    /// Whether this device can reach the other's memory directly. Does not wait. Driver function: `cuDeviceCanAccessPeer`.
    ///
    /// ```
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default().devices(2));
    /// let (here, there) = (sim.device(0)?, sim.device(1)?);
    /// assert!(here.can_access_peer(&there)?);
    /// assert!(!here.can_access_peer(&here)?); // itself it need not ask
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`] if the two belong to different drivers; the driver's code.
    pub fn can_access_peer(&self, peer: &Self) -> Result<bool> {
        self.require_same_driver(peer)?;
        let mut can = 0;
        // SAFETY: `can` is writable for the length of the call.
        let status = unsafe { self.driver.device_can_access_peer(&raw mut can, self.handle, peer.handle) };
        check(symbol::device_can_access_peer, status)?;
        Ok(can != 0)
    }

    /// The device of the same driver that the driver calls by this number.
    pub(crate) fn sibling(&self, handle: CUdevice) -> Result<Self> {
        Self::of(Arc::clone(&self.driver), u32::try_from(handle).unwrap_or(u32::MAX))
    }

    /// Whether the other's operands can meet this one's in a driver call.
    pub(crate) fn same_driver(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.driver, &other.driver)
    }

    /// # Errors
    ///
    /// [`Error::DifferentDrivers`] unless they can.
    pub(crate) fn require_same_driver(&self, other: &Self) -> Result<()> {
        if self.same_driver(other) { Ok(()) } else { Err(Error::DifferentDrivers) }
    }

    pub(crate) fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    pub(crate) fn handle(&self) -> CUdevice {
        self.handle
    }
}

/// Two handles are equal if they name the same device of the same driver.
impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.same_driver(other) && self.ordinal == other.ordinal
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("driver", &self.driver.kind()).field("ordinal", &self.ordinal).finish()
    }
}

fn count_of(driver: &dyn Driver) -> Result<u32> {
    let mut count = 0;
    // SAFETY: `count` is writable for the length of the call.
    check(symbol::device_count, unsafe { driver.device_count(&raw mut count) })?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// Written here, since a simulator lies below the devices.
impl Sim {
    /// The simulated device of this number, from 0. Driver functions: `cuInit`, `cuDeviceGetCount`, `cuDeviceGet`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidDevice`] if the simulator has not so many; a fault that was asked for.
    pub fn device(&self, ordinal: u32) -> Result<Device> {
        let driver: Arc<dyn Driver> = self.driver();
        initialise(&*driver)?;
        Device::of(driver, ordinal)
    }
}
