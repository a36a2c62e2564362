#!/usr/bin/env python3
"""What the driver says about peer access, access to pools, pools' limits and addresses: needs libcuda.so.1 alone. With one
GPU the lines about two are left out."""
import ctypes as C
import functools
import time

cu = C.CDLL("libcuda.so.1")
print = functools.partial(print, flush=True)
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_int
MIB = 1 << 20


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


def made(kind, name, *args):
    out = kind()
    ok(name, C.byref(out), *args)
    return out


class Location(C.Structure):
    _fields_ = [("kind", C.c_uint), ("id", I)]


class Props(C.Structure):
    _fields_ = [("alloc", C.c_uint), ("handles", C.c_uint), ("location", Location), ("security", P), ("max_size", Z),
                ("usage", C.c_ushort), ("reserved", C.c_ubyte * 54)]


class Access(C.Structure):
    _fields_ = [("location", Location), ("flags", C.c_uint)]


assert (C.sizeof(Props), C.sizeof(Access)) == (88, 12)
ok("cuInit", 0)
count = made(I, "cuDeviceGetCount").value
contexts = [made(P, "cuDevicePrimaryCtxRetain", i) for i in range(min(count, 2))]
ok("cuCtxSetCurrent", contexts[0])
stream = made(P, "cuStreamCreate", 1)


def props(max_size=0, device=0, kind=1, alloc=1):
    return Props(alloc, 0, Location(kind, device), None, max_size)


def new_pool(**of):
    return made(P, "cuMemPoolCreate", C.byref(props(**of)))


def number(pool, attribute, kind=U):
    value = kind(0)
    code = rc("cuMemPoolGetAttribute", pool, attribute, C.byref(value))
    return value.value if code == 0 else f"!{code}"


def counters(pool):
    return "reserved %s high %s used %s high %s" % tuple(number(pool, a) for a in (5, 6, 7, 8))


def from_pool(pool, size, on=None):
    out = U(0)
    return rc("cuMemAllocFromPoolAsync", C.byref(out), Z(size), pool, on or stream), out


def sync(on=None):
    ok("cuStreamSynchronize", on or stream)


print("== pools")
pool = new_pool()
print("attributes 0..12:", [number(pool, a) for a in range(0, 13)])
print("new pool:", counters(pool))
code, a = from_pool(pool, 1)
print("after 1 byte:", code, counters(pool))
code, b = from_pool(pool, 40 * MIB)
print("after 40 MiB more:", code, counters(pool))
ok("cuMemFreeAsync", b, stream)
print("freed, not awaited:", counters(pool))
sync()
print("awaited:", counters(pool))
print("trim to 0 with 1 byte in use:", rc("cuMemPoolTrimTo", pool, Z(0)), counters(pool))
for attribute, value in ((6, 0), (8, 0), (6, 1), (8, 1), (5, 0), (7, 0), (4, 2**64 - 1), (0, 0), (99, 0)):
    print(f"set attribute {attribute} to {value}:", rc("cuMemPoolSetAttribute", pool, attribute, C.byref(U(value))), counters(pool))
for value in (0, 1, 2, -1):
    print(f"set reuse switch 1 to {value}:", rc("cuMemPoolSetAttribute", pool, 1, C.byref(I(value))), number(pool, 1, I))
ok("cuMemFreeAsync", a, stream)
sync()
for size in (1, MIB, 2 * MIB, 3 * MIB, 32 * MIB, 33 * MIB, 100 * MIB):
    code, a = from_pool(pool, size)
    sync()
    line = counters(pool)
    if code == 0:
        ok("cuMemFreeAsync", a, stream)
        sync()
    trimmed = rc("cuMemPoolTrimTo", pool, Z(0))
    print(f"{size} bytes alone:", code, line, "| freed and trimmed:", trimmed, counters(pool))
