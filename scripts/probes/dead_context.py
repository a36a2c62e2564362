#!/usr/bin/env python3
"""What a dead context still does: run on a GPU, needs libcuda.so.1 alone.

A kernel traps; then copies into page-locked memory are queued. Does the driver refuse them whole, or do bytes land later
all the same? memcore's `settle` rests on the answer (see docs/design.md)."""
import ctypes as C, time

cu = C.CDLL("libcuda.so.1")
P, U, Z = C.c_void_p, C.c_uint64, C.c_size_t


def ok(name, *args):
    code = getattr(cu, name)(*args)
    assert code == 0, (name, code)


def rc(name, *args):
    return getattr(cu, name)(*args)


PTX = b""".version 7.0
.target sm_50
.address_size 64
.visible .entry fault() { trap; }
"""
ok("cuInit", 0)
device, context = C.c_int(), P()
ok("cuDeviceGet", C.byref(device), 0)
ok("cuDevicePrimaryCtxRetain", C.byref(context), device)
ok("cuCtxSetCurrent", context)
module, function, stream, other, event = P(), P(), P(), P(), P()
ok("cuModuleLoadData", C.byref(module), PTX)
ok("cuModuleGetFunction", C.byref(function), module, b"fault")
ok("cuStreamCreate", C.byref(stream), 1)
ok("cuStreamCreate", C.byref(other), 1)
ok("cuEventCreate", C.byref(event), 0)
n = 256 << 20
dev, host, word = U(), P(), P()
ok("cuMemAlloc_v2", C.byref(dev), Z(n))
ok("cuMemsetD8_v2", dev, 0xAB, Z(n))
ok("cuMemHostAlloc", C.byref(host), Z(n), 0)
ok("cuMemHostAlloc", C.byref(word), Z(64), 2)
ok("cuCtxSynchronize")
C.memset(host, 0x11, n)
C.memset(word, 0, 64)
view = (C.c_ubyte * n).from_address(host.value)


def landed():
    return sum(view[i] == 0xAB for i in range(0, n, 1 << 16)) / (n >> 16)


ok("cuLaunchKernel", function, 1, 1, 1, 1, 1, 1, 0, stream, None, None)
print("wait for the trap              ", rc("cuStreamSynchronize", stream))
print("copy queued after the death    ", rc("cuMemcpyDtoHAsync_v2", host, dev, Z(n), other))
print("ticket queued after the death  ", rc("cuStreamWriteValue32_v2", other, word, 1, 0))
print("wait                           ", rc("cuStreamSynchronize", other))
pageable = (C.c_ubyte * 4096)()
print("pageable DtoH after the death  ", rc("cuMemcpyDtoHAsync_v2", pageable, dev, Z(4096), other), "bytes:", sum(pageable))
attribute = C.c_uint()
print("pointer attribute              ", rc("cuPointerGetAttribute", C.byref(attribute), 2, host), attribute.value)
print("current context                ", rc("cuCtxGetCurrent", C.byref(P())), "exchange mode", rc("cuThreadExchangeStreamCaptureMode", C.byref(C.c_int(2))))
print("is capturing                   ", rc("cuStreamIsCapturing", other, C.byref(C.c_int())))
for wait in (0.0, 0.1, 0.5, 2.0):
    time.sleep(wait)
    print(f"landed after {wait} s more: {landed():.4f}, ticket {C.c_uint.from_address(word.value).value}")
print("free async", rc("cuMemFreeAsync", dev, other), "free", rc("cuMemFree_v2", dev), "free host", rc("cuMemFreeHost", host))
print("stream destroy", rc("cuStreamDestroy_v2", other), "event destroy", rc("cuEventDestroy_v2", event), "release", rc("cuDevicePrimaryCtxRelease_v2", device))
