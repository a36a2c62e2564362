//! Contexts: those that a program makes, the stack of a thread, and primary ones.

use super::*;

pub(super) fn stack(library: &Library) {
    let (first, second) = (begin(library), library.context());
    assert_eq!(library.current(), second);
    assert_eq!(library.made("cuCtxPopCurrent_v2", &[]), second);
    assert_eq!(library.current(), first);
    library.ok("cuCtxPushCurrent_v2", &[second]);
    library.ok("cuCtxPushCurrent_v2", &[second]);
    // It is current twice, and its end takes away one.
    library.ok("cuCtxDestroy_v2", &[second]);
    assert_eq!(library.current(), second);
    assert_eq!(library.made("cuCtxPopCurrent_v2", &[]), second);
    assert_eq!(library.current(), first);
    library.ok("cuCtxPopCurrent_v2", &[0]);
    assert_eq!(library.current(), 0);
    let mut none = 0_usize;
    answers(library, INVALID_CONTEXT, "cuCtxPopCurrent_v2", &[place(&mut none)]);
    answers(library, INVALID_VALUE, "cuCtxPushCurrent_v2", &[0]);
    // Of a driver it harms the memory, which ends the process sooner or later.
    if is_simulated() {
        library.ok("cuCtxPushCurrent_v2", &[second]);
        answers(library, CONTEXT_IS_DESTROYED, "cuCtxSynchronize", &[]);
    }
    library.ok("cuCtxDestroy_v2", &[first]);
    answers(library, INVALID_VALUE, "cuCtxDestroy_v2", &[0]);
}

pub(super) fn set_current(library: &Library) {
    let (first, second) = (begin(library), library.context());
    library.ok("cuCtxSetCurrent", &[first]);
    assert_eq!(library.current(), first);
    // The first is there twice, once for the second.
    assert_eq!(library.made("cuCtxPopCurrent_v2", &[]), first);
    assert_eq!(library.current(), first);
    for _ in 0..2 {
        library.ok("cuCtxSetCurrent", &[0]);
        assert_eq!(library.current(), 0);
    }
    library.ok("cuCtxSetCurrent", &[second]);
    assert_eq!(library.current(), second);
    library.ok("cuCtxSetCurrent", &[0]);
    assert_eq!(library.current(), 0);
    library.ok("cuCtxDestroy_v2", &[first]);
    // As above.
    if is_simulated() {
        library.ok("cuCtxSetCurrent", &[first]);
        answers(library, CONTEXT_IS_DESTROYED, "cuCtxDestroy_v2", &[first]);
    }
    library.ok("cuCtxDestroy_v2", &[second]);
}

pub(super) fn destroyed_elsewhere(library: &Library) {
    let context = begin(library);
    let memory = library.made("cuMemAlloc_v2", &[64]);
    let (stream, event) = (library.made("cuStreamCreate", &[1]), library.made("cuEventCreate", &[0]));
    let host = library.made("cuMemAllocHost_v2", &[64]);
    thread::scope(|scope| scope.spawn(|| library.ok("cuCtxDestroy_v2", &[context])).join().unwrap());
    assert_eq!(library.current(), context);
    let (mut out, mut device) = (0_usize, -5_i32);
    answers(library, CONTEXT_IS_DESTROYED, "cuMemAlloc_v2", &[place(&mut out), 64]);
    answers(library, CONTEXT_IS_DESTROYED, "cuMemFree_v2", &[memory]);
    // Handles of what is gone: a GPU's driver has said 201 and 709, and has ended the process.
    if is_simulated() {
        answers(library, INVALID_CONTEXT, "cuStreamSynchronize", &[stream]);
    }
    answers(library, CONTEXT_IS_DESTROYED, "cuEventQuery", &[event]);
    answers(library, CONTEXT_IS_DESTROYED, "cuCtxSynchronize", &[]);
    library.ok("cuCtxGetDevice", &[place(&mut device)]);
    assert_eq!(device, 0);
    answers(library, CONTEXT_IS_DESTROYED, "cuMemFreeHost", &[host]);
    assert_eq!(library.made("cuCtxPopCurrent_v2", &[]), context);
    assert_eq!(library.current(), 0);
    answers(library, INVALID_VALUE, "cuMemFree_v2", &[memory]);
    let other = library.context();
    answers(library, INVALID_VALUE, "cuMemFree_v2", &[memory]);
    answers(library, INVALID_VALUE, "cuMemsetD8_v2", &[memory, 1, 64]);
    if is_simulated() {
        answers(library, INVALID_CONTEXT, "cuStreamSynchronize", &[stream]);
    }
    answers(library, INVALID_VALUE, "cuMemFreeHost", &[host]);
    library.ok("cuCtxDestroy_v2", &[other]);
}