for limit in (1, MIB, 3 * MIB, 32 * MIB, 33 * MIB, 64 * MIB, 64 * MIB + 1, 1 << 50):
    out = P()
    code = rc("cuMemPoolCreate", C.byref(out), C.byref(props(max_size=limit)))
    line = []
    if code == 0:
        held = []
        for size in (1, MIB, 2 * MIB, 20 * MIB, 32 * MIB, 33 * MIB, 64 * MIB, 65 * MIB):
            code2, a = from_pool(out, size)
            line.append((size, code2))
            if code2 == 0:
                ok("cuMemFreeAsync", a, stream)
                sync()
        for _ in range(200):
            code2, a = from_pool(out, MIB)
            if code2:
                break
            held.append(a)
        line.append(f"of 1 MiB: {len(held)}, then {code2}; {counters(out)}")
        for a in held:
            ok("cuMemFreeAsync", a, stream)
        sync()
        ok("cuMemPoolDestroy", out)
    print(f"max_size {limit}:", code, *line)
for what, of in (("location type 0", dict(kind=0)), ("host", dict(kind=2)), ("device -1", dict(device=-1)),
                 ("device 99", dict(device=99)), ("allocation type 0", dict(alloc=0))):
    out = P()
    code = rc("cuMemPoolCreate", C.byref(out), C.byref(props(**of)))
    print(f"pool with {what}:", code)
    if code == 0:
        ok("cuMemPoolDestroy", out)
late = new_pool()
code, a = from_pool(late, 4096)
sync()
print("destroy with memory in use:", rc("cuMemPoolDestroy", late), "memset after:", rc("cuMemsetD8Async", a, 1, Z(4096), stream),
      "pool handle of the pointer:", rc("cuPointerGetAttribute", C.byref(P()), 17, a), "free after:", rc("cuMemFreeAsync", a, stream), rc("cuStreamSynchronize", stream))
print("destroy null:", rc("cuMemPoolDestroy", None), "trim null:", rc("cuMemPoolTrimTo", None, Z(0)),
      "alloc null:", from_pool(None, 16)[0], "default pool destroyed:", rc("cuMemPoolDestroy", made(P, "cuDeviceGetDefaultMemPool", 0)))

print("== access to a pool")


def get_access(pool, device, kind=1):
    flags, at = C.c_uint(77), Location(kind, device)
    code = rc("cuMemPoolGetAccess", C.byref(flags), pool, C.byref(at))
    return (code, flags.value)


def set_access(pool, *wanted):
    descriptors = (Access * max(len(wanted), 1))(*[Access(Location(kind, device), flags) for kind, device, flags in wanted])
    return rc("cuMemPoolSetAccess", pool, descriptors, Z(len(wanted)))


print("get of its own device:", get_access(pool, 0), "of device 99:", get_access(pool, 99), "of -1:", get_access(pool, -1),
      "location type 0:", get_access(pool, 0, 0), "host:", get_access(pool, 0, 2))
print("own device to none:", set_access(pool, (1, 0, 0)), get_access(pool, 0), "to read:", set_access(pool, (1, 0, 1)), get_access(pool, 0),
      "to read and write:", set_access(pool, (1, 0, 3)), get_access(pool, 0), "to 2:", set_access(pool, (1, 0, 2)), "to 4:", set_access(pool, (1, 0, 4)))
print("no descriptors:", set_access(pool), "null descriptors, 0:", rc("cuMemPoolSetAccess", pool, None, Z(0)),
      "null descriptors, 1:", rc("cuMemPoolSetAccess", pool, None, Z(1)), "device 99:", set_access(pool, (1, 99, 3)),
      "location type 0:", set_access(pool, (0, 0, 3)), "null pool:", set_access(None, (1, 0, 3)))

print("== addresses")
plain = made(U, "cuMemAlloc_v2", Z(1000))
pooled = from_pool(pool, 1000)[1]
sync()
managed = made(U, "cuMemAllocManaged", Z(1000), 1)
locked = made(P, "cuMemHostAlloc", Z(1000), 0)
mapped = made(P, "cuMemHostAlloc", Z(1000), 2)
buffer = C.create_string_buffer(3 * 4096)
registered = (C.addressof(buffer) + 4095) // 4096 * 4096
ok("cuMemHostRegister_v2", P(registered), Z(4096), 0)
pageable = C.create_string_buffer(4096)
freed = made(U, "cuMemAlloc_v2", Z(1000))
ok("cuMemFree_v2", freed)
queued = from_pool(pool, 1000)[1]
sync()
ok("cuMemFreeAsync", queued, stream)
NAMES = {1: "context", 2: "memory type", 3: "device pointer", 4: "host pointer", 6: "sync memops", 7: "buffer id", 8: "is managed",
         9: "ordinal", 10: "ipc", 11: "range start", 12: "range size", 13: "mapped", 14: "handle types", 15: "rdma", 16: "access flags",
         17: "pool", 18: "mapping size", 19: "mapping base", 20: "block id", 21: "decompress", 22: "unknown"}
