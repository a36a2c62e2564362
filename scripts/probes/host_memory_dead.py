#!/usr/bin/env python3
"""What a dead context still does with registered and managed memory, and what a capture elsewhere forbids: run on a GPU,
needs libcuda.so.1 alone. memcore does not give back memory that may still be registered (see docs/async.md)."""
import ctypes as C, mmap, sys

cu = C.CDLL("libcuda.so.1")
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_int
PTX = b""".version 7.0
.target sm_50
.address_size 64
.visible .entry fault() { trap; }
"""


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


def say(what, *values):
    print(f"{what}:", *values, flush=True)


ok("cuInit", 0)
context, stream, other, graph = P(), P(), P(), P()
ok("cuDevicePrimaryCtxRetain", C.byref(context), 0)
ok("cuCtxSetCurrent", context)
ok("cuStreamCreate", C.byref(stream), 1)
ok("cuStreamCreate", C.byref(other), 1)
pages = mmap.mmap(-1, 1 << 20)
base = C.addressof((C.c_char * (1 << 20)).from_buffer(pages))
C.memset(base, 1, 1 << 20)
m, d, value = U(), U(), (I * 4)()
ok("cuMemAllocManaged", C.byref(m), Z(1 << 20), 1)
ok("cuMemAlloc_v2", C.byref(d), Z(1 << 20))


def range_attribute():
    return rc("cuMemRangeGetAttribute", C.byref(value), Z(4), 1, m, Z(4096))


# a capture, by this thread, in each mode (0 global, 1 of the thread, 2 relaxed): each call alone in a capture of its own
calls = {
    "cuMemRangeGetAttribute": range_attribute,
    "cuStreamAttachMemAsync on another stream": lambda: rc("cuStreamAttachMemAsync", other, m, Z(0), 1),
    "cuMemHostRegister": lambda: rc("cuMemHostRegister_v2", P(base + 65536), Z(4096), 0),
    "cuMemHostUnregister": lambda: rc("cuMemHostUnregister", P(base + 65536)),
    "cuMemHostGetDevicePointer": lambda: rc("cuMemHostGetDevicePointer_v2", C.byref(U()), P(base + 65536), 0),
}
for mode in (0, 1, 2):
    for name, call in calls.items():
        registered = "Unregister" in name or "DevicePointer" in name
        if registered:
            ok("cuMemHostRegister_v2", P(base + 65536), Z(4096), 0)
        ok("cuStreamBeginCapture_v2", stream, mode)
        code = call()
        end = rc("cuStreamEndCapture", stream, C.byref(graph))
        say(f"capture mode {mode}, {name}", code, "the capture ends with", end)
        if graph.value:
            rc("cuGraphDestroy", graph)
            graph = P()
        rc("cuMemHostUnregister", P(base + 65536))
ok("cuStreamSynchronize", other)

# a memset and a device-to-device copy into memory that was registered to be read
ok("cuMemHostRegister_v2", P(base + 131072), Z(8192), 8)
say("read-only: DtoH", rc("cuMemcpyDtoHAsync_v2", P(base + 131072), d, Z(64), stream), "sync DtoH", rc("cuMemcpyDtoH_v2", P(base + 131072), d, Z(64)))
if len(sys.argv) > 1:
    say("read-only: DtoD", rc("cuMemcpyDtoDAsync_v2", U(base + 131072), d, Z(64), stream), rc("cuStreamSynchronize", stream))
    say("read-only: memset", rc("cuMemsetD8Async", U(base + 131072), 7, Z(64), stream), rc("cuStreamSynchronize", stream), pages[131072])
ok("cuMemHostUnregister", P(base + 131072))

ok("cuMemHostRegister_v2", P(base), Z(8192), 0)
module, function = P(), P()
ok("cuModuleLoadData", C.byref(module), PTX)
ok("cuModuleGetFunction", C.byref(function), module, b"fault")
ok("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, None, None)
say("wait for the trap", rc("cuStreamSynchronize", stream))
say("dead: unregister", rc("cuMemHostUnregister", P(base)), "again", rc("cuMemHostUnregister", P(base)))
value32 = C.c_uint(77)
say("dead: is it known", rc("cuPointerGetAttribute", C.byref(value32), 2, U(base)), value32.value)
say("dead: register", rc("cuMemHostRegister_v2", P(base + 65536), Z(4096), 0))
say("dead: device pointer", rc("cuMemHostGetDevicePointer_v2", C.byref(U()), P(base), 0))
say("dead: attach", rc("cuStreamAttachMemAsync", other, m, Z(0), 1))
say("dead: range attribute", range_attribute(), "advise", rc("cuMemAdvise", m, Z(4096), 1, 0), "prefetch", rc("cuMemPrefetchAsync", m, Z(4096), 0, other))
