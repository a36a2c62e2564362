#!/usr/bin/env python3
"""What the driver says about page-locked, registered and managed memory: run on a GPU, needs libcuda.so.1 alone. The
simulated device must agree (see docs/simulator.md)."""
import ctypes as C, mmap

cu = C.CDLL("libcuda.so.1")
P, U, Z, I = C.c_void_p, C.c_uint64, C.c_size_t, C.c_int


def rc(name, *args):
    return getattr(cu, name)(*args)


def ok(name, *args):
    code = rc(name, *args)
    assert code == 0, (name, code)


def say(what, *values):
    print(f"{what}:", *values)


ok("cuInit", 0)
context, stream, legacy = P(), P(), P()
ok("cuDevicePrimaryCtxRetain", C.byref(context), 0)
ok("cuCtxSetCurrent", context)
ok("cuStreamCreate", C.byref(stream), 1)
count = I()
ok("cuDeviceGetCount", C.byref(count))
say("devices", count.value)
for name, number in (("unified addressing", 41), ("host register", 99), ("read-only register", 113), ("can map host", 19),
                     ("managed", 83), ("concurrent managed", 89), ("pageable access", 88), ("host pages", 100),
                     ("registered pointer is the host's", 91), ("direct host access", 101)):
    value = I(-7)
    say("attribute", name, rc("cuDeviceGetAttribute", C.byref(value), number, 0), value.value)


def attributes(what, address):
    out = []
    for name, number, kind in (("context", 1, U), ("type", 2, C.c_uint), ("device ptr", 3, U), ("host ptr", 4, U),
                               ("managed", 8, C.c_uint), ("ordinal", 9, I), ("start", 11, U), ("size", 12, U),
                               ("mapped", 13, C.c_uint)):
        value = kind(77)
        code = rc("cuPointerGetAttribute", C.byref(value), number, U(address))
        shown = value.value
        if name in ("device ptr", "host ptr", "start") and code == 0:
            shown = "the address" if shown == address else f"address{shown - address:+d}"
        elif name == "context" and code == 0:
            shown = "own" if shown == context.value else shown
        out.append(f"{name} {code} {shown}")
    say("attributes of " + what, ", ".join(out))


def device_pointer(what, address, flags=0):
    out = U(5)
    code = rc("cuMemHostGetDevicePointer_v2", C.byref(out), P(address), flags)
    shown = "same" if out.value == address else hex(out.value)
    say("device pointer of " + what, code, shown)


def host_flags(what, address):
    out = C.c_uint(77)
    say("flags of " + what, rc("cuMemHostGetFlags", C.byref(out), P(address)), out.value)


# page-locked memory
for flags in list(range(8)) + [8, 16, 32, 64, 0x80000000]:
    h = P()
    code = rc("cuMemHostAlloc", C.byref(h), Z(8192), flags)
    say(f"cuMemHostAlloc flags {flags}", code, "null" if not h.value else "memory")
    if code == 0 and h.value:
        device_pointer(f"flags {flags}", h.value)
        device_pointer(f"flags {flags}, inside", h.value + 100)
        device_pointer(f"flags {flags}, flag 1", h.value, 1)
        host_flags(f"flags {flags}", h.value)
        attributes(f"flags {flags}, at 100", h.value + 100)
        say(f"free of flags {flags}", rc("cuMemFreeHost", h))
        device_pointer(f"flags {flags}, freed", h.value)
pageable = (C.c_char * 8192)()
device_pointer("pageable", C.addressof(pageable))
device_pointer("null", None)
host_flags("pageable", C.addressof(pageable))
host_flags("null", None)
d = U()
ok("cuMemAlloc_v2", C.byref(d), Z(8192))
device_pointer("device memory", d.value)
host_flags("device memory", d.value)
pooled = U()
ok("cuMemAllocAsync", C.byref(pooled), Z(8192), stream)
ok("cuStreamSynchronize", stream)
device_pointer("pool memory", pooled.value)
managed = U()
ok("cuMemAllocManaged", C.byref(managed), Z(8192), 1)
device_pointer("managed memory", managed.value)
host_flags("managed memory", managed.value)
locked = P()
ok("cuMemHostAlloc", C.byref(locked), Z(8192), 0)

