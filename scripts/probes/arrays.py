#!/usr/bin/env python3
"""What the driver says to CUDA arrays: which shapes, formats and flags it makes, what it reads back, and which copies it
takes. Needs libcuda.so.1 alone. What could crash the process is asked in a process of its own."""
import ctypes as C
import subprocess
import sys
import time

cu = C.CDLL("libcuda.so.1")
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_uint
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8


class Desc(C.Structure):
    _fields_ = [("w", Z), ("h", Z), ("format", I), ("channels", I)]


class Desc3(C.Structure):
    _fields_ = [("w", Z), ("h", Z), ("d", Z), ("format", I), ("channels", I), ("flags", I)]


class Copy3(C.Structure):
    _fields_ = [(n, t) for s in ("s", "d") for n, t in (
        (s + "x", Z), (s + "y", Z), (s + "z", Z), (s + "lod", Z), (s + "type", I), (s + "host", P), (s + "dev", U),
        (s + "arr", P), (s + "res", P), (s + "pitch", Z), (s + "height", Z))] + [("w", Z), ("h", Z), ("depth", Z)]


class Copy2(C.Structure):
    _fields_ = [(n, t) for s in ("s", "d") for n, t in (
        (s + "x", Z), (s + "y", Z), (s + "type", I), (s + "host", P), (s + "dev", U), (s + "arr", P), (s + "pitch", Z))
    ] + [("w", Z), ("h", Z)]


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


def free():
    a, b = Z(), Z()
    ok("cuMemGetInfo_v2", C.byref(a), C.byref(b))
    return a.value


def create3(w, h, d, format=0x20, channels=1, flags=0, keep=False):
    out, desc = P(), Desc3(w, h, d, format, channels, flags)
    code = rc("cuArray3DCreate_v2", C.byref(out), C.byref(desc))
    if keep:
        assert code == 0, (w, h, d, format, channels, flags, code)
        return out
    if code == 0:
        ok("cuArrayDestroy", out)
    return code


def create2(w, h, format=0x20, channels=1, keep=False):
    out, desc = P(), Desc(w, h, format, channels)
    code = rc("cuArrayCreate_v2", C.byref(out), C.byref(desc))
    if keep:
        assert code == 0, (w, h, format, channels, code)
        return out
    if code == 0:
        ok("cuArrayDestroy", out)
    return code


def described(array):
    a, b = Desc(), Desc3()
    ra, rb = rc("cuArrayGetDescriptor_v2", C.byref(a), array), rc("cuArray3DGetDescriptor_v2", C.byref(b), array)
    return (ra, a.w, a.h, a.format, a.channels), (rb, b.w, b.h, b.d, b.format, b.channels, b.flags)


def side(copy, s, what, at=(0, 0, 0), pitch=0, height=0):
    for n, v in zip("xyz", at):
        if hasattr(copy, s + n):
            setattr(copy, s + n, v)
    if isinstance(what, P):
        setattr(copy, s + "type", ARRAY), setattr(copy, s + "arr", what)
    elif isinstance(what, U):
        setattr(copy, s + "type", DEVICE), setattr(copy, s + "dev", what)
    else:
        setattr(copy, s + "type", HOST), setattr(copy, s + "host", C.addressof(what))
    setattr(copy, s + "pitch", pitch)
    if hasattr(copy, s + "height"):
        setattr(copy, s + "height", height)


def copy3(to, src, shape, to_at=(0, 0, 0), src_at=(0, 0, 0), pitch=0, height=0, stream=None, to_pitch=None):
    c = Copy3()
    side(c, "d", to, to_at, pitch if to_pitch is None else to_pitch, height), side(c, "s", src, src_at, pitch, height)
    c.w, c.h, c.depth = shape
    return rc("cuMemcpy3D_v2", C.byref(c)) if stream is None else rc("cuMemcpy3DAsync_v2", C.byref(c), stream)


def copy2(to, src, shape, to_at=(0, 0), src_at=(0, 0), pitch=0, stream=None, name="cuMemcpy2D_v2"):
    c = Copy2()
    side(c, "d", to, to_at, pitch), side(c, "s", src, src_at, pitch)
    c.w, c.h = shape
    return rc(name, C.byref(c)) if stream is None else rc("cuMemcpy2DAsync_v2", C.byref(c), stream)


