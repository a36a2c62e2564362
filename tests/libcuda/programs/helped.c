/* A program that calls the driver through a library. */
#include <stddef.h>

typedef unsigned long long address;
int cuInit(unsigned);
int cuCtxCreate_v2(void **, unsigned, int);
int cuMemAlloc_v2(address *, size_t);
int helper_free(address);

int main(void) {
    void *context;
    address memory;
    cuInit(0);
    cuCtxCreate_v2(&context, 0, 0);
    cuMemAlloc_v2(&memory, 64);
    helper_free(memory);
    helper_free(memory); /* the wrong one */
    return 0;
}