# registration
pages = mmap.mmap(-1, 1 << 20)
base = C.addressof((C.c_char * (1 << 20)).from_buffer(pages))
C.memset(base, 1, 1 << 20)
say("base mod 4096", base % 4096)


def register(what, address, size, flags=0, keep=False):
    code = rc("cuMemHostRegister_v2", P(address), Z(size), flags)
    say("register " + what, code)
    if code == 0 and not keep:
        say("  unregister", rc("cuMemHostUnregister", P(address)))
    return code


for flags in list(range(16)) + [16, 32, 0x80000000]:
    if register(f"flags {flags}", base, 8192, flags, keep=True) == 0:
        device_pointer(f"registered, flags {flags}", base)
        device_pointer(f"registered, flags {flags}, inside", base + 100)
        device_pointer(f"registered, flags {flags}, past the end in its page", base + 8192)
        host_flags(f"registered, flags {flags}", base)
        attributes(f"registered, flags {flags}, at 100", base + 100)
        say("  unregister", rc("cuMemHostUnregister", P(base)))
register("of no bytes", base, 0)
register("of null", None, 4096)
register("of an unaligned start", base + 12, 100)
register("of the whole address space", base, 2**64 - 1)
register("of unmapped memory", 0x10000, 4096)
register("of unmapped memory, high", 0x7000_0000_0000, 4096)
register("of device memory", d.value, 8192)
register("of pool memory", pooled.value, 8192)
register("of managed memory", managed.value, 8192)
register("of page-locked memory", locked.value, 8192)
register("of page-locked memory, inside", locked.value + 100, 100)
for flags in (0, 1, 2, 8):
    constant = mmap.mmap(-1, 8192, prot=mmap.PROT_READ)
    # the address of a read-only mapping, without a writable buffer
    libc = C.CDLL(None)
    libc.mmap.restype = P
    libc.mmap.argtypes = [P, Z, I, I, I, C.c_long]
    at = libc.mmap(None, 8192, 1, 0x22, -1, 0)
    register(f"of read-only pages, flags {flags}", at, 8192, flags)