def setup():
    context = P()
    ok("cuInit", 0)
    ok("cuDevicePrimaryCtxRetain", C.byref(context), 0)
    ok("cuCtxSetCurrent", context)
    return context


def risky(what):
    """In a process of its own."""
    context = setup()
    host = (C.c_char * 65536)()
    array = create2(16, 16, keep=True)
    if what == "destroy twice":
        ok("cuArrayDestroy", array)
        print("second destroy", rc("cuArrayDestroy", array))
    if what == "descriptor of a destroyed":
        ok("cuArrayDestroy", array)
        print("descriptor", described(array))
    if what == "copy to a destroyed":
        ok("cuArrayDestroy", array)
        print("copy", copy2(array, host, (64, 16), pitch=64))
    if what == "copy to a destroyed async":
        ok("cuArrayDestroy", array)
        stream = P()
        ok("cuStreamCreate", C.byref(stream), 1)
        print("copy", copy2(array, host, (64, 16), pitch=64, stream=stream), "sync", rc("cuStreamSynchronize", stream))
    if what == "destroy of no array":
        print("destroy of 0x1234", rc("cuArrayDestroy", P(0x1234)))
    if what == "destroy null":
        print("destroy of null", rc("cuArrayDestroy", P()))
    if what == "descriptor of null":
        print("descriptor of null", described(P()))
    if what == "copy of null":
        print("copy to a null array", copy2(P(), host, (64, 16), pitch=64), copy3(P(), host, (64, 16, 1), pitch=64, height=16))
        print("copy of nothing to a null array", copy2(P(), host, (0, 16), pitch=64), copy3(P(), host, (64, 16, 0), pitch=64, height=16))
    if what == "out null":
        desc, desc3, out = Desc(16, 16, 0x20, 1), Desc3(16, 16, 0, 0x20, 1, 0), P()
        print("out null", rc("cuArrayCreate_v2", None, C.byref(desc)), rc("cuArray3DCreate_v2", None, C.byref(desc3)))
        print("descriptor out null", rc("cuArrayGetDescriptor_v2", None, array), rc("cuArray3DGetDescriptor_v2", None, array))
    if what == "desc null":
        out = P()
        print("desc null", rc("cuArrayCreate_v2", C.byref(out), None), rc("cuArray3DCreate_v2", C.byref(out), None))
    if what == "no context":
        ok("cuCtxSetCurrent", None)
        print("no context current: create", create2(16, 16), create3(16, 16, 0), "descriptor", described(array),
              "copy", copy2(array, host, (64, 16), pitch=64), "destroy", rc("cuArrayDestroy", array))
    if what == "no context, null":
        ok("cuCtxSetCurrent", None)
        print("no context current: create of zero width", create2(0, 16), "destroy null", rc("cuArrayDestroy", P()))
    if what == "released context":
        ok("cuDevicePrimaryCtxRelease_v2", 0)
        print("released context: destroy", rc("cuArrayDestroy", array), "descriptor", described(array), "create", create2(4, 4))


