#!/usr/bin/env python3
"""Whether copies from layer to layer of one array land."""
import ctypes as C
from arrays import ARRAY, HOST, Copy3, Desc3, P, ok, rc, setup

setup()

def run(flags, dims, call, zs, stream=None, depth=1, peer=False):
    w, h, d = dims
    out, desc = P(), Desc3(w, h, d, 0x20, 1, flags)
    ok("cuArray3DCreate_v2", C.byref(out), C.byref(desc))
    rows = max(h, 1)
    n = w * rows * max(d, 1)
    data = (C.c_float * n)(*range(n))
    c = Copy3(); c.stype = HOST; c.shost = C.cast(data, P); c.spitch = w * 4; c.sheight = rows
    c.dtype = ARRAY; c.darr = out; c.w, c.h, c.depth = w * 4, rows, max(d, 1)
    ok("cuMemcpy3D_v2", C.byref(c))
    c = Copy3(); c.stype = ARRAY; c.sarr = out; c.sz = zs[0]; c.dtype = ARRAY; c.darr = out; c.dz = zs[1]
    c.w, c.h, c.depth = w * 4, rows, depth
    code = rc(call, C.byref(c), *( [stream] if stream else []))
    ok("cuCtxSynchronize")
    back = (C.c_float * n)()
    c = Copy3(); c.dtype = HOST; c.dhost = C.cast(back, P); c.dpitch = w * 4; c.dheight = rows
    c.stype = ARRAY; c.sarr = out; c.w, c.h, c.depth = w * 4, rows, max(d, 1)
    ok("cuMemcpy3D_v2", C.byref(c))
    per = w * rows
    want = list(range(n)); want[zs[1]*per:(zs[1]+depth)*per] = want[zs[0]*per:(zs[0]+depth)*per]
    got = [int(x) for x in back]
    print(call, "flags", flags, dims, zs, "depth", depth, "code", code, "landed" if got == want else ("NOT " + str(got[:24])))
    ok("cuArrayDestroy", out)

s = P(); ok("cuStreamCreate", C.byref(s), 1)
for flags in (0, 1):
    for dims in ((4, 4, 4), (4, 1, 4), (4, 0, 4)):
        if flags == 0 and dims[1] == 0: continue
        for call, st in (("cuMemcpy3D_v2", None), ("cuMemcpy3DAsync_v2", s)):
            for zs, depth in (((0, 1), 1), ((1, 3), 1), ((0, 2), 2)):
                run(flags, dims, call, zs, st, depth)
run(5, (4, 4, 12), "cuMemcpy3DAsync_v2", (0, 6), s, 6)
run(4, (4, 4, 6), "cuMemcpy3DAsync_v2", (0, 3), s, 3)


def part(flags, dims, width, rows, depth, to, frm):
    """Part of layers, from one to another."""
    w, h, d = dims
    out, desc = P(), Desc3(w, h, d, 0x20, 1, flags)
    ok("cuArray3DCreate_v2", C.byref(out), C.byref(desc))
    n = w * h * d
    data = (C.c_float * n)(*range(n))
    c = Copy3(); c.stype = HOST; c.shost = C.cast(data, P); c.spitch = w * 4; c.sheight = h
    c.dtype = ARRAY; c.darr = out; c.w, c.h, c.depth = w * 4, h, d
    ok("cuMemcpy3D_v2", C.byref(c))
    c = Copy3(); c.stype = ARRAY; c.sarr = out; c.dtype = ARRAY; c.darr = out
    c.sx, c.sy, c.sz = frm[0] * 4, frm[1], frm[2]
    c.dx, c.dy, c.dz = to[0] * 4, to[1], to[2]
    c.w, c.h, c.depth = width * 4, rows, depth
    code = rc("cuMemcpy3DAsync_v2", C.byref(c), s)
    ok("cuCtxSynchronize")
    back = (C.c_float * n)()
    c = Copy3(); c.dtype = HOST; c.dhost = C.cast(back, P); c.dpitch = w * 4; c.dheight = h
    c.stype = ARRAY; c.sarr = out; c.w, c.h, c.depth = w * 4, h, d
    ok("cuMemcpy3D_v2", C.byref(c))
    want = list(range(n))
    for z in range(depth):
        for y in range(rows):
            for x in range(width):
                want[((to[2]+z)*h + to[1]+y)*w + to[0]+x] = ((frm[2]+z)*h + frm[1]+y)*w + frm[0]+x
    got = [int(v) for v in back]
    print("part", flags, dims, (width, rows, depth), frm, "to", to, code, "landed" if got == want else "NOT " + str([(i, g) for i, (g, v) in enumerate(zip(got, want)) if g != v]))
    ok("cuArrayDestroy", out)


for flags in (0, 1):
    for width, rows, depth in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (5, 4, 1), (4, 3, 1), (1, 1, 2)):
        part(flags, (5, 4, 4), width, rows, depth, (0, 0, 2), (0, 0, 0))
    part(flags, (5, 4, 4), 1, 1, 1, (0, 1, 0), (0, 0, 0))
    part(flags, (5, 4, 4), 1, 1, 1, (1, 1, 1), (0, 0, 0))
    part(flags, (5, 4, 4), 2, 2, 1, (2, 1, 3), (1, 1, 0))


def between(flags_to, flags_from, z_to, z_from):
    arrays = []
    for flags, base in ((flags_to, 0), (flags_from, 1000)):
        out, desc = P(), Desc3(4, 4, 4, 0x20, 1, flags)
        ok("cuArray3DCreate_v2", C.byref(out), C.byref(desc))
        data = (C.c_float * 64)(*range(base, base + 64))
        c = Copy3(); c.stype = HOST; c.shost = C.cast(data, P); c.spitch = 16; c.sheight = 4
        c.dtype = ARRAY; c.darr = out; c.w, c.h, c.depth = 16, 4, 4
        ok("cuMemcpy3D_v2", C.byref(c))
        arrays.append(out)
    c = Copy3(); c.stype = c.dtype = ARRAY; c.darr, c.sarr = arrays; c.dz, c.sz = z_to, z_from
    c.w, c.h, c.depth = 16, 4, 1
    code = rc("cuMemcpy3DAsync_v2", C.byref(c), s)
    ok("cuCtxSynchronize")
    back = (C.c_float * 64)()
    c = Copy3(); c.dtype = HOST; c.dhost = C.cast(back, P); c.dpitch = 16; c.dheight = 4
    c.stype = ARRAY; c.sarr = arrays[0]; c.w, c.h, c.depth = 16, 4, 4
    ok("cuMemcpy3D_v2", C.byref(c))
    firsts = [int(back[16 * z]) for z in range(4)]
    want = [0, 16, 32, 48]; want[z_to] = 1000 + 16 * z_from
    print("between", flags_from, "layer", z_from, "to", flags_to, "layer", z_to, code, "landed" if firsts == want else f"NOT {firsts}")
    for out in arrays:
        ok("cuArrayDestroy", out)


for flags_to, flags_from in ((0, 0), (1, 1), (0, 1), (1, 0)):
    for z_to, z_from in ((0, 0), (2, 2), (0, 2), (2, 0), (1, 3)):
        between(flags_to, flags_from, z_to, z_from)