register("piece a (unaligned, 100 bytes at 12)", base + 12, 100, keep=True)
attributes("an unaligned registration, at its page's start", base)
attributes("an unaligned registration, at its start", base + 12)
attributes("an unaligned registration, past its end in its page", base + 12 + 100)
device_pointer("an unaligned registration's page start", base)
device_pointer("an unaligned registration's start", base + 12)
register("  again", base + 12, 100)
register("  the same start, longer", base + 12, 200)
register("  the same start, shorter", base + 12, 50)
register("  in the same page after it, apart", base + 200, 100)
register("  in the same page before it, apart", base, 12)
register("  overlapping its end", base + 100, 100)
register("  overlapping its start", base, 20)
register("  around it", base, 4096)
register("  the next page", base + 4096, 100)
register("  from before its page", base, 8192)
say("unregister inside", rc("cuMemHostUnregister", P(base + 13)))
say("unregister its page's start", rc("cuMemHostUnregister", P(base)))
say("free of registered memory", rc("cuMemFreeHost", P(base + 12)))
say("cuMemFree of registered memory", rc("cuMemFree_v2", U(base + 12)))
say("unregister", rc("cuMemHostUnregister", P(base + 12)))
say("unregister twice", rc("cuMemHostUnregister", P(base + 12)))
say("unregister what never was", rc("cuMemHostUnregister", P(base + 65536)))
say("unregister null", rc("cuMemHostUnregister", None))
say("unregister page-locked", rc("cuMemHostUnregister", locked))
say("unregister page-locked inside", rc("cuMemHostUnregister", P(locked.value + 100)))
say("unregister device memory", rc("cuMemHostUnregister", P(d.value)))
say("unregister managed", rc("cuMemHostUnregister", P(managed.value)))
device_pointer("unregistered memory", base + 12)
attributes("unregistered memory", base + 12)
ok("cuMemHostRegister_v2", P(base), Z(65536), 0)
say("HtoD within", rc("cuMemcpyHtoDAsync_v2", d, P(base + 100), Z(4096), stream))
say("HtoD over the end of the registration", rc("cuMemcpyHtoDAsync_v2", d, P(base + 65536 - 4096), Z(8192), stream))
say("sync HtoD over the end of the registration", rc("cuMemcpyHtoD_v2", d, P(base + 65536 - 4096), Z(8192)))
say("DtoH over the end of the registration", rc("cuMemcpyDtoHAsync_v2", P(base + 65536 - 4096), d, Z(8192), stream))
say("wait", rc("cuStreamSynchronize", stream))
say("DtoD, registered as source", rc("cuMemcpyDtoDAsync_v2", d, U(base), Z(4096), stream))
say("memset of registered", rc("cuMemsetD8Async", U(base), 3, Z(64), stream), rc("cuStreamSynchronize", stream), pages[0])
say("unregister", rc("cuMemHostUnregister", P(base)))
say("memset of unregistered", rc("cuMemsetD8Async", U(base), 4, Z(64), stream), rc("cuStreamSynchronize", stream), pages[0])
say("register read-only, DtoH into it", rc("cuMemHostRegister_v2", P(base), Z(8192), 8),
    rc("cuMemcpyDtoHAsync_v2", P(base), d, Z(4096), stream), rc("cuStreamSynchronize", stream))
say("  HtoD from it", rc("cuMemcpyHtoDAsync_v2", d, P(base), Z(4096), stream), rc("cuStreamSynchronize", stream))
say("  its last error stays", rc("cuCtxSynchronize"))
say("  unregister", rc("cuMemHostUnregister", P(base)))

# managed memory
for flags in (1, 2, 4):
    m = U()
    code = rc("cuMemAllocManaged", C.byref(m), Z(8192), flags)
    say(f"cuMemAllocManaged flags {flags}", code)
    if code == 0:
        ok("cuMemFree_v2", m)
MB = 1 << 20
m, hosts = U(), U()
ok("cuMemAllocManaged", C.byref(m), Z(2 * MB), 1)
ok("cuMemAllocManaged", C.byref(hosts), Z(2 * MB), 2)
attributes("managed", m.value + 100)
attributes("managed, Host", hosts.value)
say("memset of Host memory", rc("cuMemsetD8Async", hosts, 1, Z(64), stream), rc("cuStreamSynchronize", stream))
say("HtoD to Host memory", rc("cuMemcpyHtoDAsync_v2", hosts, P(base), Z(64), stream), rc("cuStreamSynchronize", stream))
say("DtoH from Host memory", rc("cuMemcpyDtoHAsync_v2", P(base), hosts, Z(64), stream), rc("cuStreamSynchronize", stream))
say("DtoD Host to device", rc("cuMemcpyDtoDAsync_v2", d, hosts, Z(64), stream), rc("cuStreamSynchronize", stream))
other = P()
ok("cuStreamCreate", C.byref(other), 1)


def attach(what, s, address, length, flags):
    code = rc("cuStreamAttachMemAsync", s, U(address), Z(length), flags)
    say("attach " + what, code, rc("cuStreamSynchronize", s))


for flags in (1, 2, 4):
    attach(f"flags {flags}, length 0", stream, m.value, 0, flags)
