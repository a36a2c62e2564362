//! What can go wrong, with what a user needs to act on it.

mod status;

pub use status::Status;

use crate::memory::array::ArrayKind;

/// A [`Result`](core::result::Result) whose error is memcore's [`Error`] unless another is named.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Everything that memcore's calls can fail with.
///
/// A code of the driver is kept as the driver gave it ([`Error::Driver`], [`Error::OutOfMemory`]); what memcore itself
/// finds wrong has a variant of its own and is never disguised as a code. Lengths are in elements, sizes in bytes.
///
/// ```
/// use memcore::{Error, prelude::*};
///
/// let mut dev = device_vec![1.0f32, 2.0, 3.0]?;
/// let error = copy!(dev <- [1.0f32, 2.0]).unwrap_err();
/// assert_eq!(error, Error::LengthMismatch { destination_len: 3, source_len: 2 });
/// assert_eq!(error.status(), None);
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The driver refused or failed a call.
    #[error("{operation} failed: {status}{}", meaning(*.status))]
    Driver {
        /// The driver function.
        operation: &'static str,
        /// What it returned.
        status: Status,
    },

    /// There is not enough memory for an allocation, even after waiting for pending frees and trimming the pool.
    #[error("{operation} is out of memory: {requested} bytes asked for{}", free_of(*.free, *.total))]
    OutOfMemory {
        /// The driver function that was refused.
        operation: &'static str,
        /// Bytes asked for.
        requested: u64,
        /// Bytes free on the device when the call was refused, where the driver still said.
        free: Option<u64>,
        /// Bytes of memory the device has, where the driver still said.
        total: Option<u64>,
    },

    /// A memory pool has no room for an allocation: it has reached its maximum. Frees that were pending on the call's stream, and
    /// on the stream that owners free on, have been waited for.
    #[error("{operation} is out of memory: {requested} bytes asked for, of a pool of at most {maximum}{}", used_of(*.used))]
    PoolExhausted {
        /// The driver function that was refused.
        operation: &'static str,
        /// Bytes asked for.
        requested: u64,
        /// Bytes of the pool in use, where the driver still said.
        used: Option<u64>,
        /// The most bytes that the pool may hold, as it was made.
        maximum: u64,
    },

    /// The host has no room for a `Vec` of this size.
    #[error("the host has no room for {requested} bytes")]
    HostAllocation {
        /// Bytes asked for.
        requested: u64,
    },

    /// The two sides of a copy differ in length.
    #[error("lengths differ: the destination has {destination_len} elements, the source {source_len}")]
    LengthMismatch {
        /// Elements of the destination.
        destination_len: usize,
        /// Elements of the source.
        source_len: usize,
    },

    /// A length times the size of its element is more than a slice can hold (`isize::MAX` bytes).
    #[error("{len} elements of {element_size} bytes each are more than can be addressed")]
    SizeOverflow {
        /// Elements asked for.
        len: usize,
        /// Bytes of one element.
        element_size: usize,
    },

    /// No CUDA driver could be loaded.
    #[error(
        "{}{}; install the NVIDIA driver, or set MEMCORE_DRIVER=sim to run on the simulated device, or \
         MEMCORE_DRIVER=auto to take it where there is no GPU", no_driver(.tried), none_entered(*.has_contexts)
    )]
    NoDriver {
        /// The files tried, each with why it did not serve.
        tried: Vec<String>,
        /// Whether the call asked for the current context while others were open (a simulator's): none of them is
        /// [entered](crate::Context::enter) on its thread.
        has_contexts: bool,
    },

    /// The driver has no device.
    #[error("{}; {}", no_device(.driver), no_device_help(.driver))]
    NoDevice {
        /// `"CUDA"` or `"simulated"`.
        driver: &'static str,
    },

    /// There is no device of this number.
    #[error("there is no device {ordinal}: the driver has {count}")]
    InvalidDevice {
        /// The number asked for, from 0.
        ordinal: u32,
        /// How many devices there are.
        count: u32,
    },

    /// An environment variable has a value that means nothing.
    #[error("{variable}={value:?} is not valid: expected {expected}")]
    InvalidVariable {
        /// Its name.
        variable: &'static str,
        /// What it is set to.
        value: String,
        /// What it may be set to.
        expected: &'static str,
    },

    /// The loaded driver lacks a function: it is older than what this call needs.
    #[error("the CUDA driver has no function {symbol}: it is too old for this call")]
    MissingSymbol {
        /// The driver function.
        symbol: &'static str,
    },

    /// The device or driver has no such feature.
    #[error("{what} is not supported by this device")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },

    /// The operands of a call belong to different drivers (two simulators, or a simulator and a GPU). So it is where a
    /// simulator's context is entered on one thread, and what another thread made lies in the default context:
    /// [`Context::enter`](crate::Context::enter) is per thread.
    #[error("the operands belong to different drivers")]
    DifferentDrivers,

    /// A stream of one device was to work on memory of another. Only a copy between two devices may use a stream of
    /// either.
    #[error(
        "the stream belongs to device {stream}, the memory to device {memory}: use a stream of the memory's device"
    )]
    OtherDevice {
        /// The number of the stream's device.
        stream: u32,
        /// The number of the memory's device.
        memory: u32,
    },

    /// An address belongs to no context that memcore knows: open the context of its device first
    /// ([`Context::new`](crate::Context::new)).
    #[error("address {address:#x} belongs to no context that is open here")]
    UnknownAddress {
        /// The device address.
        address: u64,
    },

    /// The driver knows no memory at an address that it was asked about: it is pageable memory, which is not to be asked
    /// about, or was freed, or never was any.
    #[error("the driver knows no memory at address {address:#x}: was it freed, or is it pageable memory of the host?")]
    UnknownMemory {
        /// The address.
        address: u64,
    },

    /// Bytes from the device are no value of the element type. Nothing was written to the destination.
    #[error("element {index} came back with bytes that are no valid {type_name}{}", at_field(.field.as_deref()))]
    InvalidValue {
        /// The first element found invalid.
        index: usize,
        /// The element type.
        type_name: &'static str,
        /// The path of the first field in it found invalid, as `header.flags[2]`, where the type is a derived struct.
        field: Option<String>,
    },

    /// A view's element type does not fit the memory.
    #[error(transparent)]
    InvalidView(Box<ViewError>),

    /// Memory cannot be viewed in rows of these extents.
    #[error("{len} elements cannot be viewed as {}: {reason}", Extents(*.extents))]
    InvalidShape {
        /// How many elements there are.
        len: usize,
        /// Slices, rows and columns; 0 for what could not be found out.
        extents: [usize; 3],
        /// What does not fit.
        reason: &'static str,
    },

    /// The two sides of a copy of windows have different extents.
    #[error("the destination has {}, the source {}", Extents(*.destination_extents), Extents(*.source_extents))]
    ShapeMismatch {
        /// Slices, rows and columns of the destination.
        destination_extents: [usize; 3],
        /// Slices, rows and columns of the source.
        source_extents: [usize; 3],
    },

    /// A window reaches out of the view.
    #[error("{axis} {start}..{end} are not all inside: there are {extent}")]
    WindowOutside {
        /// `"slices"`, `"rows"` or `"columns"`.
        axis: &'static str,
        /// The first asked for.
        start: usize,
        /// One past the last asked for.
        end: usize,
        /// How many there are.
        extent: usize,
    },

    /// There is no CUDA array of such an extent on the device.
    #[error("{kind} of {extent} {axis} is none that this device has: from 1 to {most}")]
    ArrayExtent {
        /// What kind of array was asked for.
        kind: ArrayKind,
        /// `"slices"` (layers, faces), `"rows"` or `"columns"`.
        axis: &'static str,
        /// How many were asked for.
        extent: usize,
        /// How many there can be.
        most: usize,
    },

    /// An array of other elements than the type says.
    #[error("the array's elements are no {type_name}: they have {channels} channels of format {format:#x}")]
    ArrayElement {
        /// The element type.
        type_name: &'static str,
        /// The array's format, by the driver's number.
        format: u32,
        /// The channels of its elements.
        channels: u32,
    },

    /// A 16- or 32-bit set of memory whose address or size is no multiple of the unit.
    #[error("{size} bytes at {address:#x} cannot be set in units of {unit} bytes: both must be multiples of it")]
    MisalignedSet {
        /// Address of the memory.
        address: u64,
        /// Its size in bytes.
        size: usize,
        /// Bytes of the unit.
        unit: usize,
    },

    /// Host memory was to be page-locked that is so already, all of it or a part.
    #[error("{bytes} bytes at {address:#x} cannot be registered: some of them are registered already")]
    AlreadyRegistered {
        /// Address of the memory.
        address: u64,
        /// Its size in bytes.
        bytes: usize,
    },

    /// Flags have a bit that memcore does not know, and does not pass on: it could mean anything.
    #[error("the bits {bits:#x} are not all flags of {what}")]
    UnknownFlags {
        /// What the flags are for.
        what: &'static str,
        /// All bits of the flags.
        bits: u32,
    },

    /// Memory was not freed: an earlier wait in its context failed, and the device may still work on it.
    #[error("an earlier wait in this context failed, so the device may still use the memory: it is leaked")]
    Unsettled,

    /// A stream is being captured into a graph: memcore's safe calls would be replayed with dead pointers.
    #[error("the stream is being captured into a graph; memcore's safe calls refuse it")]
    StreamCapturing,
}