PLACES = {"cuMemAlloc": plain.value, "inside": plain.value + 500, "at its end": plain.value + 1000, "512 further": plain.value + 512,
          "1024 further": plain.value + 1024, "pool": pooled.value, "inside pool": pooled.value + 10, "managed": managed.value, "page-locked": locked.value,
          "mapped": mapped.value + 4, "registered": registered + 8, "pageable": C.addressof(pageable), "null": 0, "freed": freed.value,
          "free queued": queued.value}
BASES = {"cuMemAlloc": plain.value, "pool": pooled.value, "managed": managed.value, "locked": locked.value, "mapped": mapped.value,
         "registered": registered, "page": C.addressof(pageable), "the pool": pool.value, "context 0": contexts[0].value}


def named(value):
    near = [(value - base, name) for name, base in BASES.items() if base and 0 <= value - base < 4096]
    return f"{min(near)[1]}+{min(near)[0]}" if near else value


for current in (True, False):
    ok("cuCtxSetCurrent", contexts[0] if current else None)
    for place, address in PLACES.items():
        base, size = U(), Z()
        code = rc("cuMemGetAddressRange_v2", C.byref(base), C.byref(size), U(address))
        line = [f"range {code}" + (f" {named(base.value)} {size.value}" if code == 0 else "")]
        for attribute, name in NAMES.items():
            value = (C.c_uint64 * 2)(0, 0)
            code = rc("cuPointerGetAttribute", C.byref(value), attribute, U(address))
            shown = C.c_int32(value[0] & 0xFFFFFFFF).value if attribute == 9 else "some" if attribute in (7, 20) and value[0] else named(value[0])
            line.append(f"{name} {shown}" if code == 0 else f"{name} !{code}")
        print("current" if current else "none current", "|", place + ":", "; ".join(line))
ok("cuCtxSetCurrent", contexts[0])
print("range with null base:", rc("cuMemGetAddressRange_v2", None, C.byref(Z()), plain), "null size:", rc("cuMemGetAddressRange_v2", C.byref(U()), None, plain),
      "both null:", rc("cuMemGetAddressRange_v2", None, None, plain), "attribute with null:", rc("cuPointerGetAttribute", None, 2, plain),
      "attribute 0:", rc("cuPointerGetAttribute", C.byref(U()), 0, plain))
one, two = U(), U()
ok("cuPointerGetAttribute", C.byref(one), 7, plain)
ok("cuMemFree_v2", plain)
again = made(U, "cuMemAlloc_v2", Z(1000))
ok("cuPointerGetAttribute", C.byref(two), 7, again)
print("same address after a free:", again.value == plain.value, "same buffer id:", one.value == two.value)
plain = again

