//! What a driver answers, and a GPU's did (`scripts/probes/contexts.py`), to what only programs of other libraries call.

mod contexts;

use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;
use std::{ptr, thread};

use crate::Case;
use crate::library::{Library, is_simulated, place, places};

pub(crate) const CASES: &[Case] = &[
    ("semantics::contexts_are_a_stack", contexts::stack),
    ("semantics::a_context_in_the_place_of_another", contexts::set_current),
    ("semantics::a_context_that_another_thread_destroys", contexts::destroyed_elsewhere),
    ("semantics::what_is_of_another_context", contexts::across),
    ("semantics::what_a_context_is", contexts::information),
    ("semantics::which_flags_a_context_takes", contexts::flags),
    ("semantics::a_primary_context_and_its_state", contexts::primary),
    ("semantics::what_a_stream_is", streams),
    ("semantics::callbacks", callbacks),
    ("semantics::writes_and_records_with_flags", stream_forms),
    ("semantics::copies_by_address", copies),
    ("semantics::page_locked_memory", locked),
    ("semantics::copies_of_arrays", arrays),
    ("semantics::what_a_pointer_is", pointers),
    ("semantics::places_of_managed_memory", managed),
    ("semantics::what_is_said_of_managed_memory", ranges),
    ("semantics::pools", pools),
    ("semantics::what_a_device_is", devices),
    ("semantics::names_of_codes", names),
];

const INVALID_VALUE: u32 = 1;
const INVALID_DEVICE: u32 = 101;
const INVALID_CONTEXT: u32 = 201;
const PEER_ACCESS_UNSUPPORTED: u32 = 217;
const INVALID_HANDLE: u32 = 400;
const ILLEGAL_STATE: u32 = 401;
const CONTEXT_IS_DESTROYED: u32 = 709;

/// What stands in an out parameter before.
const UNTOUCHED: u32 = 77;
/// `CU_DEVICE_INVALID`.
const NOWHERE: i32 = -2;

/// A call that is to return this code.
#[track_caller]
fn answers(library: &Library, code: u32, symbol: &str, arguments: &[usize]) {
    assert_eq!(library.call(symbol, arguments), code, "{symbol}");
}

/// An `int`, as an argument.
const fn int(value: i32) -> usize {
    value as u32 as usize
}

/// A new context.
fn begin(library: &Library) -> usize {
    library.ok("cuInit", &[0]);
    library.context()
}

/// A `CUmemLocation`, which is passed by value.
const fn location(kind: u32, id: u32) -> usize {
    kind as usize | (id as usize) << 32
}

fn streams(library: &Library) {
    let own = begin(library);
    let stream = library.made("cuStreamCreateWithPriority", &[1, int(-100)]);
    let mut ids = Vec::new();
    for (handle, known) in [(stream, (1, -5)), (0, (0, 0)), (1, (0, 0)), (2, (0, 0))] {
        let (mut flags, mut priority, mut id, mut context, mut device) = (UNTOUCHED, -9_i32, 0_u64, 0_usize, -9_i32);
        library.ok("cuStreamGetFlags", &[handle, place(&mut flags)]);
        library.ok("cuStreamGetPriority", &[handle, place(&mut priority)]);
        library.ok("cuStreamGetId", &[handle, place(&mut id)]);
        library.ok("cuStreamGetCtx", &[handle, place(&mut context)]);
        library.ok("cuStreamGetDevice", &[handle, place(&mut device)]);
        assert_eq!(((flags, priority), context, device), (known, own, 0), "{handle:#x}");
        ids.push(id);
    }
    assert_eq!(ids[1], ids[2], "null is the legacy stream");
    assert!(ids[0] != ids[1] && ids[1] != ids[3] && ids[0] != ids[3], "{ids:?}");
    for symbol in ["cuStreamGetFlags", "cuStreamGetPriority", "cuStreamGetId", "cuStreamGetCtx"] {
        answers(library, INVALID_VALUE, symbol, &[stream, 0]);
    }
    for handle in [stream, 0] {
        let (mut status, mut id) = (UNTOUCHED, u64::from(UNTOUCHED));
        library.ok("cuStreamGetCaptureInfo_v2", &[handle, place(&mut status), place(&mut id)]);
        assert_eq!((status, id), (0, u64::from(UNTOUCHED)));
    }
    answers(library, INVALID_VALUE, "cuStreamGetCaptureInfo_v2", &[stream, 0]);
    let mut out = 0_usize;
    answers(library, INVALID_VALUE, "cuStreamCreate", &[place(&mut out), 2]);
    answers(library, INVALID_VALUE, "cuStreamCreate", &[0, 0]);
}

