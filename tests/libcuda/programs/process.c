/* A program that is forked, ends, or closes memory in flight, as its arguments say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long address;
int cuInit(unsigned);
int cuDriverGetVersion(int *);
int cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxDestroy_v2(void *);
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuMemHostRegister_v2(void *, size_t, unsigned);
int cuMemsetD8_v2(address, unsigned char, size_t);
int cuMemsetD8Async(address, unsigned char, size_t, void *);
int cuMemcpyDtoH_v2(void *, address, size_t);
int cuMemcpyDtoHAsync_v2(void *, address, size_t, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamSynchronize(void *);

#define SIZE 4096

static void *context;
static address memory;

static void begin(void) {
    int initialised = cuInit(0), created = cuCtxCreate_v2(&context, 0, 0), allocated = cuMemAlloc_v2(&memory, SIZE);
    printf("began %d %d %d\n", initialised, created, allocated);
}

/* Waits for a child, and says how it ended. */
static void await(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d signal %d\n", WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* What may be asked before the driver is initialised, and then a child that uses it. */
static void fork_early(void) {
    void *function = NULL;
    int how = -1, version = 0;
    int found = cuGetProcAddress_v2("cuMemAlloc", &function, 13000, 0, &how);
    printf("asked %d %d %d %d\n", found, how, cuDriverGetVersion(&version), cuMemAlloc_v2(&memory, 64));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        begin();
        cuMemFree_v2(memory);
        cuMemFree_v2(memory);
        exit(0);
    }
    await(child);
    begin();
}

/* A child that touches its parent's device memory. */
static void fault_in_child(void) {
    begin();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(*(volatile char *)memory);
    await(child);
}

/* Runs when main has returned, and the variables of the thread have been destroyed. */
static void at_exit(void) {
    char host[SIZE] = {0};
    int set = cuMemsetD8_v2(memory, 7, SIZE), copied = cuMemcpyDtoH_v2(host, memory, SIZE);
    int freed = cuMemFree_v2(memory), destroyed = cuCtxDestroy_v2(context);
    printf("at exit %d %d %d %d %d\n", set, copied, host[SIZE - 1], freed, destroyed);
}

/* Registered memory that becomes read-only before a copy has written it. */
static void close_in_flight(void) {
    void *stream;
    begin();
    cuStreamCreate(&stream, 1);
    cuMemsetD8Async(memory, 1, SIZE, stream);
    char *host = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("registered %d\n", cuMemHostRegister_v2(host, SIZE, 0));
    char *early = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    printf("registered %d\n", cuMemHostRegister_v2(early, SIZE, 0));
    mprotect(early, SIZE, PROT_READ);
    printf("copied %d\n", cuMemcpyDtoHAsync_v2(early, memory, SIZE, stream));
    printf("copied %d\n", cuMemcpyDtoHAsync_v2(host, memory, SIZE, stream));
    mprotect(host, SIZE, PROT_READ);
    printf("synchronized %d\n", cuStreamSynchronize(stream));
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "fork_early")) {
        fork_early();
    } else if (!strcmp(what, "fault_in_child")) {
        fault_in_child();
    } else if (!strcmp(what, "at_exit")) {
        atexit(at_exit);
        begin();
    } else if (!strcmp(what, "close_in_flight")) {
        close_in_flight();
    } else {
        return 99;
    }
    return 0;
}
