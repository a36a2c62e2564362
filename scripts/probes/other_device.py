#!/usr/bin/env python3
"""Which operations take memory of one device on a stream of another: run on a machine with two GPUs, needs libcuda.so.1
alone. memcore refuses what the driver refuses (see docs/design.md)."""
import ctypes as C

cu = C.CDLL("libcuda.so.1")
P, U, Z = C.c_void_p, C.c_uint64, C.c_size_t


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


ok("cuInit", 0)
contexts, streams, plain, pooled, host = [], [], [], [], []
for i in range(2):
    context, stream, a, b, h = P(), P(), U(), U(), P()
    ok("cuDevicePrimaryCtxRetain", C.byref(context), i)
    ok("cuCtxSetCurrent", context)
    ok("cuStreamCreate", C.byref(stream), 1)
    ok("cuMemAlloc_v2", C.byref(a), Z(4096))
    ok("cuMemAllocAsync", C.byref(b), Z(4096), stream)
    ok("cuStreamSynchronize", stream)
    ok("cuMemHostAlloc", C.byref(h), Z(4096), 0)
    contexts.append(context), streams.append(stream), plain.append(a), pooled.append(b), host.append(h)
pageable = (C.c_char * 4096)()
for what, memory in (("cuMemAlloc", plain), ("pool", pooled)):
    for current in (0, 1):
        ok("cuCtxSetCurrent", contexts[current])
        near, far, s0, s1 = memory[0], memory[1], streams[0], streams[1]
        print(
            f"{what} memory of device 0 on a stream of device 1, context {current} current:",
            "HtoD page-locked", rc("cuMemcpyHtoDAsync_v2", near, host[0], Z(4096), s1),
            "HtoD pageable", rc("cuMemcpyHtoDAsync_v2", near, pageable, Z(4096), s1),
            "DtoH", rc("cuMemcpyDtoHAsync_v2", host[0], near, Z(4096), s1),
            "DtoD", rc("cuMemcpyDtoDAsync_v2", near, C.c_uint64(near.value + 2048), Z(2048), s1),
            "memset", rc("cuMemsetD8Async", near, 1, Z(4096), s1),
            "DtoD to device 1", rc("cuMemcpyDtoDAsync_v2", far, near, Z(4096), s1),
            "peer on the destination's stream", rc("cuMemcpyPeerAsync", far, contexts[1], near, contexts[0], Z(4096), s1),
            "peer on the source's stream", rc("cuMemcpyPeerAsync", far, contexts[1], near, contexts[0], Z(4096), s0),
            "sync HtoD", rc("cuMemcpyHtoD_v2", near, pageable, Z(4096)),
            "free async", rc("cuStreamSynchronize", s1),
        )
for memory in (plain, pooled):
    for current in (0, 1):
        ok("cuCtxSetCurrent", contexts[current])
        print("context", current, "current: cuMemsetD8 of device 0:", rc("cuMemsetD8_v2", memory[0], 1, Z(16)),
              "cuMemFreeAsync of device 0 on a stream of device 1:", rc("cuMemFreeAsync", memory[0], streams[1]) if current else "-")
can = C.c_int()
ok("cuDeviceCanAccessPeer", C.byref(can), 0, 1)
print("can access peer:", can.value)
event = P()
ok("cuCtxSetCurrent", contexts[0])
ok("cuEventCreate", C.byref(event), 0)
print("record on the other device's stream:", rc("cuEventRecord", event, streams[1]), "wait there:", rc("cuStreamWaitEvent", streams[1], event, 0))
