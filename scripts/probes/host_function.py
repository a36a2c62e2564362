#!/usr/bin/env python3
"""What driver calls answer inside a host function (`cuLaunchHostFunc`): needs a GPU and libcuda.so.1 alone.

memcore's own calls fail there with the code that is printed; the simulated device answers the same."""
import ctypes as C
import threading

from capture import CALLS, HOSTFN, World, context, ok, rc, P, I, Z, U, OUT

MORE = [
    ("context_current", lambda w: rc("cuCtxGetCurrent", C.byref(P()))),
    ("context_set_current", lambda w: rc("cuCtxSetCurrent", context)),
    ("primary_context_retain", lambda w: rc("cuDevicePrimaryCtxRetain", C.byref(P()), 0)),
    ("primary_context_release", lambda w: rc("cuDevicePrimaryCtxRelease_v2", 0)),
    ("exchange_capture_mode", lambda w: rc("cuThreadExchangeStreamCaptureMode", C.byref(I(0)))),
    ("init", lambda w: rc("cuInit", 0)),
    ("driver_version", lambda w: rc("cuDriverGetVersion", C.byref(I()))),
    ("device_count", lambda w: rc("cuDeviceGetCount", C.byref(I()))),
    ("device_get", lambda w: rc("cuDeviceGet", C.byref(I()), 0)),
    ("device_name", lambda w: rc("cuDeviceGetName", C.create_string_buffer(64), 64, 0)),
    ("device_attribute", lambda w: rc("cuDeviceGetAttribute", C.byref(I()), 1, 0)),
    ("device_total_memory", lambda w: rc("cuDeviceTotalMem_v2", C.byref(Z()), 0)),
    ("stream_priority_range", lambda w: rc("cuCtxGetStreamPriorityRange", C.byref(I()), C.byref(I()))),
    ("pool_get_attribute", lambda w: rc("cuMemPoolGetAttribute", w.pool, 4, C.byref(U()))),
    ("mem_host_unregister (nothing)", lambda w: rc("cuMemHostUnregister", C.create_string_buffer(4096))),
    ("launch_host_func other, again", lambda w: rc("cuLaunchHostFunc", w.other, NOTHING, P(0))),
]
NOTHING = HOSTFN(lambda data: None)
for name, call in MORE + [(n, c) for n, c in CALLS if not n.startswith("*")]:
    world, done, codes = World(), threading.Event(), []
    stream = P()
    ok("cuStreamCreate", C.byref(stream), 1)

    def body(data):
        codes.append(call(world))
        done.set()

    function = HOSTFN(body)
    ok("cuLaunchHostFunc", stream, function, P(0))
    finished = done.wait(5)
    print(f"{name:36}", codes if finished else "hangs", flush=True)
    assert finished
    ok("cuCtxSetCurrent", context)
    ok("cuStreamSynchronize", stream)
