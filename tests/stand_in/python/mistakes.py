"""Memory code done wrongly, and rightly: `mistakes.py NAME wrong|right`. Nothing of this is unsafe to Python."""
import sys

from cuda.bindings import driver as cuda

from common import context, locked, ok, stream

SIZE = 4096


def source_changed(is_right):
    """Page-locked memory is written while a copy reads it."""
    source, data = locked(SIZE)
    data[:] = bytes(SIZE)
    memory, work = ok(cuda.cuMemAlloc(SIZE)), stream()
    ok(cuda.cuMemcpyHtoDAsync(memory, source, SIZE, work))
    if is_right:
        ok(cuda.cuStreamSynchronize(work))
    data[0] = 1
    ok(cuda.cuStreamSynchronize(work))


def source_freed(is_right):
    """Page-locked memory is freed while a copy reads it."""
    source, data = locked(SIZE)
    data[:] = bytes(SIZE)
    memory, work = ok(cuda.cuMemAlloc(SIZE)), stream()
    ok(cuda.cuMemcpyHtoDAsync(memory, source, SIZE, work))
    if is_right:
        ok(cuda.cuStreamSynchronize(work))
    ok(cuda.cuMemFreeHost(source))
    ok(cuda.cuStreamSynchronize(work))


def device_memory_freed(is_right):
    """Device memory is freed in the order of one stream while another uses it."""
    work, other = stream(), stream()
    memory = ok(cuda.cuMemAllocAsync(SIZE, work))
    done = ok(cuda.cuEventCreate(0))
    ok(cuda.cuEventRecord(done, work))
    ok(cuda.cuStreamWaitEvent(other, done, 0))
    ok(cuda.cuMemsetD8Async(memory, 1, SIZE, other))
    if is_right:
        ok(cuda.cuEventRecord(done, other))
        ok(cuda.cuStreamWaitEvent(work, done, 0))
    ok(cuda.cuMemFreeAsync(memory, work))
    ok(cuda.cuCtxSynchronize())


def streams_not_ordered(is_right):
    """One stream reads what another writes."""
    writes, reads = stream(), stream()
    memory, (target, _) = ok(cuda.cuMemAlloc(SIZE)), locked(SIZE)
    ok(cuda.cuMemsetD8Async(memory, 1, SIZE, writes))
    if is_right:
        done = ok(cuda.cuEventCreate(0))
        ok(cuda.cuEventRecord(done, writes))
        ok(cuda.cuStreamWaitEvent(reads, done, 0))
    ok(cuda.cuMemcpyDtoHAsync(target, memory, SIZE, reads))
    ok(cuda.cuCtxSynchronize())


def stream_destroyed(is_right):
    """A stream is destroyed before its work is done, and the memory is written by another."""
    work, other = stream(), stream()
    memory = ok(cuda.cuMemAlloc(SIZE))
    ok(cuda.cuMemsetD8Async(memory, 1, SIZE, work))
    if is_right:
        ok(cuda.cuStreamSynchronize(work))
    ok(cuda.cuStreamDestroy(work))
    ok(cuda.cuMemsetD8Async(memory, 2, SIZE, other))
    ok(cuda.cuCtxSynchronize())


def never_written(is_right):
    """The host is given what nothing has written."""
    memory = ok(cuda.cuMemAlloc(SIZE))
    if is_right:
        ok(cuda.cuMemsetD8(memory, 0, SIZE))
    ok(cuda.cuMemcpyDtoH(bytearray(SIZE), memory, SIZE))


if __name__ == "__main__":
    name, how = sys.argv[1:]
    context()
    globals()[name](how == "right")
