#!/usr/bin/env python3
"""Compiles a CUDA C++ file with NVRTC, which needs no GPU: nvrtc.py FILE [NVRTC option ...]

NVRTC is that of the PyPI package nvidia-cuda-nvrtc (or nvidia-cuda-nvrtc-cu12) of this Python, or the system's.
Exit status: 0 compiled, 1 refused (its log is on stderr), 77 there is no NVRTC.
"""

import ctypes
import glob
import os
import site
import sys
import sysconfig


def load():
    folders = {sysconfig.get_paths()["purelib"], *site.getsitepackages()}
    pattern = os.path.join("nvidia", "*", "lib", "libnvrtc.so.*")
    found = sorted(path for folder in folders for path in glob.glob(os.path.join(folder, pattern)))
    for name in [*found, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def main():
    path, options = sys.argv[1], sys.argv[2:]
    nvrtc = load()
    if nvrtc is None:
        print("no NVRTC: pip install nvidia-cuda-nvrtc", file=sys.stderr)
        return 77
    with open(path, "rb") as file:
        source = file.read()
    options = [b"--std=c++17", b"-I" + os.path.dirname(os.path.abspath(path)).encode()] + [o.encode() for o in options]
    program = ctypes.c_void_p()
    name = os.path.basename(path).encode()
    status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None)
    if status != 0:
        raise SystemExit(f"nvrtcCreateProgram: {status}")
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    print(log.value.decode(), end="", file=sys.stderr)
    return 0 if status == 0 else 1


sys.exit(main())