/// What the callbacks were given, in their order.
static SEEN: Mutex<Vec<(usize, u32, usize)>> = Mutex::new(Vec::new());

extern "C" fn note(stream: *mut c_void, status: u32, data: *mut c_void) {
    SEEN.lock().unwrap().push((stream.addr(), status, data.addr()));
}

fn callbacks(library: &Library) {
    begin(library);
    let stream = library.made("cuStreamCreate", &[1]);
    let function = note as extern "C" fn(*mut c_void, u32, *mut c_void) as usize;
    library.ok("cuStreamAddCallback", &[stream, function, 5, 0]);
    answers(library, INVALID_VALUE, "cuStreamAddCallback", &[stream, function, 5, 1]);
    answers(library, INVALID_VALUE, "cuStreamAddCallback", &[stream, 0, 5, 0]);
    library.ok("cuStreamSynchronize", &[stream]);
    library.ok("cuStreamAddCallback", &[0, function, 6, 0]);
    library.ok("cuCtxSynchronize", &[]);
    // Each hears of its stream by the handle that it was given with.
    assert_eq!(*SEEN.lock().unwrap(), [(stream, 0, 5), (0, 0, 6)]);
}

fn stream_forms(library: &Library) {
    begin(library);
    let (stream, event) = (library.made("cuStreamCreate", &[1]), library.made("cuEventCreate", &[0]));
    library.ok("cuEventRecordWithFlags", &[event, stream, 0]);
    answers(library, ILLEGAL_STATE, "cuEventRecordWithFlags", &[event, stream, 1]);
    answers(library, INVALID_VALUE, "cuEventRecordWithFlags", &[event, stream, 2]);
    let memory = library.made("cuMemAlloc_v2", &[64]);
    let (value, mut read) = (0x0123_4567_89AB_CDEF_usize, 0_usize);
    library.ok("cuStreamWriteValue64_v2", &[0, memory, value, 0]);
    answers(library, INVALID_VALUE, "cuStreamWriteValue64_v2", &[0, memory + 4, value, 0]);
    library.ok("cuMemcpyDtoH_v2", &[place(&mut read), memory, 8]);
    assert_eq!(read, value);
}

/// Text at the start of 64 bytes.
fn text(of: &[u8]) -> [u8; 64] {
    let mut all = [0; 64];
    all[..of.len()].copy_from_slice(of);
    all
}

fn copies(library: &Library) {
    begin(library);
    let (memory, other) = (library.made("cuMemAlloc_v2", &[64]), library.made("cuMemAlloc_v2", &[64]));
    let (mut from, mut to) = (text(b"abcdefgh"), [0_u8; 64]);
    let (source, target) = (places(&mut from), places(&mut to));
    // To a device, on it, from it, and between places of the host.
    for way in [&[(memory, source), (other, memory), (target, other)][..], &[(target, source)]] {
        for symbol in ["cuMemcpy", "cuMemcpyAsync"] {
            library.ok("cuMemcpy", &[target, places(&mut [0_u8; 64]), 64]);
            for (to, from) in way {
                library.ok(symbol, &[*to, *from, 64, 0]);
            }
            library.ok("cuCtxSynchronize", &[]);
            assert_eq!(to, text(b"abcdefgh"), "{symbol}");
        }
    }
    answers(library, INVALID_VALUE, "cuMemcpy", &[0, memory, 64]);
    library.ok("cuMemcpy", &[0, 0, 0]);
    answers(library, INVALID_VALUE, "cuMemcpy", &[memory, other, 65]);
}

fn locked(library: &Library) {
    begin(library);
    let memory = library.made("cuMemAllocHost_v2", &[64]);
    answers(library, INVALID_VALUE, "cuMemAllocHost_v2", &[0, 64]);
    library.made("cuMemAllocHost_v2", &[0]);
    let mut flags = UNTOUCHED;
    library.ok("cuMemHostGetFlags", &[place(&mut flags), memory]);
    assert_eq!(flags, 2, "it is mapped, as all is");
    library.ok("cuMemFreeHost", &[memory]);
}