attach("Single on the legacy stream", None, m.value, 0, 4)
attach("Single on legacy handle 1", P(1), m.value, 0, 4)
attach("Single on per-thread handle 2", P(2), m.value, 0, 4)
attach("Global on the legacy stream", None, m.value, 0, 1)
attach("Global, whole length", stream, m.value, 2 * MB, 1)
attach("Single, whole length", stream, m.value, 2 * MB, 4)
attach("Global, part of the length", stream, m.value, 4096, 1)
attach("Global, longer", stream, m.value, 4 * MB, 1)
attach("Global, inside, 0", stream, m.value + 4096, 0, 1)
attach("Global, inside, the rest", stream, m.value + 4096, 2 * MB - 4096, 1)
attach("device memory", stream, d.value, 0, 4)
attach("page-locked", stream, locked.value, 0, 4)
attach("pageable", stream, C.addressof(pageable), 0, 4)
attach("pageable, whole", stream, C.addressof(pageable), 8192, 4)
attach("null", stream, 0, 0, 4)
attach("Single", stream, m.value, 0, 4)
say("  memset on another stream", rc("cuMemsetD8Async", m, 1, Z(64), other), rc("cuStreamSynchronize", other))
say("  memset on its stream", rc("cuMemsetD8Async", m, 2, Z(64), stream), rc("cuStreamSynchronize", stream))
say("  memset on the legacy stream", rc("cuMemsetD8_v2", m, 3, Z(64)), rc("cuCtxSynchronize"))
say("  HtoD on another stream", rc("cuMemcpyHtoDAsync_v2", m, P(base), Z(64), other), rc("cuStreamSynchronize", other))
attach("Single to another stream", other, m.value, 0, 4)
say("destroy that stream", rc("cuStreamDestroy_v2", other))
say("  memset afterwards", rc("cuMemsetD8Async", m, 1, Z(64), stream), rc("cuStreamSynchronize", stream))
attach("Host", stream, m.value, 0, 2)
say("  memset of it", rc("cuMemsetD8Async", m, 1, Z(64), stream), rc("cuStreamSynchronize", stream))
say("  prefetch of it", rc("cuMemPrefetchAsync", m, Z(2 * MB), 0, stream), rc("cuStreamSynchronize", stream))
attach("Global", stream, m.value, 0, 1)
say("capture begins", rc("cuStreamBeginCapture_v2", stream, 2))
say("  attach in a capture", rc("cuStreamAttachMemAsync", stream, m, Z(0), 1))
say("  prefetch in a capture", rc("cuMemPrefetchAsync", m, Z(2 * MB), 0, stream))
graph = P()
say("capture ends", rc("cuStreamEndCapture", stream, C.byref(graph)), "graph" if graph.value else "none")
say("  the stream after it", rc("cuStreamSynchronize", stream))

for what, address, size in (("managed", m.value, 2 * MB), ("managed, Host", hosts.value, 2 * MB), ("managed inside", m.value + 100, 4096),
                            ("managed past its end", m.value, 4 * MB), ("managed, no bytes", m.value, 0),
                            ("pageable", C.addressof(pageable), 8192), ("page-locked", locked.value, 8192),
                            ("device", d.value, 8192), ("pool", pooled.value, 8192), ("null", 0, 8192)):
    out = []
    for place in (0, -1, -2, 99):
        out.append(f"to {place} {rc('cuMemPrefetchAsync', U(address), Z(size), place, stream)} {rc('cuStreamSynchronize', stream)}")
    say("prefetch " + what, ", ".join(out))
    out = []
    for advice in range(9):
        for place in (0, -1, -2, 99):
            out.append(f"{advice}@{place} {rc('cuMemAdvise', U(address), Z(size), advice, place)}")
    say("advise " + what, ", ".join(out))
ok("cuMemFree_v2", m)
say("prefetch freed", rc("cuMemPrefetchAsync", m, Z(4096), 0, stream))
say("advise freed", rc("cuMemAdvise", m, Z(4096), 1, 0))
say("attach freed", rc("cuStreamAttachMemAsync", stream, m, Z(0), 1))
ok("cuMemAllocManaged", C.byref(m), Z(4 * MB), 1)


