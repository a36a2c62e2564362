/* A program of several threads, as its arguments say. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef unsigned long long address;
int cuInit(unsigned);
int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxDestroy_v2(void *);
int cuCtxSetCurrent(void *);
int cuCtxGetCurrent(void **);
int cuCtxSynchronize(void);
int cuMemAlloc_v2(address *, size_t);
int cuMemFree_v2(address);
int cuMemAllocHost_v2(void **, size_t);
int cuMemFreeHost(void *);
int cuMemsetD8Async(address, unsigned char, size_t, void *);
int cuMemcpyHtoDAsync_v2(address, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, address, size_t, void *);
int cuMemcpyDtoH_v2(void *, address, size_t);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);
int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);

#define SIZE 4096
#define THREADS 16
#define TURNS 40

static int errors;

/* Counts what is not as it should be. */
static void check(int is_right, const char *what) {
    if (!is_right) {
        __atomic_add_fetch(&errors, 1, __ATOMIC_RELAXED);
        printf("wrong: %s\n", what);
    }
}
#define OK(call) check((call) == 0, #call)

/* A context, a stream and memory of its own; each copy comes back as it went. */
static void *copies(void *number) {
    void *context, *stream, *current = NULL;
    address memory;
    char *out, *back;
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuStreamCreate(&stream, 1));
    OK(cuMemAlloc_v2(&memory, SIZE));
    OK(cuMemAllocHost_v2((void **)&out, SIZE));
    OK(cuMemAllocHost_v2((void **)&back, SIZE));
    for (int turn = 0; turn < TURNS; turn++) {
        memset(out, (int)(long)number * TURNS + turn, SIZE);
        OK(cuMemcpyHtoDAsync_v2(memory, out, SIZE, stream));
        OK(cuMemcpyDtoHAsync_v2(back, memory, SIZE, stream));
        OK(cuStreamSynchronize(stream));
        check(!memcmp(out, back, SIZE), "what came back");
        OK(cuCtxGetCurrent(&current));
        check(current == context, "the current context");
    }
    OK(cuMemFree_v2(memory));
    OK(cuMemFreeHost(out));
    OK(cuMemFreeHost(back));
    OK(cuStreamDestroy_v2(stream));
    OK(cuCtxDestroy_v2(context));
    return NULL;
}

static void many(void) {
    pthread_t threads[THREADS];
    for (long number = 0; number < THREADS; number++)
        pthread_create(&threads[number], NULL, copies, (void *)number);
    for (int number = 0; number < THREADS; number++)
        pthread_join(threads[number], NULL);
}

static void *shared;
static address memory;
static pthread_key_t key;

/* Called when a thread has ended otherwise: it may use the driver still. */
static void last(void *host) {
    OK(cuCtxSetCurrent(shared));
    OK(cuMemcpyDtoH_v2(host, memory, SIZE));
}

/* Ends with the context current. */
static void *leaves(void *host) {
    pthread_setspecific(key, host);
    OK(cuCtxSetCurrent(shared));
    OK(cuMemsetD8Async(memory, 5, SIZE, NULL));
    return NULL;
}

static void *has_none(void *unused) {
    (void)unused;
    void *current = &current;
    OK(cuCtxGetCurrent(&current));
    check(current == NULL, "a new thread has no context");
    return NULL;
}

static void run(void *(*body)(void *), void *argument) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, argument);
    pthread_join(thread, NULL);
}

static void ends(void) {
    static char host[SIZE];
    pthread_key_create(&key, last);
    OK(cuCtxCreate_v2(&shared, 0, 0));
    OK(cuMemAlloc_v2(&memory, SIZE));
    run(leaves, host);
    check(host[SIZE - 1] == 5, "what the ending thread copied");
    OK(cuCtxSynchronize());
    OK(cuMemFree_v2(memory));
    OK(cuCtxDestroy_v2(shared));
    run(has_none, NULL);
}

/* Is to be cancelled, and calls what is wrong, which is written to stderr. */
static void *cancelled(void *unused) {
    (void)unused;
    OK(cuCtxSetCurrent(shared));
    pthread_cancel(pthread_self());
    OK(cuMemFree_v2(memory));
    check(cuMemFree_v2(memory) != 0, "a second free");
    pthread_testcancel();
    check(0, "cancelled");
    return NULL;
}

static void cancel(void) {
    void *how = NULL;
    pthread_t thread;
    OK(cuCtxCreate_v2(&shared, 0, 0));
    OK(cuMemAlloc_v2(&memory, SIZE));
    pthread_create(&thread, NULL, cancelled, NULL);
    pthread_join(thread, &how);
    check(how == PTHREAD_CANCELED, "the thread was cancelled");
    OK(cuCtxDestroy_v2(shared));
}

static char steps[8];
static void *of_callback;

static void step(void *letter) {
    address more;
    strcat(steps, letter);
    check(cuMemAlloc_v2(&more, SIZE) == 800, "no function may allocate");
}

static void callback(void *stream, int status, void *letter) {
    of_callback = stream;
    check(status == 0, "the callback's status");
    strcat(steps, letter);
}

static void functions(void) {
    void *stream;
    OK(cuCtxCreate_v2(&shared, 0, 0));
    OK(cuStreamCreate(&stream, 1));
    OK(cuLaunchHostFunc(stream, step, "a"));
    OK(cuStreamAddCallback(stream, callback, "b", 0));
    OK(cuLaunchHostFunc(stream, step, "c"));
    OK(cuStreamSynchronize(stream));
    check(!strcmp(steps, "abc"), "all are called, in their order");
    check(of_callback == stream, "the callback's stream");
#ifdef __x86_64__
    /* As a program that makes code has it: memory that can be written too; and some that can only be run. */
    unsigned char *made = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *closed = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    made[0] = closed[0] = 0xc3;
    check(cuLaunchHostFunc(stream, (void (*)(void *))closed, NULL) == 1, "data is no function");
    mprotect(closed, SIZE, PROT_EXEC);
    OK(cuLaunchHostFunc(stream, (void (*)(void *))made, NULL));
    OK(cuLaunchHostFunc(stream, (void (*)(void *))closed, NULL));
    OK(cuStreamSynchronize(stream));
#endif
    OK(cuStreamDestroy_v2(stream));
    OK(cuCtxDestroy_v2(shared));
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    OK(cuInit(0));
    if (!strcmp(what, "many"))
        many();
    else if (!strcmp(what, "ends"))
        ends();
    else if (!strcmp(what, "cancel"))
        cancel();
    else if (!strcmp(what, "functions"))
        functions();
    else
        return 99;
    printf("done, %d errors\n", errors);
    return 0;
}