/// Why memory cannot be viewed under another element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot view {len} elements of {from_name} ({from_size} bytes each) at {address:#x} as {to_name} ({to_size} bytes \
     each, aligned to {to_align}): {reason}"
)]
#[non_exhaustive]
pub struct ViewError {
    /// Address of the memory.
    pub address: u64,
    /// Its length, in elements of the present type.
    pub len: usize,
    /// The present element type.
    pub from_name: &'static str,
    /// Bytes of one present element.
    pub from_size: usize,
    /// The element type asked for.
    pub to_name: &'static str,
    /// Bytes of one element asked for.
    pub to_size: usize,
    /// Alignment of the element type asked for, in bytes.
    pub to_align: usize,
    /// What does not fit.
    pub reason: &'static str,
}

impl ViewError {
    /// The error of `len` elements of `T` at `address` that were asked for as `U`s.
    pub(crate) fn error<T, U>(address: u64, len: usize, reason: &'static str) -> Error {
        Error::InvalidView(Box::new(Self {
            address,
            len,
            from_name: core::any::type_name::<T>(),
            from_size: size_of::<T>(),
            to_name: core::any::type_name::<U>(),
            to_size: size_of::<U>(),
            to_align: align_of::<U>(),
            reason,
        }))
    }
}

/// The text of `Display`: it is what a program shows whose `main` returns the error.
impl core::fmt::Debug for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The driver's code, where the driver gave one.
    #[must_use]
    pub const fn status(&self) -> Option<Status> {
        match self {
            Self::Driver { status, .. } => Some(*status),
            Self::OutOfMemory { .. } | Self::PoolExhausted { .. } => Some(Status::OUT_OF_MEMORY),
            _ => None,
        }
    }

    /// Whether memory ran out, on the device or for page-locking.
    #[must_use]
    pub const fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            Self::OutOfMemory { .. }
                | Self::PoolExhausted { .. }
                | Self::HostAllocation { .. }
                | Self::Driver { status: Status::OUT_OF_MEMORY, .. }
        )
    }

    /// What happened, without the advice on how to choose a driver.
    pub(crate) fn without_advice(&self) -> String {
        match self {
            Self::NoDriver { tried, .. } => no_driver(tried),
            Self::NoDevice { driver } => no_device(driver),
            other => other.to_string(),
        }
    }

    /// Adds the bytes asked for to the driver's word that host memory ran out: how much the device has does not matter.
    pub(crate) fn without_device_memory(self, requested: usize) -> Self {
        match self {
            Self::Driver { operation, status: Status::OUT_OF_MEMORY } => {
                Self::OutOfMemory { operation, requested: requested as u64, free: None, total: None }
            }
            other => other,
        }
    }

    /// The error of a call that returned `status`, which is not a success.
    #[cold]
    pub(crate) const fn from_status(operation: &'static str, status: Status) -> Self {
        match status {
            Status::MISSING_SYMBOL => Self::MissingSymbol { symbol: operation },
            status => Self::Driver { operation, status },
        }
    }
}

