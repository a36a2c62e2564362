/*
 * A CUDA driver that does nothing and says that it worked, to count the instructions around its calls
 * (scripts/instructions.py; build.sh compiles it). Memory of the host is real, memory of the device is numbers, copies
 * move nothing. Tickets arrive: a stream writes its value when it is asked to.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned result;
typedef uint64_t address;
typedef void *handle;

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2 };

#define NOTHING(name, ...) \
    result name(__VA_ARGS__) { return SUCCESS; }

/* Device memory: addresses that are counted up, and never used again. */
static const address FIRST = (address)1 << 40;
static address next = (address)1 << 40;

/* The page-locked memory there is. */
#define MOST 64
static int places;
static struct {
    uintptr_t start, end;
} locked[MOST];

static int lock(void *start, size_t bytes) {
    if (places == MOST)
        return 0;
    locked[places].start = (uintptr_t)start;
    locked[places].end = (uintptr_t)start + bytes;
    places++;
    return 1;
}

static void unlock(void *start) {
    for (int i = 0; i < places; i++)
        if (locked[i].start == (uintptr_t)start)
            locked[i] = locked[--places];
}

static int is_locked(address at) {
    for (int i = 0; i < places; i++)
        if (locked[i].start <= at && at < locked[i].end)
            return 1;
    return 0;
}

static char context[1], pool[1], stream[1], event[1];
static __thread handle current;
static __thread unsigned mode;

NOTHING(cuInit, unsigned flags)

result cuDriverGetVersion(int *out) {
    *out = 13000;
    return SUCCESS;
}

result cuDeviceGetCount(int *out) {
    *out = 1;
    return SUCCESS;
}

result cuDeviceGet(int *out, int ordinal) {
    *out = ordinal;
    return ordinal == 0 ? SUCCESS : 101;
}

result cuDeviceGetName(char *out, int len, int device) {
    strncpy(out, "null device", len);
    return SUCCESS;
}

result cuDeviceGetUuid(void *out, int device) {
    memset(out, 0, 16);
    return SUCCESS;
}

result cuDeviceGetAttribute(int *out, unsigned attribute, int device) {
    *out = 1;
    return SUCCESS;
}

result cuDeviceTotalMem_v2(size_t *out, int device) {
    *out = (size_t)1 << 40;
    return SUCCESS;
}

result cuDevicePrimaryCtxRetain(handle *out, int device) {
    *out = context;
    return SUCCESS;
}

NOTHING(cuDevicePrimaryCtxRelease_v2, int device)

result cuCtxGetCurrent(handle *out) {
    *out = current;
    return SUCCESS;
}

result cuCtxSetCurrent(handle context) {
    current = context;
    return SUCCESS;
}

NOTHING(cuCtxSynchronize, void)

result cuThreadExchangeStreamCaptureMode(unsigned *out) {
    unsigned before = mode;
    mode = *out;
    *out = before;
    return SUCCESS;
}

result cuStreamCreateWithPriority(handle *out, unsigned flags, int priority) {
    *out = stream;
    return SUCCESS;
}

NOTHING(cuStreamDestroy_v2, handle stream)
NOTHING(cuStreamSynchronize, handle stream)
NOTHING(cuStreamQuery, handle stream)
NOTHING(cuStreamWaitEvent, handle stream, handle event, unsigned flags)

result cuStreamIsCapturing(handle stream, unsigned *out) {
    *out = 0;
    return SUCCESS;
}

result cuStreamWriteValue32_v2(handle stream, address at, uint32_t value, unsigned flags) {
    __atomic_store_n((uint32_t *)(uintptr_t)at, value, __ATOMIC_RELEASE);
    return SUCCESS;
}

result cuEventCreate(handle *out, unsigned flags) {
    *out = event;
    return SUCCESS;
}

NOTHING(cuEventDestroy_v2, handle event)
NOTHING(cuEventRecord, handle event, handle stream)
NOTHING(cuEventQuery, handle event)
NOTHING(cuEventSynchronize, handle event)

result cuMemGetInfo_v2(size_t *free, size_t *total) {
    *free = *total = (size_t)1 << 40;
    return SUCCESS;
}

result cuMemAlloc_v2(address *out, size_t bytes) {
    *out = next;
    next += (bytes + 511) / 512 * 512;
    return SUCCESS;
}

NOTHING(cuMemFree_v2, address at)

result cuMemAllocFromPoolAsync(address *out, size_t bytes, handle pool, handle stream) {
    return cuMemAlloc_v2(out, bytes);
}

NOTHING(cuMemFreeAsync, address at, handle stream)

result cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    if (posix_memalign(out, 4096, bytes))
        return OUT_OF_MEMORY;
    return lock(*out, bytes) ? SUCCESS : OUT_OF_MEMORY;
}

result cuMemFreeHost(void *pointer) {
    unlock(pointer);
    free(pointer);
    return SUCCESS;
}

result cuMemHostGetDevicePointer_v2(address *out, void *pointer, unsigned flags) {
    *out = (uintptr_t)pointer;
    return SUCCESS;
}

result cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
    return lock(pointer, bytes) ? SUCCESS : OUT_OF_MEMORY;
}

result cuMemHostUnregister(void *pointer) {
    unlock(pointer);
    return SUCCESS;
}

/* The memory's type (2), the device's number (9), the pool (17); of all else that it does not hold. */
result cuPointerGetAttribute(void *out, unsigned attribute, address at) {
    int is_device = FIRST <= at && at < next;
    if (!is_device && !is_locked(at))
        return INVALID_VALUE;
    switch (attribute) {
    case 2:
        *(uint32_t *)out = is_device ? 2 : 1;
        break;
    case 17:
        *(handle *)out = is_device ? pool : NULL;
        break;
    default:
        *(uint32_t *)out = 0;
    }
    return SUCCESS;
}

result cuMemPoolCreate(handle *out, const void *props) {
    *out = pool;
    return SUCCESS;
}

NOTHING(cuMemPoolDestroy, handle pool)
NOTHING(cuMemPoolSetAttribute, handle pool, unsigned attribute, void *value)
NOTHING(cuMemPoolTrimTo, handle pool, size_t keep)

NOTHING(cuMemcpyHtoDAsync_v2, address dst, const void *src, size_t bytes, handle stream)
NOTHING(cuMemcpyDtoHAsync_v2, void *dst, address src, size_t bytes, handle stream)
NOTHING(cuMemcpyDtoDAsync_v2, address dst, address src, size_t bytes, handle stream)
NOTHING(cuMemcpy2DAsync_v2, const void *copy, handle stream)
NOTHING(cuMemsetD8Async, address dst, unsigned char value, size_t count, handle stream)
NOTHING(cuMemsetD16Async, address dst, unsigned short value, size_t count, handle stream)
NOTHING(cuMemsetD32Async, address dst, unsigned value, size_t count, handle stream)
