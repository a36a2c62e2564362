#!/usr/bin/env python3
"""Which orders of freeing and destroying a memory pool the driver survives, each in a process of its own: needs
libcuda.so.1 alone."""
import ctypes as C
import subprocess
import sys

MIB = 1 << 20
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_int


class Props(C.Structure):
    _fields_ = [("alloc", C.c_uint), ("handles", C.c_uint), ("kind", C.c_uint), ("id", I), ("security", P), ("max_size", Z),
                ("usage", C.c_ushort), ("reserved", C.c_ubyte * 54)]


CASES = ("all freed and awaited", "a free pending", "memory left, freed later", "a free pending, memory left, freed later",
         "memory left, asked for its pool, freed later", "memory left, never freed", "trim with a free pending",
         "maximum", "memory left, freed later on another stream")


def case(name):
    cu = C.CDLL("libcuda.so.1")

    def ok(call, *args):
        code = getattr(cu, call)(*args)
        assert code == 0, (call, code)

    def made(kind, call, *args):
        out = kind()
        ok(call, C.byref(out), *args)
        return out

    ok("cuInit", 0)
    context = made(P, "cuDevicePrimaryCtxRetain", 0)
    ok("cuCtxSetCurrent", context)
    stream, other = made(P, "cuStreamCreate", 1), made(P, "cuStreamCreate", 1)

    def pool(threshold=None, maximum=0):
        out = made(P, "cuMemPoolCreate", C.byref(Props(1, 0, 1, 0, None, maximum)))
        if threshold is not None:
            ok("cuMemPoolSetAttribute", out, 4, C.byref(U(threshold)))
        return out

    def alloc(of, size=MIB, on=None):
        return made(U, "cuMemAllocFromPoolAsync", Z(size), of, on or stream)

    def free(address, on=None):
        ok("cuMemFreeAsync", address, on or stream)

    def sync():
        ok("cuStreamSynchronize", stream)
        ok("cuStreamSynchronize", other)

    def statistics(of):
        return [get(of, n) for n in (5, 6, 7, 8)]

    def get(of, n):
        value = U()
        ok("cuMemPoolGetAttribute", of, n, C.byref(value))
        return value.value

    def use():
        """Another pool, as a program would use it."""
        of = pool(2 ** 64 - 1)
        first = statistics(of)
        small, large = alloc(of, 1000), alloc(of, 4 * MIB)
        sync()
        free(large), statistics(of), free(small)
        sync()
        ok("cuMemPoolTrimTo", of, Z(0))
        for n in (6, 8):
            ok("cuMemPoolSetAttribute", of, n, C.byref(U(0)))
        last = statistics(of)
        free(alloc(of, 10))
        sync()
        ok("cuMemPoolDestroy", of)
        return first == [0] * 4 and last == [0] * 4

    right = True
    for turn in range(200):
        of = pool(0, 32 * MIB if name == "maximum" else 0)
        a, b = alloc(of), alloc(of)
        sync()
        if name in ("all freed and awaited", "maximum"):
            free(a), free(b), sync()
        elif name == "a free pending":
            free(a), free(b)
        elif name == "trim with a free pending":
            free(a), free(b)
            ok("cuMemPoolTrimTo", of, Z(0))
            sync()
        elif name.startswith("a free pending, memory left"):
            free(a)
        else:
            free(a), sync()
        ok("cuMemPoolDestroy", of)
        if "asked for its pool" in name:
            handle = P()
            print(getattr(cu, "cuPointerGetAttribute")(C.byref(handle), 17, b), handle.value == of.value) if turn == 0 else \
                getattr(cu, "cuPointerGetAttribute")(C.byref(handle), 17, b)
        if "freed later" in name:
            free(b, other if "another stream" in name else None)
            if turn % 2:
                sync()
        right = use() and right
    sync()
    print("survived, statistics as expected:", right)


if len(sys.argv) > 1:
    case(sys.argv[1])
else:
    for name in CASES:
        try:
            done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, timeout=40)
            print(f"{name}:", done.returncode, done.stdout.strip() or done.stderr.strip()[-200:], flush=True)
        except subprocess.TimeoutExpired:
            print(f"{name}: hangs", flush=True)
