"""Memory code as cuda-bindings has it, done rightly: each part ends with the right data."""
import ctypes

from cuda.bindings import driver as cuda

from common import context, locked, ok, stream

SIZE = 1 << 16
PATTERN = bytes(i * 7 % 256 for i in range(SIZE))


def download(memory, size=SIZE):
    back = bytearray(size)
    ok(cuda.cuMemcpyDtoH(back, memory, size))
    return bytes(back)


def copies():
    a, b = ok(cuda.cuMemAlloc(SIZE)), ok(cuda.cuMemAlloc(SIZE))
    ok(cuda.cuMemcpyHtoD(a, PATTERN, SIZE))
    ok(cuda.cuMemcpyDtoD(b, a, SIZE))
    assert download(b) == PATTERN
    ok(cuda.cuMemsetD8(b, 7, SIZE))
    ok(cuda.cuMemsetD32(cuda.CUdeviceptr(int(b) + 16), 0x01020304, 4))
    assert download(b, 36) == bytes([7]) * 16 + bytes([4, 3, 2, 1]) * 4 + bytes([7]) * 4
    ok(cuda.cuMemcpy(b, a, SIZE))
    part = cuda.CUdeviceptr(int(b) + 100)
    assert download(part, 50) == PATTERN[100:150]
    for memory in (a, b):
        ok(cuda.cuMemFree(memory))


def asynchronous():
    memory, work = ok(cuda.cuMemAlloc(SIZE)), stream()
    (source, data), (target, back) = locked(SIZE), locked(SIZE)
    data[:] = PATTERN
    ok(cuda.cuMemcpyHtoDAsync(memory, source, SIZE, work))
    ok(cuda.cuMemcpyDtoHAsync(target, memory, SIZE, work))
    ok(cuda.cuStreamSynchronize(work))
    assert bytes(back) == PATTERN
    ok(cuda.cuMemsetD8Async(memory, 9, SIZE, work))
    ok(cuda.cuMemcpyDtoHAsync(target, memory, SIZE, work))
    ok(cuda.cuStreamSynchronize(work))
    assert bytes(back) == bytes([9]) * SIZE
    ok(cuda.cuStreamDestroy(work))
    ok(cuda.cuMemFree(memory))
    for address in (source, target):
        ok(cuda.cuMemFreeHost(address))


def events():
    memory, first, second = ok(cuda.cuMemAlloc(SIZE)), stream(), stream()
    begin, done = ok(cuda.cuEventCreate(0)), ok(cuda.cuEventCreate(0))
    target, back = locked(SIZE)
    ok(cuda.cuEventRecord(begin, first))
    ok(cuda.cuMemsetD8Async(memory, 3, SIZE, first))
    ok(cuda.cuEventRecord(done, first))
    ok(cuda.cuStreamWaitEvent(second, done, 0))
    ok(cuda.cuMemcpyDtoHAsync(target, memory, SIZE, second))
    ok(cuda.cuStreamSynchronize(second))
    assert bytes(back) == bytes([3]) * SIZE
    ok(cuda.cuEventSynchronize(done))
    assert ok(cuda.cuEventElapsedTime(begin, done)) >= 0
    assert cuda.cuEventQuery(done) == (cuda.CUresult.CUDA_SUCCESS,)
    for event in (begin, done):
        ok(cuda.cuEventDestroy(event))
    for work in (first, second):
        ok(cuda.cuStreamDestroy(work))
    ok(cuda.cuMemFreeHost(target))
    ok(cuda.cuMemFree(memory))


def pools():
    work, device = stream(), ok(cuda.cuCtxGetDevice())
    pool = ok(cuda.cuDeviceGetDefaultMemPool(device))
    threshold = cuda.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    ok(cuda.cuMemPoolSetAttribute(pool, threshold, cuda.cuuint64_t(1 << 20)))
    assert int(ok(cuda.cuMemPoolGetAttribute(pool, threshold))) == 1 << 20
    props = cuda.CUmemPoolProps()
    props.allocType = cuda.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    props.location.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    own = ok(cuda.cuMemPoolCreate(props))
    for memory in (ok(cuda.cuMemAllocAsync(SIZE, work)), ok(cuda.cuMemAllocFromPoolAsync(SIZE, own, work))):
        ok(cuda.cuMemcpyHtoDAsync(memory, PATTERN, SIZE, work))
        ok(cuda.cuStreamSynchronize(work))
        assert download(memory) == PATTERN
        ok(cuda.cuMemFreeAsync(memory, work))
    ok(cuda.cuStreamSynchronize(work))
    ok(cuda.cuMemPoolDestroy(own))
    ok(cuda.cuStreamDestroy(work))


