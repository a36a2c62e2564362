#!/usr/bin/env python3
"""Which functions a driver exports, and which of them `cuGetProcAddress_v2` gives for a name, a version of CUDA and a default
stream: one JSON object on stdout. Needs libcuda.so.1, and cudaTypedefs.h of a toolkit for the names and versions."""
import ctypes as C
import glob
import json
import re
import subprocess

cu = C.CDLL("libcuda.so.1")
DEFAULT, LEGACY, PER_THREAD = 0, 1, 2


class Where(C.Structure):
    _fields_ = [("file", C.c_char_p), ("base", C.c_void_p), ("name", C.c_char_p), ("address", C.c_void_p)]


def exported():
    maps = open("/proc/self/maps").read()
    path = re.search(r"(/\S*libcuda\.so\S*)", maps).group(1)
    text = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True).stdout
    return sorted({line.split()[-1].split("@")[0] for line in text.splitlines() if line.split()[-1].startswith("cu")})


def address(symbol):
    try:
        return C.cast(getattr(cu, symbol), C.c_void_p).value
    except AttributeError:
        return None


def ask(name, version, flags):
    pointer, status = C.c_void_p(), C.c_int(-1)
    code = cu.cuGetProcAddress_v2(name.encode(), C.byref(pointer), version, C.c_uint64(flags), C.byref(status))
    return code, status.value, pointer.value


cu.cuInit(0)
names = exported()
by_address = {}
for one in names:
    by_address.setdefault(address(one), []).append(one)
versions = {}
for header in glob.glob("/usr/local/cuda/**/cuda*Typedefs.h", recursive=True):
    for name, version in re.findall(r"PFN_(cu\w+?)_v(\d+)(?:_pt[ds][sz])?\)", open(header).read()):
        versions.setdefault(name, set()).add(int(version))
table = []
for name, all_of in sorted(versions.items()):
    for version in sorted({v + d for v in all_of for d in (-10, 0)} | {1000, 13010, 20000}):
        for flags in (DEFAULT, LEGACY, PER_THREAD):
            code, status, pointer = ask(name, version, flags)
            table.append([name, version, flags, code, status, by_address.get(pointer, [] if pointer is None else ["?"])])
odd = [(n, v, f, *ask(n, v, f)[:2]) for n, v, f in
       [("cuNothing", 12000, 0), ("", 12000, 0), ("cuMemAlloc_v2", 12000, 0), ("cuMemAlloc", 12000, 4),
        ("cuMemAlloc", -1, 0), ("cuMemAlloc", 0, 0), ("cuGetProcAddress", 11030, 0), ("cuGetProcAddress", 12000, 0),
        ("cuStreamSynchronize_ptsz", 12000, 0), ("cuMemAlloc", 12000, 3)]]
print(json.dumps({"exported": names, "table": table, "odd": odd, "versions": {n: sorted(v) for n, v in versions.items()}}))
