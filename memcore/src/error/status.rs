//! The driver's status codes, as a number that may hold any value.

use core::fmt;

/// A status code of the CUDA driver (`CUresult`).
///
/// A newtype and not an enum: a driver newer than this crate returns codes that this crate has no name for, and such a
/// code must travel as the number it is.
///
/// ```
/// use memcore::Status;
///
/// assert_eq!(Status::OUT_OF_MEMORY.to_string(), "CUDA_ERROR_OUT_OF_MEMORY (2)");
/// assert_eq!(Status(4242).to_string(), "unknown CUDA driver code (4242)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($name:ident = $code:literal, $cuda:literal, $meaning:literal;)*) => {
        impl Status {
            $(#[doc = concat!("`", $cuda, "`: ", $meaning, ".")] pub const $name: Self = Self($code);)*

            /// The driver's own name of the code, if this crate knows it.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 { $($code => Some($cuda),)* _ => None }
            }

            /// What the code means, in a few words, if this crate knows it.
            #[must_use]
            pub const fn meaning(self) -> Option<&'static str> {
                match self.0 { $($code => Some($meaning),)* _ => None }
            }
        }
    };
}

statuses! {
    SUCCESS = 0, "CUDA_SUCCESS", "the call succeeded";
    INVALID_VALUE = 1, "CUDA_ERROR_INVALID_VALUE", "an argument is not acceptable";
    OUT_OF_MEMORY = 2, "CUDA_ERROR_OUT_OF_MEMORY", "not enough memory";
    NOT_INITIALIZED = 3, "CUDA_ERROR_NOT_INITIALIZED", "the driver has not been initialised";
    DEINITIALIZED = 4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down";
    NO_DEVICE = 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device was found";
    INVALID_DEVICE = 101, "CUDA_ERROR_INVALID_DEVICE", "no such device";
    INVALID_CONTEXT = 201, "CUDA_ERROR_INVALID_CONTEXT", "no context, or a wrong one, is current";
    ALREADY_MAPPED = 208, "CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already";
    NOT_MAPPED = 211, "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped";
    ECC_UNCORRECTABLE = 214, "CUDA_ERROR_ECC_UNCORRECTABLE", "an uncorrectable memory error was found";
    PEER_ACCESS_UNSUPPORTED = 217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices cannot reach each other's memory";
    INVALID_SOURCE = 300, "CUDA_ERROR_INVALID_SOURCE", "the source is invalid";
    OPERATING_SYSTEM = 304, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused";
    INVALID_HANDLE = 400, "CUDA_ERROR_INVALID_HANDLE", "a handle is not valid here";
    ILLEGAL_STATE = 401, "CUDA_ERROR_ILLEGAL_STATE", "a resource is not in a state that allows this";
    NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND", "the named symbol was not found";
    NOT_READY = 600, "CUDA_ERROR_NOT_READY", "work is still pending";
    ILLEGAL_ADDRESS = 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "the device accessed an invalid address; the context is dead";
    LAUNCH_TIMEOUT = 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long; the context is dead";
    PEER_ACCESS_ALREADY_ENABLED = 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already";
    PEER_ACCESS_NOT_ENABLED = 705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled";
    CONTEXT_IS_DESTROYED = 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context has been destroyed";
    ASSERT = 710, "CUDA_ERROR_ASSERT", "a device-side assertion failed; the context is dead";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is page-locked already";
    HOST_MEMORY_NOT_REGISTERED = 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered";
    HARDWARE_STACK_ERROR = 714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the device met a stack error; the context is dead";
    ILLEGAL_INSTRUCTION = 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "the device met an illegal instruction; the context is dead";
    MISALIGNED_ADDRESS = 716, "CUDA_ERROR_MISALIGNED_ADDRESS", "the device accessed a misaligned address; the context is dead";
    INVALID_ADDRESS_SPACE = 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "the device used a wrong address space; the context is dead";
    INVALID_PC = 718, "CUDA_ERROR_INVALID_PC", "the device's program counter left its code; the context is dead";
    LAUNCH_FAILED = 719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed; the context is dead";
    NOT_PERMITTED = 800, "CUDA_ERROR_NOT_PERMITTED", "the call is not permitted here (as in a host function)";
    NOT_SUPPORTED = 801, "CUDA_ERROR_NOT_SUPPORTED", "the call is not supported here";
    SYSTEM_NOT_READY = 802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready yet";
    SYSTEM_DRIVER_MISMATCH = 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "kernel and user-mode driver versions differ";
    STREAM_CAPTURE_UNSUPPORTED = 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while a stream is captured";
    STREAM_CAPTURE_INVALIDATED = 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture was invalidated by an earlier error";
    STREAM_CAPTURE_MERGE = 902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "the call would merge two captures";
    STREAM_CAPTURE_UNMATCHED = 903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture began on another stream";
    STREAM_CAPTURE_UNJOINED = 904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "forked streams were not joined before the capture ended";
    STREAM_CAPTURE_ISOLATION = 905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a captured stream would depend on uncaptured work";
    STREAM_CAPTURE_IMPLICIT = 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the legacy stream would be drawn into a capture";
    CAPTURED_EVENT = 907, "CUDA_ERROR_CAPTURED_EVENT", "the event was last recorded in a capture";
    STREAM_CAPTURE_WRONG_THREAD = 908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread captures this stream";
    UNKNOWN = 999, "CUDA_ERROR_UNKNOWN", "an internal error of the driver";
}

impl Status {
    /// The seam's own mark that the loaded driver lacks the called function; no driver returns it. It never reaches a
    /// user: [`Error::MissingSymbol`](crate::Error::MissingSymbol) does.
    pub(crate) const MISSING_SYMBOL: Self = Self(u32::MAX);

    /// Whether a context with this error is dead: every later call in it fails.
    pub(crate) const fn is_sticky(self) -> bool {
        matches!(
            self,
            Self::ECC_UNCORRECTABLE
                | Self::ILLEGAL_ADDRESS
                | Self::LAUNCH_TIMEOUT
                | Self::ASSERT
                | Self::HARDWARE_STACK_ERROR
                | Self::ILLEGAL_INSTRUCTION
                | Self::MISALIGNED_ADDRESS
                | Self::INVALID_ADDRESS_SPACE
                | Self::INVALID_PC
                | Self::LAUNCH_FAILED
        )
    }

    /// Whether the call succeeded.
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "unknown CUDA driver code ({})", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "Status({}: {name})", self.0),
            None => write!(f, "Status({})", self.0),
        }
    }
}
