/* A program that uses the driver, rightly or not, as its arguments say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long address;
int cuInit(unsigned);
int cuCtxCreate_v2(void **, unsigned, int);
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuMemAllocHost_v2(void **, size_t);
int cuMemcpyDtoHAsync_v2(void *, address, size_t, void *);
int cuMemcpyHtoDAsync_v2(address, const void *, size_t, void *);
int cuMemsetD8Async(address, unsigned char, size_t, void *);
int cuMemAllocAsync(address *, size_t, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamSynchronize(void *);
int cuDeviceGetCount(int *);

static void *stream;
static address memory;

static int begin(void) {
    void *context;
    int code = cuInit(0);
    if (code)
        return code;
    cuCtxCreate_v2(&context, 0, 0);
    printf("stream %d\n", cuStreamCreate(&stream, 1));
    return cuMemAlloc_v2(&memory, 64);
}

/* The host changes what a copy reads, before it is waited for. */
static void change_in_flight(void) {
    char *host;
    cuMemAllocHost_v2((void **)&host, 64);
    memset(host, 1, 64);
    cuMemcpyHtoDAsync_v2(memory, host, 64, stream); /* the wrong one */
    host[3] = 2;
    cuStreamSynchronize(stream);
}

/* The same, rightly. */
static void change_after(void) {
    char *host;
    cuMemAllocHost_v2((void **)&host, 64);
    memset(host, 1, 64);
    cuMemcpyHtoDAsync_v2(memory, host, 64, stream);
    cuStreamSynchronize(stream);
    host[3] = 2;
}

int main(int count, char **arguments) {
    int code = 0;
    for (int i = 1; i < count; i++) {
        const char *what = arguments[i];
        if (!strcmp(what, "begin")) {
            code = begin();
            printf("began %d\n", code);
        } else if (!strcmp(what, "wrong")) {
            change_in_flight();
        } else if (!strcmp(what, "right")) {
            change_after();
        } else if (!strcmp(what, "free")) {
            cuMemFree_v2(memory);
        } else if (!strcmp(what, "many")) {
            for (int j = 0; j < 300; j++)
                cuMemFree_v2(memory);
        } else if (!strcmp(what, "pool")) {
            address other;
            printf("pool %d\n", cuMemAllocAsync(&other, 64, stream));
        } else if (!strcmp(what, "devices")) {
            int devices = -1;
            cuDeviceGetCount(&devices);
            printf("devices %d\n", devices);
        } else if (!strcmp(what, "fork")) {
            pid_t child = fork();
            if (child == 0) {
                address other;
                code = cuMemAlloc_v2(&other, 64);
                cuMemFree_v2(memory);
                exit(code ? code : 99);
            }
            int status = 0;
            waitpid(child, &status, 0);
            printf("child %d\n", WEXITSTATUS(status));
        } else {
            exit(atoi(what));
        }
    }
    return 0;
}