def main():
    context = setup()
    attributes = dict.fromkeys([14, *range(21, 30), *range(42, 50), 51, *range(52, 75), 77])
    for i in attributes:
        value = C.c_int()
        code = rc("cuDeviceGetAttribute", C.byref(value), i, 0)
        attributes[i] = value.value if code == 0 else None
    print("attributes", attributes)

    print("-- formats x channels (cuArrayCreate 16x16):")
    for format in (0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 0x10, 0x11, 0x20, 0x21, 0x40, 0xb0, 0xc0, 0xffffffff):
        print(hex(format), {channels: create2(16, 16, format, channels) for channels in (0, 1, 2, 3, 4, 5, 8)})
    print("16x16x16:", {format: create3(16, 16, 16, format, 4) for format in (1, 2, 3, 8, 9, 10, 0x10, 0x20)})
    print("-- extents of nothing: cuArrayCreate", {(w, h): create2(w, h) for w in (0, 16) for h in (0, 1, 16)})
    print("cuArray3DCreate", {(w, h, d): create3(w, h, d) for w in (0, 16) for h in (0, 1, 16) for d in (0, 1, 16)})
    for name, flags in (("layered", 1), ("surface", 2), ("cubemap", 4), ("layered cubemap", 5), ("gather", 8),
                        ("layered gather", 9), ("surface gather", 10), ("cubemap gather", 12), ("layered surface", 3),
                        ("cubemap surface", 6), ("layered cubemap surface", 7), ("everything", 15), ("depth texture 0x10", 0x10),
                        ("color 0x20", 0x20), ("sparse 0x40", 0x40), ("deferred 0x80", 0x80), ("video 0x100", 0x100), ("0x200", 0x200), ("0x80000000", 0x80000000)):
        shapes = [(0, 0, 0), (0, 16, 0), (16, 0, 0), (16, 0, 1), (16, 0, 6), (16, 0, 16), (16, 1, 0), (16, 16, 0), (16, 16, 1), (16, 16, 5), (16, 16, 6), (16, 16, 7), (16, 8, 6),
                  (16, 16, 12), (16, 16, 16), (16, 8, 12), (16, 0, 12)]
        print(name, {s: create3(*s, flags=flags) for s in shapes})
    print("flags x formats", {(flags, f, c): create3(64, 64, 0, f, c, flags) for flags in (2, 8) for f in (1, 3, 10, 16, 32) for c in (1, 2, 4)})

    print("-- limits (at, one over), u8 of one channel:")
    a = attributes
    limits = {
        "1-D width": (lambda n: (n, 0, 0, 0), a[21]), "2-D width": (lambda n: (n, 1, 0, 0), a[22]), "2-D height": (lambda n: (1, n, 0, 0), a[23]),
        "3-D width": (lambda n: (n, 1, 1, 0), a[24]), "3-D height": (lambda n: (1, n, 1, 0), a[25]), "3-D depth": (lambda n: (1, 1, n, 0), a[26]),
        "3-D alternate width": (lambda n: (n, 1, 1, 0), a[47]), "3-D alternate height": (lambda n: (1, n, 1, 0), a[48]), "3-D alternate depth": (lambda n: (1, 1, n, 0), a[49]),
        "2-D layered width": (lambda n: (n, 1, 1, 1), a[27]), "2-D layered height": (lambda n: (1, n, 1, 1), a[28]), "2-D layers": (lambda n: (1, 1, n, 1), a[29]),
        "1-D layered width": (lambda n: (n, 0, 1, 1), a[42]), "1-D layers": (lambda n: (1, 0, n, 1), a[43]),
        "gather width": (lambda n: (n, 1, 0, 8), a[45]), "gather height": (lambda n: (1, n, 0, 8), a[46]),
        "cubemap": (lambda n: (n, n, 6, 4), a[52]), "layered cubemap": (lambda n: (n, n, 6, 5), a[53]), "cubemap layers": (lambda n: (1, 1, n, 5), a[54]),
        "cubemap layers, next six": (lambda n: (1, 1, n // 6 * 6, 5), a[54]),
        "surface 1-D width": (lambda n: (n, 0, 0, 2), a[55]), "surface 2-D width": (lambda n: (n, 1, 0, 2), a[56]), "surface 2-D height": (lambda n: (1, n, 0, 2), a[57]),
        "surface 3-D width": (lambda n: (n, 1, 1, 2), a[58]), "surface 3-D height": (lambda n: (1, n, 1, 2), a[59]), "surface 3-D depth": (lambda n: (1, 1, n, 2), a[60]),
        "surface 1-D layered width": (lambda n: (n, 0, 1, 3), a[61]), "surface 1-D layers": (lambda n: (1, 0, n, 3), a[62]),
        "surface 2-D layered width": (lambda n: (n, 1, 1, 3), a[63]), "surface 2-D layered height": (lambda n: (1, n, 1, 3), a[64]), "surface 2-D layers": (lambda n: (1, 1, n, 3), a[65]),
        "surface cubemap": (lambda n: (n, n, 6, 6), a[66]), "surface layered cubemap": (lambda n: (n, n, 6, 7), a[67]), "surface cubemap layers": (lambda n: (1, 1, n, 7), a[68]),
    }
    for name, (shape, limit) in limits.items():
        row = []
        for n in (limit, limit + 1, limit + 6, limit * 2):
            w, h, d, flags = shape(n)
            row.append(((w, h, d), create3(w, h, d, 1, 1, flags)))
        print(name, limit, row)
    print("cuArrayCreate at and over", [create2(a[21], 0, 1), create2(a[21] + 1, 0, 1), create2(a[22], 1, 1), create2(a[22] + 1, 1, 1), create2(1, a[23], 1), create2(1, a[23] + 1, 1)])
    print("16 bytes an element at the limits", create2(a[21], 0, 0x20, 4), create2(a[22], 1, 0x20, 4), create3(a[24], 1, 1, 0x20, 4))
    print("too much memory", create3(a[24], a[25], a[26], 0x20, 4), create3(a[27], a[28], a[29], 0x20, 4, 1))
    print("no extents", create2(2**64 - 1, 1), create2(1, 2**64 - 1), create2(2**63, 2**63), create3(1, 1, 2**64 - 1), create3(2**32 + 1, 1, 1))
    print("all wrong: format and width 0", create2(0, 1, 0, 1), "channels 3 and too wide", create2(2**40, 1, 0x20, 3))

    print("-- descriptors (2-D: code w h format channels; 3-D: code w h d format channels flags):")
    for w, h, d, f, c, flags in ((16, 0, 0, 0x20, 1, 0), (16, 1, 0, 0x20, 1, 0), (16, 8, 0, 1, 4, 2), (16, 8, 4, 0x10, 2, 0), (16, 0, 4, 0x20, 1, 1), (16, 8, 4, 0x20, 1, 3),
                                  (16, 16, 6, 0x20, 1, 4), (16, 16, 12, 0x20, 1, 5), (16, 8, 0, 0x20, 1, 8), (16, 8, 1, 0x20, 1, 0), (16, 8, 1, 0x20, 1, 1)):
        array = create3(w, h, d, f, c, flags, keep=True)
        print((w, h, d, f, c, flags), *described(array))
        ok("cuArrayDestroy", array)
    for w, h in ((16, 0), (16, 1), (16, 8)):
        array = create2(w, h, keep=True)
        print("cuArrayCreate", (w, h), *described(array))
        ok("cuArrayDestroy", array)

    print("-- copies:")
    host, dev, stream = (C.c_char * (1 << 20))(*([7] * 4096)), U(), P()
    ok("cuMemAlloc_v2", C.byref(dev), Z(1 << 20))
    ok("cuMemsetD8_v2", dev, 9, Z(1 << 20))
    ok("cuStreamCreate", C.byref(stream), 1)
    line, image, volume = create2(16, 0, keep=True), create2(16, 8, keep=True), create3(16, 8, 4, keep=True)
    layers1, layers2 = create3(16, 0, 4, flags=1, keep=True), create3(16, 8, 4, flags=1, keep=True)
    cube, cubes = create3(8, 8, 6, flags=4, keep=True), create3(8, 8, 12, flags=5, keep=True)
    other = create2(16, 8, 3, 1, keep=True)      # u32
    wide = create2(16, 8, 0x20, 4, keep=True)    # f32 x 4
    narrow = create2(64, 8, 1, 1, keep=True)     # u8
    half = create2(16, 8, 0x10, 2, keep=True)    # f16 x 2: 4 bytes
    print("1-D 2D height 1, 0, 2, y 1:", copy2(line, host, (64, 1), pitch=64), copy2(line, host, (64, 0), pitch=64), copy2(line, host, (64, 2), pitch=64), copy2(line, host, (64, 1), to_at=(0, 1), pitch=64))
    print("1-D 3D:", copy3(line, host, (64, 1, 1), pitch=64, height=1), "depth 2", copy3(line, host, (64, 1, 2), pitch=64, height=1))
    print("2-D, host pitch 64, 63, 0:", [copy2(image, host, (64, 8), pitch=p) for p in (64, 63, 0)], "device pitch", [copy2(image, dev, (64, 8), pitch=p) for p in (64, 63, 0)])
    print("2-D, one row, pitch 0:", copy2(image, host, (64, 1), pitch=0), copy2(image, dev, (64, 1), pitch=0))
    print("2-D back:", copy2(host, image, (64, 8), pitch=64), copy2(dev, image, (64, 8), pitch=64), "unaligned call:", copy2(image, host, (64, 8), pitch=64, name="cuMemcpy2DUnaligned_v2"))
    print("2-D bytes that are no whole elements: width 3", copy2(image, host, (3, 1), pitch=64), "x 1", copy2(image, host, (4, 1), to_at=(1, 0), pitch=64), "x 2 w 2", copy2(image, host, (2, 1), to_at=(2, 0), pitch=64),
          "from x 1", copy2(host, image, (4, 1), src_at=(1, 0), pitch=64), "f32x4 x 4 w 4", copy2(wide, host, (4, 1), to_at=(4, 0), pitch=64), "f32x4 x 8 w 8", copy2(wide, host, (8, 1), to_at=(8, 0), pitch=64),
          "to device x 1", copy2(dev, image, (4, 1), to_at=(1, 0), pitch=64), "3-D x 1", copy3(image, host, (4, 1, 1), to_at=(1, 0, 0), pitch=64, height=1), "3-D w 3", copy3(image, host, (3, 1, 1), pitch=64, height=1))
    print("2-D outside: w", copy2(image, host, (68, 8), pitch=128), "h", copy2(image, host, (64, 9), pitch=64), "x", copy2(image, host, (64, 8), to_at=(4, 0), pitch=64), "y", copy2(image, host, (64, 8), to_at=(0, 1), pitch=64),
          "x past all, nothing", copy2(image, host, (0, 8), to_at=(128, 0), pitch=64), "source w", copy2(host, image, (68, 8), pitch=128), "source y", copy2(host, image, (64, 8), src_at=(0, 1), pitch=64),
          "x max", copy2(image, host, (4, 1), to_at=(2**64 - 4, 0), pitch=64), "y max", copy2(image, host, (4, 1), to_at=(0, 2**64 - 1), pitch=64),
          "async w", copy2(image, host, (68, 8), pitch=128, stream=stream))
    print("2-D array, 3D call z 1:", copy3(image, host, (64, 8, 1), to_at=(0, 0, 1), pitch=64, height=8), "depth 2", copy3(image, host, (64, 8, 2), pitch=64, height=8), "height 0 of one slice", copy3(image, host, (64, 8, 1), pitch=64, height=0))
    print("3-D: all", copy3(volume, host, (64, 8, 4), pitch=64, height=8), "height 7", copy3(volume, host, (64, 8, 4), pitch=64, height=7), "height 0", copy3(volume, host, (64, 8, 4), pitch=64, height=0), "z 1", copy3(volume, host, (64, 8, 4), to_at=(0, 0, 1), pitch=64, height=8),
          "h 9", copy3(volume, host, (64, 9, 4), pitch=64, height=9), "depth 5", copy3(volume, host, (64, 8, 5), pitch=64, height=8), "back", copy3(host, volume, (64, 8, 4), pitch=64, height=8),
          "2D call", copy2(volume, host, (64, 8), pitch=64), "2D call back", copy2(host, volume, (64, 8), pitch=64))
    print("layered 1-D: 3D (64,1,4)", copy3(layers1, host, (64, 1, 4), pitch=64, height=1), "(64,4,1)", copy3(layers1, host, (64, 4, 1), pitch=64, height=4), "(64,1,1) z 3", copy3(layers1, host, (64, 1, 1), to_at=(0, 0, 3), pitch=64, height=1),
          "z 4", copy3(layers1, host, (64, 1, 1), to_at=(0, 0, 4), pitch=64, height=1), "2D (64,1)", copy2(layers1, host, (64, 1), pitch=64), "2D (64,4)", copy2(layers1, host, (64, 4), pitch=64))
    print("layered 2-D: all", copy3(layers2, host, (64, 8, 4), pitch=64, height=8), "z 3", copy3(layers2, host, (64, 8, 1), to_at=(0, 0, 3), pitch=64, height=8), "z 4", copy3(layers2, host, (64, 8, 1), to_at=(0, 0, 4), pitch=64, height=8), "2D call", copy2(layers2, host, (64, 8), pitch=64))
    print("cubemap: all", copy3(cube, host, (32, 8, 6), pitch=32, height=8), "face 5", copy3(cube, host, (32, 8, 1), to_at=(0, 0, 5), pitch=32, height=8), "face 6", copy3(cube, host, (32, 8, 1), to_at=(0, 0, 6), pitch=32, height=8), "layered all", copy3(cubes, host, (32, 8, 12), pitch=32, height=8),
          "cube to cube", copy3(cube, cubes, (32, 8, 6), src_at=(0, 0, 6)), "2D", copy2(cube, host, (32, 8), pitch=32))
    print("array to array: same", copy2(image, image, (32, 4), to_at=(32, 4)), "overlapping itself", copy2(image, image, (32, 4), to_at=(4, 1)), "f32 -> u32", copy2(other, image, (64, 8)), "f32 -> f32x4", copy2(wide, image, (64, 8)), "f32 -> u8", copy2(narrow, image, (64, 8)),
          "f32 -> f16x2", copy2(half, image, (64, 8)), "1-D -> 2-D", copy2(image, line, (64, 1)), "2-D -> 3-D", copy3(volume, image, (64, 8, 1), to_at=(0, 0, 2)), "layered -> 3-D", copy3(volume, layers2, (64, 8, 4)),
          "3-D f32 -> f32x4", copy3(wide, image, (64, 8, 1)), "u8 -> f32 w 3", copy2(image, narrow, (3, 1)), "f32 -> u8 x 1", copy2(narrow, image, (4, 1), to_at=(1, 0)), "async", copy2(other, image, (64, 8), stream=stream), "async differing", copy2(wide, image, (64, 8), stream=stream))
    print("array type with pitch and height given:", copy3(volume, host, (64, 8, 4), pitch=64, height=8, to_pitch=3))
    lod = Copy3()
    side(lod, "d", image, (0, 0, 0)), side(lod, "s", host, (0, 0, 0), 64, 8)
    lod.w, lod.h, lod.depth, lod.dlod = 64, 8, 1, 1
    print("LOD 1 of an array:", rc("cuMemcpy3D_v2", C.byref(lod)))
    lod.dlod, lod.slod = 0, 1
    print("LOD 1 of the host side:", rc("cuMemcpy3D_v2", C.byref(lod)))
    lod.slod, lod.dres = 0, 1
    print("reserved not null:", rc("cuMemcpy3D_v2", C.byref(lod)))
    back = (C.c_char * 512)()
    ok("cuMemcpy2D_v2", C.byref(Copy2(0, 0, HOST, C.addressof(host), 0, None, 64, 0, 0, ARRAY, None, 0, image, 0, 64, 8)))
    print("read back:", copy2(back, image, (8, 2), src_at=(60, 6), pitch=8), copy2(back, image, (4, 2), src_at=(60, 6), pitch=8), bytes(back[:16]))
    u = Copy2(0, 0, UNIFIED, None, dev, None, 64, 0, 0, ARRAY, None, 0, image, 0, 64, 8)
    print("unified source:", rc("cuMemcpy2D_v2", C.byref(u)))
    fresh = create3(64, 64, 0, 1, keep=True)
    print("a fresh array reads as", copy2(host, fresh, (64, 64), pitch=64), sorted(set(bytes(host[:4096])))[:4])
    ok("cuArrayDestroy", fresh)
    ok("cuCtxSynchronize")

    print("-- memory:")
    for shape in ((1, 0, 0), (16, 16, 0), (256, 256, 0), (1024, 1024, 0), (128, 128, 128), (1000, 1000, 0)):
        before = free()
        array = create3(*shape, 0x20, 1, 0, keep=True)
        during = free()
        ok("cuArrayDestroy", array)
        print(shape, "f32 takes", before - during, "and gives back", free() - during)

    print("-- what waits, with a host function of 0.4 s on a stream (blocking, then non-blocking); seconds:")
    hostfn = C.CFUNCTYPE(None, P)(lambda _: time.sleep(0.4))
    locked = P()
    ok("cuMemHostAlloc", C.byref(locked), Z(1 << 20), 0)
    small = C.cast(locked, C.POINTER(C.c_char * (1 << 20))).contents
    for flags in (0, 1):
        busy = P()
        ok("cuStreamCreate", C.byref(busy), flags)
        doomed = [create2(16, 8, keep=True) for _ in range(2)]
        calls = {
            "create": lambda: create2(16, 8, keep=True),
            "destroy of an idle one": lambda: rc("cuArrayDestroy", doomed[0]),
            "destroy of one in use": lambda: (copy2(doomed[1], small, (64, 8), pitch=64, stream=busy), rc("cuArrayDestroy", doomed[1])),
            "descriptor": lambda: described(image)[0][0],
            "sync HtoA pageable": lambda: copy2(image, host, (64, 8), pitch=64),
            "sync HtoA page-locked": lambda: copy2(image, small, (64, 8), pitch=64),
            "sync AtoH pageable": lambda: copy2(host, image, (64, 8), pitch=64),
            "sync AtoD": lambda: copy2(dev, image, (64, 8), pitch=64),
            "sync DtoA": lambda: copy2(image, dev, (64, 8), pitch=64),
            "sync AtoA": lambda: copy2(other, image, (64, 8)),
            "async HtoA pageable": lambda: copy2(image, host, (64, 8), pitch=64, stream=busy),
            "async HtoA page-locked": lambda: copy2(image, small, (64, 8), pitch=64, stream=busy),
            "async AtoH pageable": lambda: copy2(host, image, (64, 8), pitch=64, stream=busy),
            "async AtoH page-locked": lambda: copy2(small, image, (64, 8), pitch=64, stream=busy),
            "async AtoA": lambda: copy2(other, image, (64, 8), stream=busy),
        }
        for name, call in calls.items():
            ok("cuCtxSynchronize")
            ok("cuLaunchHostFunc", busy, hostfn, None)
            time.sleep(0.05)
            start = time.perf_counter()
            result = call()
            print("non-blocking" if flags else "blocking", name, "%.2f" % (time.perf_counter() - start), result if not isinstance(result, P) else "made")
        ok("cuCtxSynchronize")

    print("-- while a stream captures in global mode on this thread:")
    spare = create2(16, 8, keep=True)
    for name, call in {
        "create": lambda: create2(16, 8), "destroy": lambda: rc("cuArrayDestroy", spare), "descriptor": lambda: described(image)[1][0],
        "async HtoA page-locked on it": lambda: copy2(image, small, (64, 8), pitch=64, stream=stream),
        "async AtoA on it": lambda: copy2(other, image, (64, 8), stream=stream), "sync copy": lambda: copy2(other, image, (64, 8)),
        "async copy on another": lambda: copy2(other, image, (64, 8), stream=busy),
    }.items():
        graph = P()
        ok("cuStreamBeginCapture_v2", stream, 0)
        print(name, call(), "end", rc("cuStreamEndCapture", stream, C.byref(graph)))
    two = C.c_int()
    ok("cuDeviceGetCount", C.byref(two))
    if two.value > 1:
        second = P()
        ok("cuDevicePrimaryCtxRetain", C.byref(second), 1)
        ok("cuCtxSetCurrent", second)
        print("-- with another device's context current: descriptor", described(image)[1][0], "copy from host", copy2(image, host, (64, 8), pitch=64), "to host", copy2(host, image, (64, 8), pitch=64))
        there, foreign = P(), create2(16, 8, keep=True)
        ok("cuStreamCreate", C.byref(there), 1)
        print("copy between", copy2(foreign, image, (64, 8)), "on this device's stream", copy2(image, host, (64, 8), pitch=64, stream=there), "on its own", copy2(image, host, (64, 8), pitch=64, stream=stream), "destroy", rc("cuArrayDestroy", image))

    print("-- in processes of their own:")
    sys.stdout.flush()
    for what in ("destroy twice", "descriptor of a destroyed", "copy to a destroyed", "copy to a destroyed async", "destroy of no array",
                 "destroy null", "descriptor of null", "copy of null", "out null", "desc null", "no context", "no context, null", "released context"):
        done = subprocess.run([sys.executable, __file__, what], capture_output=True, text=True)
        print(what, "-> exit", done.returncode, done.stdout.strip().replace("\n", " | "), done.stderr.strip()[-120:])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        risky(sys.argv[1])
    else:
        main()
