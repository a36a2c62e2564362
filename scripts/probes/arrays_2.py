#!/usr/bin/env python3
"""What `arrays.py` left open: a pitch or height of 0 in copies of rows, with arrays and without; and array calls in host
functions."""
import ctypes as C

import arrays as A

cu, P, U, Z = A.cu, A.P, A.U, A.Z
A.setup()
image, volume = A.create2(16, 8, 1, 1, keep=True), A.create3(16, 8, 4, 1, keep=True)
host, dev, back = (C.c_char * 4096)(*[i % 251 for i in range(4096)]), U(), (C.c_char * 4096)()
A.ok("cuMemAlloc_v2", C.byref(dev), Z(4096))


def show(what, code, array=None, shape=(16, 8, 4)):
    A.ok("cuCtxSynchronize")
    C.memset(back, 255, 4096)
    if array is not None:
        A.ok("cuMemcpy3D_v2", C.byref(whole(array, shape)))
        print(what, code, [list(bytes(back[i * 16:i * 16 + 4])) for i in range(10)], "slice 1", list(bytes(back[128:132])))
    else:
        A.ok("cuMemcpyDtoH_v2", back, dev, Z(256))
        print(what, code, list(bytes(back[:40])))


def whole(array, shape):
    c = A.Copy3()
    A.side(c, "d", back, (0, 0, 0), 16, 8), A.side(c, "s", array)
    c.w, c.h, c.depth = shape
    return c


def pitches(to, src, shape):
    c = A.Copy2()
    A.side(c, "d", dev, (0, 0), to), A.side(c, "s", host, (0, 0), src)
    c.w, c.h = shape
    return A.rc("cuMemcpy2D_v2", C.byref(c))


def clear():
    A.ok("cuMemsetD8_v2", dev, 255, Z(4096))
    A.ok("cuCtxSynchronize")


show("to an array: pitch 0, width 8 x 4 rows:", A.copy2(image, host, (8, 4), pitch=0), image, (16, 8, 1))
show("to an array: pitch 0, x 2, width 8 x 4 rows:", A.copy2(image, host, (8, 4), src_at=(2, 0), pitch=0), image, (16, 8, 1))
show("to an array: pitch 0, y 1, width 8 x 4 rows:", A.copy2(image, host, (8, 4), src_at=(0, 1), pitch=0), image, (16, 8, 1))
show("to an array: pitch 16, height 0, 8 x 2 x 3:", A.copy3(volume, host, (8, 2, 3), pitch=16, height=0), volume)
show("to an array: pitch 16, height 0, z 1, 8 x 2 x 3:", A.copy3(volume, host, (8, 2, 3), src_at=(0, 0, 1), pitch=16, height=0), volume)
show("to an array: pitch 16, height 0, y 1, 8 x 2 x 3:", A.copy3(volume, host, (8, 2, 3), src_at=(0, 1, 0), pitch=16, height=0), volume)
show("to an array: pitch 0, height 0, 8 x 2 x 3:", A.copy3(volume, host, (8, 2, 3), pitch=0, height=0), volume)
for name, call in {
    "to device memory: both pitches 0, 8 x 4 rows": lambda: A.copy2(dev, host, (8, 4), pitch=0),
    "to device memory: host pitch 0, device pitch 16, 8 x 2 rows": lambda: pitches(16, 0, (8, 2)),
    "host pitch 16, device pitch 0, 8 x 4 rows": lambda: pitches(0, 16, (8, 4)),
    "both pitches 0, source x 2, 8 x 2 rows": lambda: A.copy2(dev, host, (8, 2), src_at=(2, 0), pitch=0),
    "one row, both pitches 0": lambda: A.copy2(dev, host, (8, 1), pitch=0),
    "3-D, pitches 16, heights 0, 8 x 2 x 2": lambda: A.copy3(dev, host, (8, 2, 2), pitch=16, height=0),
    "3-D, pitches 0, heights 2, 8 x 2 x 2": lambda: A.copy3(dev, host, (8, 2, 2), pitch=0, height=2),
    "3-D, pitches 0, heights 1, 8 x 2 x 2": lambda: A.copy3(dev, host, (8, 2, 2), pitch=0, height=1),
}.items():
    clear()
    show(name, call())
for pitch in (2**31 - 1, 2**31, 2**32 + 64):
    print("host pitch", pitch, "of one row to an array", A.copy2(image, host, (16, 1), pitch=pitch))
spare = A.create2(16, 8, 1, 1, keep=True)
stream = P()
A.ok("cuStreamCreate", C.byref(stream), 1)
codes = {}


def ask(_):
    codes["create"] = A.create2(16, 8)
    codes["descriptor"] = A.described(image)[1][0]
    codes["copy"] = A.copy2(image, host, (16, 8), pitch=16)
    codes["async copy"] = A.copy2(image, host, (16, 8), pitch=16, stream=stream)
    codes["destroy"] = A.rc("cuArrayDestroy", spare)


function = C.CFUNCTYPE(None, P)(ask)
A.ok("cuLaunchHostFunc", stream, function, None)
A.ok("cuStreamSynchronize", stream)
print("in a host function:", codes)
