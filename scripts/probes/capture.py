#!/usr/bin/env python3
"""What driver calls answer, and do to it, while a stream is being captured: needs a GPU and libcuda.so.1 alone.

A line per call; a cell per case: the call's code, then `+` if the capture ended well, else the code that ending it gave.
The simulated device answers the same (`memcore/src/driver/sim/capture.rs`)."""
import ctypes as C
import threading

cu = C.CDLL("libcuda.so.1")
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_uint


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


ok("cuInit", 0)
context = P()
ok("cuDevicePrimaryCtxRetain", C.byref(context), 0)
ok("cuCtxSetCurrent", context)


def made(kind, name, *args):
    out = kind()
    ok(name, C.byref(out), *args)
    return out


HOSTFN = C.CFUNCTYPE(None, P)
nothing = HOSTFN(lambda data: None)
page = (C.c_char * 8192)()


class World:
    """Fresh resources for one case."""

    def __init__(self):
        self.captured = made(P, "cuStreamCreate", 1)
        self.blocking = made(P, "cuStreamCreate", 0)
        self.other = made(P, "cuStreamCreate", 1)
        self.recorded, self.fresh, self.inside = (made(P, "cuEventCreate", 0) for _ in range(3))
        ok("cuEventRecord", self.recorded, self.other)
        self.dev = made(U, "cuMemAlloc_v2", Z(4096))
        self.pooled = made(U, "cuMemAllocAsync", Z(4096), self.other)
        self.managed = made(U, "cuMemAllocManaged", Z(4096), 1)
        self.locked = made(P, "cuMemHostAlloc", Z(4096), 2)
        self.spare = made(P, "cuStreamCreate", 1)
        self.pool = made(P, "cuDeviceGetDefaultMemPool", 0)
        ok("cuStreamSynchronize", self.other)


V = lambda w: w.captured
OUT = lambda: C.byref(U())
CALLS = [
    ("stream_synchronize other", lambda w: rc("cuStreamSynchronize", w.other)),
    ("stream_query other", lambda w: rc("cuStreamQuery", w.other)),
    ("event_synchronize recorded", lambda w: rc("cuEventSynchronize", w.recorded)),
    ("event_query recorded", lambda w: rc("cuEventQuery", w.recorded)),
    ("event_query fresh", lambda w: rc("cuEventQuery", w.fresh)),
    ("event_elapsed_time", lambda w: rc("cuEventElapsedTime", C.byref(C.c_float()), w.recorded, w.recorded)),
    ("event_record other", lambda w: rc("cuEventRecord", w.fresh, w.other)),
    ("event_create", lambda w: rc("cuEventCreate", C.byref(P()), 0)),
    ("event_destroy", lambda w: rc("cuEventDestroy_v2", w.fresh)),
    ("stream_create", lambda w: rc("cuStreamCreateWithPriority", C.byref(P()), 1, 0)),
    ("stream_destroy spare", lambda w: rc("cuStreamDestroy_v2", w.spare)),
    ("stream_wait_event other", lambda w: rc("cuStreamWaitEvent", w.other, w.recorded, 0)),
    ("stream_is_capturing other", lambda w: rc("cuStreamIsCapturing", w.other, C.byref(I()))),
    ("stream_write_value other", lambda w: rc("cuStreamWriteValue32_v2", w.other, w.dev, I(1), 0)),
    ("context_synchronize", lambda w: rc("cuCtxSynchronize")),
    ("memory_info", lambda w: rc("cuMemGetInfo_v2", C.byref(Z()), C.byref(Z()))),
    ("mem_alloc", lambda w: rc("cuMemAlloc_v2", OUT(), Z(4096))),
    ("mem_free", lambda w: rc("cuMemFree_v2", w.dev)),
    ("mem_alloc_async other", lambda w: rc("cuMemAllocAsync", OUT(), Z(4096), w.other)),
    ("mem_free_async other", lambda w: rc("cuMemFreeAsync", w.pooled, w.other)),
    ("mem_alloc_managed", lambda w: rc("cuMemAllocManaged", OUT(), Z(4096), 1)),
    ("mem_free managed", lambda w: rc("cuMemFree_v2", w.managed)),
    ("mem_host_alloc", lambda w: rc("cuMemHostAlloc", C.byref(P()), Z(4096), 0)),
    ("mem_free_host", lambda w: rc("cuMemFreeHost", w.locked)),
    ("mem_host_register", lambda w: rc("cuMemHostRegister_v2", page, Z(4096), 0)),
    ("mem_host_device_pointer", lambda w: rc("cuMemHostGetDevicePointer_v2", OUT(), w.locked, 0)),
    ("mem_prefetch other", lambda w: rc("cuMemPrefetchAsync", w.managed, Z(4096), 0, w.other)),
    ("mem_advise", lambda w: rc("cuMemAdvise", w.managed, Z(4096), 1, 0)),
    ("pointer_attribute", lambda w: rc("cuPointerGetAttribute", C.byref(I()), 2, w.dev)),
    ("mem_address_range", lambda w: rc("cuMemGetAddressRange_v2", OUT(), C.byref(Z()), w.dev)),
    ("pool_trim", lambda w: rc("cuMemPoolTrimTo", w.pool, Z(0))),
    ("memcpy_htod", lambda w: rc("cuMemcpyHtoD_v2", w.dev, page, Z(64))),
    ("memcpy_dtoh", lambda w: rc("cuMemcpyDtoH_v2", page, w.dev, Z(64))),
    ("memcpy_dtod", lambda w: rc("cuMemcpyDtoD_v2", w.dev, w.pooled, Z(64))),
    ("memset_d8", lambda w: rc("cuMemsetD8_v2", w.dev, C.c_uint8(1), Z(64))),
    ("memcpy_htod_async other", lambda w: rc("cuMemcpyHtoDAsync_v2", w.dev, w.locked, Z(64), w.other)),
    ("memcpy_htod_async other pageable", lambda w: rc("cuMemcpyHtoDAsync_v2", w.dev, page, Z(64), w.other)),
    ("memcpy_dtoh_async other pageable", lambda w: rc("cuMemcpyDtoHAsync_v2", page, w.dev, Z(64), w.other)),
    ("memset_d8_async other", lambda w: rc("cuMemsetD8Async", w.dev, C.c_uint8(1), Z(64), w.other)),
    ("memset_d8_async legacy", lambda w: rc("cuMemsetD8Async", w.dev, C.c_uint8(1), Z(64), P(0))),
    ("memset_d8_async blocking", lambda w: rc("cuMemsetD8Async", w.dev, C.c_uint8(1), Z(64), w.blocking)),
    ("stream_synchronize legacy", lambda w: rc("cuStreamSynchronize", P(0))),
    ("stream_query legacy", lambda w: rc("cuStreamQuery", P(0))),
    ("stream_is_capturing legacy", lambda w: rc("cuStreamIsCapturing", P(0), C.byref(I()))),
    ("launch_host_func other", lambda w: rc("cuLaunchHostFunc", w.other, nothing, P(0))),
    # On the captured stream itself.
    ("* stream_synchronize", lambda w: rc("cuStreamSynchronize", V(w))),
    ("* stream_query", lambda w: rc("cuStreamQuery", V(w))),
    ("* memcpy_htod_async", lambda w: rc("cuMemcpyHtoDAsync_v2", w.dev, w.locked, Z(64), V(w))),
    ("* memcpy_htod_async pageable", lambda w: rc("cuMemcpyHtoDAsync_v2", w.dev, page, Z(64), V(w))),
    ("* memcpy_dtoh_async pageable", lambda w: rc("cuMemcpyDtoHAsync_v2", page, w.dev, Z(64), V(w))),
    ("* memset_d8_async", lambda w: rc("cuMemsetD8Async", w.dev, C.c_uint8(1), Z(64), V(w))),
    ("* event_record", lambda w: rc("cuEventRecord", w.inside, V(w))),
    ("* event_record, query it", lambda w: rc("cuEventRecord", w.inside, V(w)) or rc("cuEventQuery", w.inside)),
    ("* event_record, synchronize it", lambda w: rc("cuEventRecord", w.inside, V(w)) or rc("cuEventSynchronize", w.inside)),
    ("* event_record, other waits for it", lambda w: rc("cuEventRecord", w.inside, V(w)) or rc("cuStreamWaitEvent", w.other, w.inside, 0)),
    ("* stream_wait_event outside", lambda w: rc("cuStreamWaitEvent", V(w), w.recorded, 0)),
    ("* mem_alloc_async", lambda w: rc("cuMemAllocAsync", OUT(), Z(4096), V(w))),
    ("* mem_free_async outside memory", lambda w: rc("cuMemFreeAsync", w.pooled, V(w))),
    ("* launch_host_func", lambda w: rc("cuLaunchHostFunc", V(w), nothing, P(0))),
    ("* stream_write_value", lambda w: rc("cuStreamWriteValue32_v2", V(w), w.dev, I(1), 0)),
    ("* mem_prefetch", lambda w: rc("cuMemPrefetchAsync", w.managed, Z(4096), 0, V(w))),
    ("* begin again", lambda w: rc("cuStreamBeginCapture_v2", V(w), 0)),
    ("* end from the other thread", lambda w: rc("cuStreamEndCapture", V(w), C.byref(P()))),
]