/// An array of so many rows of 16 `u32`s; a line where there is no row.
fn array(library: &Library, rows: u64) -> usize {
    /// `CU_AD_FORMAT_UNSIGNED_INT32`, and one channel.
    const FORMAT: u64 = 3 | 1 << 32;
    library.made("cuArrayCreate_v2", &[places(&mut [16, rows, FORMAT])])
}

fn arrays(library: &Library) {
    begin(library);
    let memory = library.made("cuMemAlloc_v2", &[64]);
    let (flat, rows) = (array(library, 0), array(library, 4));
    let (mut from, mut to) = (text(b"abcdefgh"), [0_u8; 128]);
    let (source, target) = (places(&mut from), places(&mut to));
    for of in [flat, rows] {
        library.ok("cuMemcpyHtoA_v2", &[of, 0, source, 64]);
        library.ok("cuMemcpyHtoA_v2", &[of, 4, source, 60]);
        answers(library, INVALID_VALUE, "cuMemcpyHtoA_v2", &[of, 4, source, 64]);
        library.ok("cuMemcpyHtoA_v2", &[of, 2, source, 2]);
        library.ok("cuMemcpyHtoA_v2", &[of, 0, source, 0]);
        library.ok("cuMemcpyAtoH_v2", &[target, of, 0, 64]);
        assert_eq!(to[..64], text(b"abababcdefgh"));
        library.ok("cuMemcpyAtoD_v2", &[memory, of, 0, 64]);
        library.ok("cuMemsetD8_v2", &[memory, usize::from(b'x'), 4]);
        library.ok("cuMemcpyDtoA_v2", &[of, 0, memory, 64]);
        library.ok("cuMemcpyAtoHAsync_v2", &[target, of, 0, 64, 0]);
        library.ok("cuCtxSynchronize", &[]);
        assert_eq!(to[..64], text(b"xxxxabcdefgh"));
        library.ok("cuMemcpyHtoAAsync_v2", &[of, 0, source, 64, 0]);
        library.ok("cuCtxSynchronize", &[]);
    }
    library.ok("cuMemcpyAtoA_v2", &[flat, 36, flat, 4, 28]);
    library.ok("cuMemcpyAtoA_v2", &[rows, 0, flat, 32, 32]);
    library.ok("cuMemcpyAtoH_v2", &[target, rows, 0, 64]);
    assert_eq!(to[..64], text(b"\0\0\0\0efgh"));
    // An offset does not lead to another row.
    answers(library, INVALID_VALUE, "cuMemcpyHtoA_v2", &[rows, 64, source, 64]);
    answers(library, INVALID_VALUE, "cuMemcpyHtoA_v2", &[rows, 0, target, 128]);
}

/// Memory type, whether it is managed, the device and the host pointer of an address, asked for at once.
fn known(library: &Library, address: usize) -> (u32, u32, i32, usize) {
    let (mut kind, mut is_managed, mut device, mut host) = (UNTOUCHED, UNTOUCHED, 77_i32, 77_usize);
    let mut values = [place(&mut kind), place(&mut is_managed), place(&mut device), place(&mut host)];
    let arguments = [4, places(&mut [2_u32, 8, 9, 4]), places(&mut values), address];
    library.ok("cuPointerGetAttributes", &arguments);
    (kind, is_managed, device, host)
}

fn pointers(library: &Library) {
    begin(library);
    let memory = library.made("cuMemAlloc_v2", &[64]);
    let managed = library.made("cuMemAllocManaged", &[4096, 1]);
    let mut own = [1_u32; 2];
    let host = places(&mut own);
    assert_eq!(known(library, memory), (2, 0, 0, 0));
    assert_eq!(known(library, managed), (2, 1, 0, managed));
    assert_eq!(known(library, host), (0, 0, NOWHERE, host));
    assert_eq!(known(library, 0), (0, 0, NOWHERE, 0));
    let mut value = UNTOUCHED;
    let (mut kind, mut unknown, mut values) = (2_u32, 99_u32, [place(&mut value)]);
    let (kind, unknown, values) = (place(&mut kind), place(&mut unknown), places(&mut values));
    answers(library, INVALID_VALUE, "cuPointerGetAttributes", &[0, kind, values, memory]);
    answers(library, INVALID_VALUE, "cuPointerGetAttributes", &[1, 0, values, memory]);
    answers(library, INVALID_VALUE, "cuPointerGetAttributes", &[1, unknown, values, memory]);
    assert_eq!(value, UNTOUCHED);
}

