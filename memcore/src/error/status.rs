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
    PROFILER_DISABLED = 5, "CUDA_ERROR_PROFILER_DISABLED", "the profiler is disabled for this program";
    PROFILER_NOT_INITIALIZED = 6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "the profiler has not been initialised";
    PROFILER_ALREADY_STARTED = 7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "the profiler runs already";
    PROFILER_ALREADY_STOPPED = 8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "the profiler does not run";
    STUB_LIBRARY = 34, "CUDA_ERROR_STUB_LIBRARY", "the driver that was loaded is a stub without functions";
    CALL_REQUIRES_NEWER_DRIVER = 36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the call needs a newer driver";
    DEVICE_UNAVAILABLE = 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is in use by another";
    NO_DEVICE = 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device was found";
    INVALID_DEVICE = 101, "CUDA_ERROR_INVALID_DEVICE", "no such device";
    DEVICE_NOT_LICENSED = 102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the device lacks a licence";
    INVALID_IMAGE = 200, "CUDA_ERROR_INVALID_IMAGE", "a kernel image is invalid";
    INVALID_CONTEXT = 201, "CUDA_ERROR_INVALID_CONTEXT", "no context, or a wrong one, is current";
    CONTEXT_ALREADY_CURRENT = 202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "the context is current already";
    MAP_FAILED = 205, "CUDA_ERROR_MAP_FAILED", "the resource could not be mapped";
    UNMAP_FAILED = 206, "CUDA_ERROR_UNMAP_FAILED", "the resource could not be unmapped";
    ARRAY_IS_MAPPED = 207, "CUDA_ERROR_ARRAY_IS_MAPPED", "the array is mapped and cannot be destroyed";
    ALREADY_MAPPED = 208, "CUDA_ERROR_ALREADY_MAPPED", "the resource is mapped already";
    NO_BINARY_FOR_GPU = 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image for this device";
    ALREADY_ACQUIRED = 210, "CUDA_ERROR_ALREADY_ACQUIRED", "the resource was acquired already";
    NOT_MAPPED = 211, "CUDA_ERROR_NOT_MAPPED", "the resource is not mapped";
    NOT_MAPPED_AS_ARRAY = 212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "the resource is not mapped as an array";
    NOT_MAPPED_AS_POINTER = 213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "the resource is not mapped as a pointer";
    ECC_UNCORRECTABLE = 214, "CUDA_ERROR_ECC_UNCORRECTABLE", "an uncorrectable memory error was found";
    UNSUPPORTED_LIMIT = 215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "the device has no such limit";
    CONTEXT_ALREADY_IN_USE = 216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "another thread uses the context";
    PEER_ACCESS_UNSUPPORTED = 217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices cannot reach each other's memory";
    INVALID_PTX = 218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile";
    INVALID_GRAPHICS_CONTEXT = 219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "the graphics context is not valid here";
    NVLINK_UNCORRECTABLE = 220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an uncorrectable NVLink error was found";
    JIT_COMPILER_NOT_FOUND = 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "no compiler for PTX was found";
    UNSUPPORTED_PTX_VERSION = 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the driver is too old for this PTX";
    JIT_COMPILATION_DISABLED = 223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "compilation of PTX is switched off";
    UNSUPPORTED_EXEC_AFFINITY = 224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "the device has no such share of multiprocessors";
    UNSUPPORTED_DEVSIDE_SYNC = 225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "the code waits on the device in a way that it does not support";
    CONTAINED = 226, "CUDA_ERROR_CONTAINED", "a memory error was contained";
    INVALID_SOURCE = 300, "CUDA_ERROR_INVALID_SOURCE", "the source is invalid";
    FILE_NOT_FOUND = 301, "CUDA_ERROR_FILE_NOT_FOUND", "a file was not found";
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "a shared object lacks a symbol";
    SHARED_OBJECT_INIT_FAILED = 303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "a shared object could not be initialised";
    OPERATING_SYSTEM = 304, "CUDA_ERROR_OPERATING_SYSTEM", "the operating system refused";
    INVALID_HANDLE = 400, "CUDA_ERROR_INVALID_HANDLE", "a handle is not valid here";
    ILLEGAL_STATE = 401, "CUDA_ERROR_ILLEGAL_STATE", "a resource is not in a state that allows this";
    LOSSY_QUERY = 402, "CUDA_ERROR_LOSSY_QUERY", "the answer would lose information";
    NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND", "the named symbol was not found";
    NOT_READY = 600, "CUDA_ERROR_NOT_READY", "work is still pending";
    ILLEGAL_ADDRESS = 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "the device accessed an invalid address; the context is dead";
    LAUNCH_OUT_OF_RESOURCES = 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "a kernel asks for more than the device has";
    LAUNCH_TIMEOUT = 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long; the context is dead";
    LAUNCH_INCOMPATIBLE_TEXTURING = 703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "a kernel was compiled for another texturing mode";
    PEER_ACCESS_ALREADY_ENABLED = 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is enabled already";
    PEER_ACCESS_NOT_ENABLED = 705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled";
    PRIMARY_CONTEXT_ACTIVE = 708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "the primary context is open already";
    CONTEXT_IS_DESTROYED = 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context has been destroyed";
    ASSERT = 710, "CUDA_ERROR_ASSERT", "a device-side assertion failed; the context is dead";
    TOO_MANY_PEERS = 711, "CUDA_ERROR_TOO_MANY_PEERS", "too many devices are peers";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is page-locked already";
    HOST_MEMORY_NOT_REGISTERED = 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered";
    HARDWARE_STACK_ERROR = 714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the device met a stack error; the context is dead";
    ILLEGAL_INSTRUCTION = 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "the device met an illegal instruction; the context is dead";
    MISALIGNED_ADDRESS = 716, "CUDA_ERROR_MISALIGNED_ADDRESS", "the device accessed a misaligned address; the context is dead";
    INVALID_ADDRESS_SPACE = 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "the device used a wrong address space; the context is dead";
    INVALID_PC = 718, "CUDA_ERROR_INVALID_PC", "the device's program counter left its code; the context is dead";
    LAUNCH_FAILED = 719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed; the context is dead";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "a cooperative kernel has more blocks than fit";
    TENSOR_MEMORY_LEAK = 721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel left tensor memory allocated";
    NOT_PERMITTED = 800, "CUDA_ERROR_NOT_PERMITTED", "the call is not permitted here (as in a host function)";
    NOT_SUPPORTED = 801, "CUDA_ERROR_NOT_SUPPORTED", "the call is not supported here";
    SYSTEM_NOT_READY = 802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready yet";
    SYSTEM_DRIVER_MISMATCH = 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "kernel and user-mode driver versions differ";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "the compatibility driver does not support the device";
    MPS_CONNECTION_FAILED = 805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the MPS server";
    MPS_RPC_FAILURE = 806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS server did not answer rightly";
    MPS_SERVER_NOT_READY = 807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server takes no new clients now";
    MPS_MAX_CLIENTS_REACHED = 808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "the MPS server has no room for clients";
    MPS_MAX_CONNECTIONS_REACHED = 809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "the MPS server has no room for connections";
    MPS_CLIENT_TERMINATED = 810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "the MPS client was ended";
    CDP_NOT_SUPPORTED = 811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "kernels that launch kernels are not supported";
    CDP_VERSION_MISMATCH = 812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "device code was built for another version of device-side launches";
    STREAM_CAPTURE_UNSUPPORTED = 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted while a stream is captured";
    STREAM_CAPTURE_INVALIDATED = 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture was invalidated by an earlier error";
    STREAM_CAPTURE_MERGE = 902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "the call would merge two captures";
    STREAM_CAPTURE_UNMATCHED = 903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "the capture began on another stream";
    STREAM_CAPTURE_UNJOINED = 904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "forked streams were not joined before the capture ended";
    STREAM_CAPTURE_ISOLATION = 905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "a captured stream would depend on uncaptured work";
    STREAM_CAPTURE_IMPLICIT = 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the legacy stream would be drawn into a capture";
    CAPTURED_EVENT = 907, "CUDA_ERROR_CAPTURED_EVENT", "the event was last recorded in a capture";
    STREAM_CAPTURE_WRONG_THREAD = 908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "another thread captures this stream";
    TIMEOUT = 909, "CUDA_ERROR_TIMEOUT", "the wait took too long";
    GRAPH_EXEC_UPDATE_FAILURE = 910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the executable graph cannot be updated so";
    EXTERNAL_DEVICE = 911, "CUDA_ERROR_EXTERNAL_DEVICE", "a device outside of CUDA failed";
    INVALID_CLUSTER_SIZE = 912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "a cluster has a wrong size";
    FUNCTION_NOT_LOADED = 913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "the function's module is not loaded yet";
    INVALID_RESOURCE_TYPE = 914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "the resource has another type";
    INVALID_RESOURCE_CONFIGURATION = 915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "the resources cannot be divided so";
    KEY_ROTATION = 916, "CUDA_ERROR_KEY_ROTATION", "keys are being rotated";
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