print("== overlapping copies of one device")
whole = made(U, "cuMemAlloc_v2", Z(16 * MIB))
for shift in (1, 4, 4096):
    ok("cuMemcpyHtoD_v2", whole, bytes(range(256)) * (16 * MIB // 256), Z(16 * MIB))
    code = rc("cuMemcpyDtoDAsync_v2", U(whole.value + shift), whole, Z(8 * MIB), stream)
    print(f"shift {shift}:", code, rc("cuStreamSynchronize", stream))

print("== peers")
print("can access itself:", rc("cuDeviceCanAccessPeer", C.byref(I()), 0, 0), made(I, "cuDeviceCanAccessPeer", 0, 0).value,
      "device 99:", rc("cuDeviceCanAccessPeer", C.byref(I()), 0, 99))
print("enable with itself:", rc("cuCtxEnablePeerAccess", contexts[0], 0), "disable with itself:", rc("cuCtxDisablePeerAccess", contexts[0]),
      "enable null:", rc("cuCtxEnablePeerAccess", None, 0), "disable null:", rc("cuCtxDisablePeerAccess", None))
near = made(U, "cuMemAlloc_v2", Z(4096))
print("cuMemcpyPeer within a device:", rc("cuMemcpyPeer", near, contexts[0], plain, contexts[0], Z(1000)),
      "0 bytes:", rc("cuMemcpyPeer", near, contexts[0], plain, contexts[0], Z(0)), "0 bytes, null addresses:", rc("cuMemcpyPeer", U(0), contexts[0], U(0), contexts[0], Z(0)),
      "past the end:", rc("cuMemcpyPeer", near, contexts[0], plain, contexts[0], Z(4096 * 1024)), "null context:", rc("cuMemcpyPeer", near, None, plain, contexts[0], Z(16)),
      "host memory:", rc("cuMemcpyPeer", near, contexts[0], U(locked.value), contexts[0], Z(16)), "managed:", rc("cuMemcpyPeer", near, contexts[0], managed, contexts[0], Z(16)),
      "pageable:", rc("cuMemcpyPeer", near, contexts[0], U(C.addressof(pageable)), contexts[0], Z(16)), "freed:", rc("cuMemcpyPeer", near, contexts[0], freed, contexts[0], Z(16)))
ok("cuCtxSetCurrent", None)
print("none current: cuMemcpyPeer", rc("cuMemcpyPeer", near, contexts[0], plain, contexts[0], Z(16)), "enable", rc("cuCtxEnablePeerAccess", contexts[0], 0),
      "disable", rc("cuCtxDisablePeerAccess", contexts[0]), "pool access", set_access(pool, (1, 0, 3)), get_access(pool, 0), "trim", rc("cuMemPoolTrimTo", pool, Z(0)),
      "pool attribute", number(pool, 5))
ok("cuCtxSetCurrent", contexts[0])

HOSTFN = C.CFUNCTYPE(None, P)
sleep = HOSTFN(lambda data: time.sleep(0.4))


def blocked(on, call):
    """Whether the call waits for 0.4 s of work on a stream."""
    ok("cuLaunchHostFunc", on, sleep, None)
    start = time.perf_counter()
    code = call()
    took = time.perf_counter() - start
    ok("cuStreamSynchronize", on)
    return f"{code} {'blocked' if took > 0.2 else 'returned'}"


blocking = made(P, "cuStreamCreate", 0)
for name, on in (("blocking", blocking), ("non-blocking", stream)):
    print(f"cuMemcpyPeer within a device with a {name} stream busy:", blocked(on, lambda: rc("cuMemcpyPeer", near, contexts[0], plain, contexts[0], Z(1000))))

if count > 1:
    ok("cuCtxSetCurrent", contexts[1])
    other, other_blocking = made(P, "cuStreamCreate", 1), made(P, "cuStreamCreate", 0)
    far = made(U, "cuMemAlloc_v2", Z(4096))
    far_pool = new_pool(device=1)
    far_pooled = from_pool(far_pool, 4096, other)[1]
    sync(other)
    ok("cuCtxSetCurrent", contexts[0])
    print("pool of device 1 on a stream of device 0:", from_pool(far_pool, 4096)[0])
    print("pool 0 for device 1:", get_access(pool, 1), "pool 1 for device 0:", get_access(far_pool, 0))
    for name, on in (("blocking, near", blocking), ("non-blocking, near", stream), ("blocking, far", other_blocking), ("non-blocking, far", other)):
        print(f"cuMemcpyPeer with a {name} stream busy:", blocked(on, lambda: rc("cuMemcpyPeer", far, contexts[1], near, contexts[0], Z(4096))))
        print(f"cuMemcpyPeerAsync on near with a {name} stream busy:", blocked(on, lambda: rc("cuMemcpyPeerAsync", far, contexts[1], near, contexts[0], Z(4096), stream)))
        ok("cuStreamSynchronize", stream)
    print("contexts swapped:", rc("cuMemcpyPeer", far, contexts[0], near, contexts[1], Z(4096)))

    def reach(what):
        """What device 0 may do with memory of device 1."""
        for current in (0, 1):
            ok("cuCtxSetCurrent", contexts[current])
            for name, there in (("plain", far), ("pool", far_pooled)):
                print(
                    f"{what}, context {current} current, {name} memory of device 1 on a stream of device 0:",
                    "memset", rc("cuMemsetD8Async", there, 1, Z(4096), stream),
                    "DtoD", rc("cuMemcpyDtoDAsync_v2", near, there, Z(4096), stream),
                    "DtoD back", rc("cuMemcpyDtoDAsync_v2", there, near, Z(4096), stream),
                    "DtoH", rc("cuMemcpyDtoHAsync_v2", locked, there, Z(1000), stream),
                    "peer", rc("cuMemcpyPeerAsync", near, contexts[0], there, contexts[1], Z(4096), stream),
                    "sync memset", rc("cuMemsetD8_v2", there, 1, Z(16)),
                    "free async", "-" if name == "plain" else "not tried",
                    "done", rc("cuStreamSynchronize", stream),
                    "access flags", (lambda v: (rc("cuPointerGetAttribute", C.byref(v), 16, there), v.value))(C.c_uint()),
                )
        ok("cuCtxSetCurrent", contexts[0])

    reach("nothing enabled")
    print("device 0 may use pool 1:", set_access(far_pool, (1, 0, 3)), get_access(far_pool, 0))
    reach("pool enabled")
    print("read only:", set_access(far_pool, (1, 0, 1)), get_access(far_pool, 0), "none:", set_access(far_pool, (1, 0, 0)), get_access(far_pool, 0),
          "none again:", set_access(far_pool, (1, 0, 0)))
    print("enable with flags 1:", rc("cuCtxEnablePeerAccess", contexts[1], 1), "disable before:", rc("cuCtxDisablePeerAccess", contexts[1]),
          "enable:", rc("cuCtxEnablePeerAccess", contexts[1], 0), "twice:", rc("cuCtxEnablePeerAccess", contexts[1], 0))
    reach("context enabled")
    print("pool 1 for device 0 now:", get_access(far_pool, 0))
    later = U()
    ok("cuCtxSetCurrent", contexts[1])
    later = made(U, "cuMemAlloc_v2", Z(4096))
    ok("cuCtxSetCurrent", contexts[0])
    print("memory allocated after enabling: memset", rc("cuMemsetD8Async", later, 1, Z(4096), stream))
    sync()
    print("the other way round is not enabled:", (ok("cuCtxSetCurrent", contexts[1]), rc("cuCtxDisablePeerAccess", contexts[0]))[1])
    ok("cuCtxSetCurrent", contexts[0])
    print("disable with a stream busy:", blocked(stream, lambda: rc("cuCtxDisablePeerAccess", contexts[1])), "twice:", rc("cuCtxDisablePeerAccess", contexts[1]))
    reach("context disabled")
    print("pool access with a stream busy:", blocked(stream, lambda: set_access(far_pool, (1, 0, 3))), get_access(far_pool, 0))
    print("both devices at once:", set_access(far_pool, (1, 0, 3), (1, 1, 3)), "own device to none:", set_access(far_pool, (1, 1, 0)), "on its own:", get_access(far_pool, 1))
    print("free of pool memory of device 1 on a stream of device 0:", rc("cuMemFreeAsync", far_pooled, stream), rc("cuStreamSynchronize", stream))
    ok("cuCtxSetCurrent", contexts[1])
    ok("cuCtxEnablePeerAccess", contexts[0], 0)
    ok("cuCtxSetCurrent", contexts[0])
    ok("cuDevicePrimaryCtxRelease_v2", 0)
    ok("cuDevicePrimaryCtxRetain", C.byref(contexts[0]), 0)
    ok("cuCtxSetCurrent", contexts[1])
    print("enabled, the peer's context then closed and opened anew: enable", rc("cuCtxEnablePeerAccess", contexts[0], 0))