fn managed(library: &Library) {
    begin(library);
    let memory = library.made("cuMemAllocManaged", &[4096, 1]);
    // Of the types: none, a device, the host, a part of it, the part that is near.
    for (to, flags, code) in [
        (location(1, 0), 0, 0),
        (location(2, 0), 0, 0),
        (location(1, 0), 1, INVALID_VALUE),
        (location(1, 9), 0, INVALID_DEVICE),
        (location(0, 0), 0, INVALID_VALUE),
        (location(3, 0), 0, 0),
        (location(4, 0), 0, 0),
    ] {
        let answer = library.call("cuMemPrefetchAsync_v2", &[memory, 4096, to, flags, 0]);
        assert_eq!(answer, code, "prefetch to {to:#x}, flags {flags}");
    }
    for advice in 1..=7 {
        let known = if advice == 7 { INVALID_VALUE } else { 0 };
        for (at, code) in [(location(2, 0), known), (location(1, 0), known), (location(0, 0), INVALID_VALUE)] {
            let answer = library.call("cuMemAdvise_v2", &[memory, 4096, advice, at]);
            assert_eq!(answer, code, "advice {advice} at {at:#x}");
        }
    }
    library.ok("cuCtxSynchronize", &[]);
}

fn ranges(library: &Library) {
    begin(library);
    let memory = library.made("cuMemAllocManaged", &[4096, 1]);
    // Preferred by the device, then by none; used by the host, then by none; fetched to the part of the host that is near.
    for (advice, at) in [(3, location(1, 0)), (4, location(1, 0)), (5, location(2, 0)), (6, location(2, 0))] {
        library.ok("cuMemAdvise_v2", &[memory, 4096, advice, at]);
    }
    library.ok("cuMemPrefetchAsync_v2", &[memory, 4096, location(4, 0), 0, 0]);
    library.ok("cuCtxSynchronize", &[]);
    let (mut is_read, mut used_by) = (-9_i32, [-9_i32; 2]);
    let (mut values, mut sizes) = ([place(&mut is_read), places(&mut used_by)], [4_usize, 8]);
    let mut attributes = [1_u32, 3];
    let (values, sizes, attributes) = (places(&mut values), places(&mut sizes), places(&mut attributes));
    library.ok("cuMemRangeGetAttributes", &[values, sizes, attributes, 2, memory, 4096]);
    assert_eq!((is_read, used_by), (0, [NOWHERE; 2]));
    answers(library, INVALID_VALUE, "cuMemRangeGetAttributes", &[values, sizes, attributes, 0, memory, 4096]);
    // Read mostly; preferred, used by, last prefetch; type and id of the preferred place, and of the last prefetch.
    for (attribute, known) in (1..).zip([0, NOWHERE, NOWHERE, -1, 0, NOWHERE, 4, 0]) {
        let mut value = -9_i32;
        library.ok("cuMemRangeGetAttribute", &[place(&mut value), 4, attribute, memory, 4096]);
        assert_eq!(value, known, "attribute {attribute}");
    }
}

fn pools(library: &Library) {
    begin(library);
    let default = library.made("cuDeviceGetDefaultMemPool", &[0]);
    assert_eq!(library.made("cuDeviceGetMemPool", &[0]), default);
    // Pinned memory of the first device.
    let mut properties = [0_u64; 11];
    (properties[0], properties[1]) = (1, location(1, 0) as u64);
    let own = library.made("cuMemPoolCreate", &[places(&mut properties)]);
    library.ok("cuDeviceSetMemPool", &[0, own]);
    assert_eq!(library.made("cuDeviceGetMemPool", &[0]), own);
    assert_eq!(library.made("cuDeviceGetDefaultMemPool", &[0]), default);
    let memory = library.made("cuMemAllocAsync", &[64, 0]);
    assert_eq!(library.made("cuPointerGetAttribute", &[17, memory]), own);
    library.ok("cuMemFreeAsync", &[memory, 0]);
    library.ok("cuMemPoolDestroy", &[own]);
    assert_eq!(library.made("cuDeviceGetMemPool", &[0]), default);
    answers(library, INVALID_VALUE, "cuDeviceSetMemPool", &[0, 0]);
    answers(library, INVALID_VALUE, "cuMemPoolDestroy", &[default]);
}