def set_mode(mode):
    ok("cuThreadExchangeStreamCaptureMode", C.byref(I(mode)))


def case(call, capture_mode, caller_mode, same_thread, key="captured"):
    world = World()
    stream = getattr(world, key)
    began, done, result = threading.Event(), threading.Event(), []

    def capture():
        ok("cuCtxSetCurrent", context)
        result.append(rc("cuStreamBeginCapture_v2", stream, capture_mode))
        if same_thread:
            set_mode(caller_mode)
            result.append(call(world))
        began.set()
        done.wait()
        result.append(rc("cuStreamEndCapture", stream, C.byref(P())))

    thread = threading.Thread(target=capture)
    thread.start()
    began.wait()
    if not same_thread:
        set_mode(caller_mode)
        result.append(call(world))
        set_mode(0)
    done.set()
    thread.join()
    cu.cuMemHostUnregister(page)
    assert result[0] == 0, result
    return f"{result[1]}{'+' if result[2] == 0 else '/' + str(result[2])}"


def main():
    modes = [(c, m, s) for s in (False, True) for c in (0, 1, 2) for m in (0, 1, 2)]
    print("capture: global, thread-local, relaxed (g t r); caller's mode the same; other thread, then the capturing one")
    print(f"{'':36}", *(f"{'gtr'[c]}{'gtr'[m]}{'s' if s else 'o'}".ljust(8) for c, m, s in modes))
    for name, call in CALLS:
        print(f"{name:36}", *(case(call, c, m, s).ljust(8) for c, m, s in modes), flush=True)
    print("a blocking stream is captured, so that the legacy stream would join it")
    for name, call in CALLS:
        if "legacy" in name or name in ("memcpy_htod", "memcpy_dtoh", "memcpy_dtod", "memset_d8"):
            print(f"{name:36}", *(case(call, c, m, s, "blocking").ljust(8) for c, m, s in modes), flush=True)


if __name__ == "__main__":
    main()