def query(what, address, size):
    out = []
    for name, number, width in (("read mostly", 1, 4), ("preferred", 2, 4), ("accessed by", 3, 16), ("last prefetch", 4, 4)):
        value = (C.c_int * (width // 4))(*([77] * (width // 4)))
        code = rc("cuMemRangeGetAttribute", C.byref(value), Z(width), number, U(address), Z(size))
        out.append(f"{name} {code} {list(value)}")
    say("query " + what, "; ".join(out))


query("fresh", m.value, 4 * MB)
ok("cuMemAdvise", m, Z(4 * MB), 1, 0)
ok("cuMemAdvise", m, Z(4 * MB), 3, -1)
ok("cuMemAdvise", m, Z(4 * MB), 5, 0)
query("read mostly, preferred host, accessed by 0", m.value, 4 * MB)
ok("cuMemAdvise", m, Z(4 * MB), 5, -1)
query("  and accessed by the host", m.value, 4 * MB)
ok("cuMemAdvise", m, Z(4 * MB), 6, 0)
query("  and not by 0", m.value, 4 * MB)
ok("cuMemAdvise", U(m.value + 2 * MB), Z(2 * MB), 2, 0)
ok("cuMemAdvise", U(m.value + 2 * MB), Z(2 * MB), 3, 0)
ok("cuMemAdvise", U(m.value + 2 * MB), Z(2 * MB), 6, -1)
query("halves that differ, whole", m.value, 4 * MB)
query("halves that differ, first", m.value, 2 * MB)
query("halves that differ, second", m.value + 2 * MB, 2 * MB)
query("a byte", m.value + 5, 1)
ok("cuMemAdvise", U(m.value + 5000), Z(10), 2, 0)
query("10 bytes unset inside a page: that page", m.value + 4096, 4096)
query("10 bytes unset inside a page: those bytes", m.value + 5000, 10)
query("10 bytes unset inside a page: the next page", m.value + 8192, 4096)
ok("cuMemAdvise", m, Z(4 * MB), 2, 0)
ok("cuMemAdvise", m, Z(4 * MB), 4, 0)
ok("cuMemAdvise", m, Z(4 * MB), 6, -1)
query("all unset", m.value, 4 * MB)
ok("cuMemPrefetchAsync", m, Z(4 * MB), 0, stream)
query("prefetched to 0, not waited", m.value, 4 * MB)
ok("cuStreamSynchronize", stream)
query("prefetched to 0", m.value, 4 * MB)
ok("cuMemPrefetchAsync", m, Z(2 * MB), -1, stream)
ok("cuStreamSynchronize", stream)
query("half to the host, whole", m.value, 4 * MB)
query("half to the host, that half", m.value, 2 * MB)
C.memset(m.value, 1, 4 * MB)
query("touched by the host", m.value, 4 * MB)
query("past its end", m.value, 8 * MB)
query("no bytes", m.value, 0)
query("device memory", d.value, 4096)
query("page-locked", locked.value, 4096)
query("pageable", C.addressof(pageable), 4096)
query("null", 0, 4096)
value = (C.c_int * 8)(*([77] * 8))
for number, width in ((0, 4), (1, 0), (1, 2), (1, 8), (2, 8), (3, 0), (3, 4), (3, 6), (3, 8), (4, 8), (5, 4), (6, 4), (7, 4), (8, 4), (9, 4)):
    say(f"query attribute {number} of {width} bytes", rc("cuMemRangeGetAttribute", C.byref(value), Z(width), number, m, Z(4 * MB)), list(value))
big = U()
say("managed 1 PiB", rc("cuMemAllocManaged", C.byref(big), Z(1 << 50), 1))
say("at the end", rc("cuCtxSynchronize"))