fn devices(library: &Library) {
    library.ok("cuInit", &[0]);
    let attribute = |attribute: usize| {
        let mut value = -77_i32;
        library.ok("cuDeviceGetAttribute", &[place(&mut value), attribute, 0]);
        value
    };
    let (mut text, mut device) = ([0_u8; 64], -1_i32);
    library.ok("cuDeviceGetPCIBusId", &[places(&mut text), 64, 0]);
    let id = format!("{:04x}:{:02x}:{:02x}.0", attribute(50), attribute(33), attribute(34));
    let written = CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap();
    assert!(written.eq_ignore_ascii_case(&id), "{written} is {id}");
    library.ok("cuDeviceGetByPCIBusId", &[place(&mut device), places(&mut text)]);
    assert_eq!(device, 0);
    // As much as there is room for, which is not enough.
    answers(library, INVALID_VALUE, "cuDeviceGetPCIBusId", &[places(&mut text), 5, 0]);
    assert_eq!((&text[..4], text[4]), (&id.as_bytes()[..4], 0));
    device = -1;
    for no_id in [places(&mut text), c"nonsense".as_ptr().expose_provenance()] {
        answers(library, INVALID_VALUE, "cuDeviceGetByPCIBusId", &[place(&mut device), no_id]);
    }
    assert_eq!(device, -1);

    let (mut major, mut minor, mut properties) = (0_i32, 0_i32, [-77_i32; 15]);
    library.ok("cuDeviceComputeCapability", &[place(&mut major), place(&mut minor), 0]);
    assert_eq!((major, minor), (attribute(75), attribute(76)));
    library.ok("cuDeviceGetProperties", &[places(&mut properties), 0]);
    let first: Vec<_> = (1..=14).map(attribute).collect();
    assert_eq!((&properties[..14], properties[14]), (&first[..], -77));
    for of in [1, 2, 3, 4, 5, 9] {
        answers(library, INVALID_DEVICE, "cuDeviceGetP2PAttribute", &[place(&mut major), of, 0, 0]);
    }
    let (mut uuid, mut second) = ([0_u8; 16], [1_u8; 16]);
    library.ok("cuDeviceGetUuid", &[places(&mut uuid), 0]);
    library.ok("cuDeviceGetUuid_v2", &[places(&mut second), 0]);
    assert_eq!(uuid, second);
    for symbol in ["cuProfilerStart", "cuProfilerStop"] {
        answers(library, INVALID_CONTEXT, symbol, &[]);
    }
    library.context();
    for symbol in ["cuProfilerStart", "cuProfilerStop"] {
        library.ok(symbol, &[]);
    }
}

fn names(library: &Library) {
    let ask = |symbol: &str, code: usize| {
        let mut text: *const c_char = ptr::dangling();
        let status = library.call(symbol, &[code, place(&mut text)]);
        // SAFETY: not null, so a string of the library's, which stays loaded.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap());
        (status, text)
    };
    for (code, name) in [
        (0, "CUDA_SUCCESS"),
        (1, "CUDA_ERROR_INVALID_VALUE"),
        (2, "CUDA_ERROR_OUT_OF_MEMORY"),
        (100, "CUDA_ERROR_NO_DEVICE"),
        (201, "CUDA_ERROR_INVALID_CONTEXT"),
        (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
        (801, "CUDA_ERROR_NOT_SUPPORTED"),
        (999, "CUDA_ERROR_UNKNOWN"),
    ] {
        assert_eq!(ask("cuGetErrorName", code), (0, Some(name)));
        let (status, text) = ask("cuGetErrorString", code);
        assert!(status == 0 && text.is_some_and(|text| !text.is_empty()), "{name}");
    }
    for code in [12_345, int(-1)] {
        for symbol in ["cuGetErrorName", "cuGetErrorString"] {
            assert_eq!(ask(symbol, code), (INVALID_VALUE, None), "{symbol} of {code}");
        }
    }
}