def managed():
    memory = ok(cuda.cuMemAllocManaged(SIZE, cuda.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL))
    data = (ctypes.c_ubyte * SIZE).from_address(int(memory))
    data[:] = PATTERN
    place = cuda.CUmemLocation()
    place.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    work = stream()
    ok(cuda.cuMemPrefetchAsync(memory, SIZE, place, 0, work))
    ok(cuda.cuStreamSynchronize(work))
    assert download(memory) == PATTERN
    ok(cuda.cuMemsetD8Async(memory, 5, SIZE, work))
    ok(cuda.cuStreamSynchronize(work))
    assert bytes(data) == bytes([5]) * SIZE
    ok(cuda.cuStreamDestroy(work))
    ok(cuda.cuMemFree(memory))


def registered():
    data = bytearray(PATTERN)
    address = ctypes.addressof(ctypes.c_ubyte.from_buffer(data))
    ok(cuda.cuMemHostRegister(address, SIZE, 0))
    memory, work = ok(cuda.cuMemAlloc(SIZE)), stream()
    ok(cuda.cuMemcpyHtoDAsync(memory, address, SIZE, work))
    ok(cuda.cuStreamSynchronize(work))
    assert download(memory) == PATTERN
    ok(cuda.cuMemHostUnregister(address))
    ok(cuda.cuStreamDestroy(work))
    ok(cuda.cuMemFree(memory))


def rows():
    memory, pitch = ok(cuda.cuMemAllocPitch(100, 8, 4))
    copy = cuda.CUDA_MEMCPY2D()
    copy.srcMemoryType = copy.dstMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = cuda.CUmemorytype.CU_MEMORYTYPE_DEVICE, memory, pitch
    source = (ctypes.c_ubyte * 800).from_buffer_copy(PATTERN[:800])
    copy.srcHost, copy.srcPitch = ctypes.addressof(source), 100
    copy.WidthInBytes, copy.Height = 100, 8
    ok(cuda.cuMemcpy2D(copy))
    for row in range(8):
        assert download(cuda.CUdeviceptr(int(memory) + row * pitch), 100) == PATTERN[row * 100 : row * 100 + 100]
    ok(cuda.cuMemFree(memory))


def peers():
    if ok(cuda.cuDeviceGetCount()) < 2:
        return
    here = ok(cuda.cuCtxGetCurrent())
    memory = ok(cuda.cuMemAlloc(SIZE))
    ok(cuda.cuMemcpyHtoD(memory, PATTERN, SIZE))
    there = context(1)
    other = ok(cuda.cuMemAlloc(SIZE))
    ok(cuda.cuMemcpyPeer(other, there, memory, here, SIZE))
    ok(cuda.cuCtxSynchronize())
    assert download(other) == PATTERN
    assert ok(cuda.cuDeviceCanAccessPeer(1, 0)) == 1
    ok(cuda.cuMemFree(other))
    ok(cuda.cuCtxDestroy(there))
    ok(cuda.cuMemFree(memory))


def graphs_and_kernels_are_not_there():
    code, _ = cuda.cuModuleLoadData(b"")
    assert code == cuda.CUresult.CUDA_ERROR_NOT_SUPPORTED, code
    code, _ = cuda.cuGraphCreate(0)
    assert code == cuda.CUresult.CUDA_ERROR_NOT_SUPPORTED, code


if __name__ == "__main__":
    own = context()
    for part in (copies, asynchronous, events, pools, managed, registered, rows, peers, graphs_and_kernels_are_not_there):
        part()
        print(part.__name__)
    ok(cuda.cuCtxDestroy(own))