pub(super) fn across(library: &Library) {
    let (first, second) = (begin(library), library.context());
    let memory = library.made("cuMemAlloc_v2", &[64]);
    let (stream, event) = (library.made("cuStreamCreate", &[1]), library.made("cuEventCreate", &[0]));
    library.ok("cuCtxSetCurrent", &[first]);
    let mut host = [0_u8; 64];
    library.ok("cuMemsetD8_v2", &[memory, 1, 64]);
    library.ok("cuMemcpyDtoH_v2", &[places(&mut host), memory, 64]);
    assert_eq!(host, [1; 64]);
    library.ok("cuMemsetD8Async", &[memory, 2, 64, stream]);
    library.ok("cuStreamSynchronize", &[stream]);
    library.ok("cuMemsetD8Async", &[memory, 3, 64, 0]);
    library.ok("cuCtxSynchronize", &[]);
    library.ok("cuEventRecord", &[event, stream]);
    answers(library, INVALID_HANDLE, "cuEventRecord", &[event, 0]);
    let mut context = 0_usize;
    library.ok("cuStreamGetCtx", &[stream, place(&mut context)]);
    assert_eq!(context, second);
    assert_eq!(library.made("cuPointerGetAttribute", &[1, memory]), second);
    answers(library, PEER_ACCESS_UNSUPPORTED, "cuCtxEnablePeerAccess", &[second, 0]);
    library.ok("cuMemcpyPeer", &[memory, second, memory, second, 0]);
    library.ok("cuMemFree_v2", &[memory]);
    library.ok("cuStreamDestroy_v2", &[stream]);
    library.ok("cuEventDestroy_v2", &[event]);
    // Below it the first is current still.
    library.ok("cuCtxSetCurrent", &[0]);
    library.made("cuMemAlloc_v2", &[64]);
}

pub(super) fn information(library: &Library) {
    library.ok("cuInit", &[0]);
    let (mut version, mut flags, mut id, mut device) = (UNTOUCHED, UNTOUCHED, 0_u64, -1_i32);
    answers(library, INVALID_CONTEXT, "cuCtxGetDevice", &[place(&mut device)]);
    answers(library, INVALID_CONTEXT, "cuCtxGetFlags", &[place(&mut flags)]);
    answers(library, INVALID_CONTEXT, "cuCtxGetApiVersion", &[0, place(&mut version)]);
    answers(library, INVALID_CONTEXT, "cuCtxGetId", &[0, place(&mut id)]);
    assert_eq!((version, flags, id, device), (UNTOUCHED, UNTOUCHED, 0, -1));

    let context = library.made("cuCtxCreate_v2", &[4, 0]);
    library.ok("cuCtxGetDevice", &[place(&mut device)]);
    library.ok("cuCtxGetFlags", &[place(&mut flags)]);
    assert_eq!((device, flags), (0, 4));
    library.ok("cuCtxSetFlags", &[1]);
    library.ok("cuCtxGetFlags", &[place(&mut flags)]);
    assert_eq!(flags, 1);
    let mut ids = Vec::new();
    for named in [0, context] {
        device = -1;
        library.ok("cuCtxGetApiVersion", &[named, place(&mut version)]);
        library.ok("cuCtxGetId", &[named, place(&mut id)]);
        library.ok("cuCtxGetDevice_v2", &[place(&mut device), named]);
        library.ok("cuCtxSynchronize_v2", &[named]);
        assert_eq!((version, device), (3020, 0));
        ids.push(id);
    }
    assert_eq!(ids[0], ids[1]);
    library.context();
    library.ok("cuCtxGetId", &[0, place(&mut id)]);
    assert_ne!(id, ids[0]);
}