/// What happened, where there is no driver.
fn no_driver(tried: &[String]) -> String {
    format!("no CUDA driver was found (tried {})", tried.join(", "))
}

/// `", and of the open contexts none is entered"`, where there are any.
fn none_entered(has_contexts: bool) -> &'static str {
    if has_contexts { ", and of the contexts that are open none is entered on this thread" } else { "" }
}

/// What happened, where a driver has no device.
fn no_device(driver: &str) -> String {
    format!("the {driver} driver has no device")
}

/// `": what it means"`, where this crate knows the code.
fn meaning(status: Status) -> String {
    status.meaning().map(|text| format!(": {text}")).unwrap_or_default()
}

/// What helps where a driver has no device.
fn no_device_help(driver: &str) -> &'static str {
    if driver == "simulated" {
        "MEMCORE_SIM_DEVICES says how many it has"
    } else {
        "set MEMCORE_DRIVER=sim to run on the simulated device"
    }
}

/// `": look at its field F"`, where it is known.
fn at_field(field: Option<&str>) -> String {
    field.map(|field| format!(": look at its field `{field}`")).unwrap_or_default()
}

/// `"2 × 3 × 4 elements (slices × rows × columns)"`.
struct Extents([usize; 3]);

impl core::fmt::Display for Extents {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let [slices, rows, columns] = self.0;
        write!(f, "{slices} × {rows} × {columns} elements (slices × rows × columns)")
    }
}

/// `", F of T bytes free"`, where both are known.
fn free_of(free: Option<u64>, total: Option<u64>) -> String {
    match (free, total) {
        (Some(free), Some(total)) => format!(", {free} of {total} bytes free"),
        _ => String::new(),
    }
}

/// `", of which N are in use"`, where that is known.
fn used_of(used: Option<u64>) -> String {
    used.map(|used| format!(", of which {used} are in use")).unwrap_or_default()
}
