"""What the programs have in common: calls that must succeed, and a context."""
import ctypes

from cuda.bindings import driver as cuda


def ok(answer):
    """What a call returns beside its code, which is to be success."""
    code, *rest = answer
    assert code == cuda.CUresult.CUDA_SUCCESS, code
    return rest[0] if len(rest) == 1 else rest


def context(device=0):
    """A new context of a device, current on this thread."""
    ok(cuda.cuInit(0))
    return ok(cuda.cuCtxCreate(None, 0, ok(cuda.cuDeviceGet(device))))


def stream():
    """A stream that the legacy one does not order."""
    return ok(cuda.cuStreamCreate(cuda.CUstream_flags.CU_STREAM_NON_BLOCKING))


def locked(size):
    """Page-locked memory: its address, and its bytes as an array."""
    address = ok(cuda.cuMemHostAlloc(size, 0))
    return address, (ctypes.c_ubyte * size).from_address(address)