pub(super) fn flags(library: &Library) {
    library.ok("cuInit", &[0]);
    let mut context = 0_usize;
    let known = [0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80].map(|flags| (flags, 0));
    let unknown = [3, 5, 0x100].map(|flags| (flags, INVALID_VALUE));
    for (flags, code) in known.into_iter().chain(unknown) {
        let answer = library.call("cuCtxCreate_v2", &[place(&mut context), flags, 0]);
        assert_eq!(answer, code, "flags {flags:#x}");
        if code == 0 {
            library.ok("cuCtxDestroy_v2", &[context]);
        }
    }
    answers(library, INVALID_VALUE, "cuCtxCreate_v2", &[0, 0, 0]);
    for device in [99, int(-1)] {
        answers(library, INVALID_DEVICE, "cuCtxCreate_v2", &[place(&mut context), 0, device]);
    }
    for (symbol, parameters) in [("cuCtxCreate_v3", &[0, 0, 0, 0][..]), ("cuCtxCreate_v4", &[0, 0, 0])] {
        let made = library.made(symbol, parameters);
        assert_eq!(library.current(), made, "{symbol}");
        library.ok("cuCtxDestroy_v2", &[made]);
        assert_eq!(library.current(), 0, "{symbol}");
    }
    answers(library, INVALID_VALUE, "cuCtxCreate_v4", &[place(&mut context), 0, 0x100, 0]);
}

/// The flags of the primary context of the first device, and whether there is one.
fn state(library: &Library) -> (u32, i32) {
    let (mut flags, mut is_active) = (UNTOUCHED, -1_i32);
    library.ok("cuDevicePrimaryCtxGetState", &[0, place(&mut flags), place(&mut is_active)]);
    (flags, is_active)
}

pub(super) fn primary(library: &Library) {
    library.ok("cuInit", &[0]);
    assert_eq!(state(library), (0, 0));
    library.ok("cuDevicePrimaryCtxSetFlags_v2", &[0, 4]);
    assert_eq!(state(library), (4, 0));
    let context = library.made("cuDevicePrimaryCtxRetain", &[0]);
    assert_eq!(state(library), (4, 1));
    library.ok("cuDevicePrimaryCtxSetFlags_v2", &[0, 0]);
    assert_eq!(state(library), (0, 1));
    answers(library, INVALID_VALUE, "cuDevicePrimaryCtxSetFlags_v2", &[0, 0x1000]);
    library.ok("cuCtxPushCurrent_v2", &[context]);
    let (mut flags, mut is_active, mut out) = (UNTOUCHED, -1_i32, 0_usize);
    library.ok("cuCtxGetFlags", &[place(&mut flags)]);
    assert_eq!(flags, 8);
    answers(library, INVALID_CONTEXT, "cuCtxDestroy_v2", &[context]);
    library.made("cuMemAlloc_v2", &[64]);
    library.ok("cuDevicePrimaryCtxReset_v2", &[0]);
    assert_eq!(state(library), (0, 0));
    answers(library, CONTEXT_IS_DESTROYED, "cuMemAlloc_v2", &[place(&mut out), 64]);
    // Made anew it is current again where it was.
    assert_eq!(library.made("cuDevicePrimaryCtxRetain", &[0]), context);
    library.made("cuMemAlloc_v2", &[64]);
    library.ok("cuDevicePrimaryCtxRelease_v2", &[0]);
    library.ok("cuDevicePrimaryCtxRelease_v2", &[0]);
    answers(library, INVALID_CONTEXT, "cuDevicePrimaryCtxRelease_v2", &[0]);
    assert_eq!(state(library), (0, 0));
    library.ok("cuDevicePrimaryCtxReset_v2", &[0]);
    answers(library, INVALID_VALUE, "cuDevicePrimaryCtxGetState", &[0, 0, place(&mut is_active)]);
    let places = [9, place(&mut flags), place(&mut is_active)];
    answers(library, INVALID_DEVICE, "cuDevicePrimaryCtxGetState", &places);
}
