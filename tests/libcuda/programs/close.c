/* A program that loads the library, and closes it; then a fault of its own. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void on_fault(int signal) {
    (void)signal;
    _exit(42);
}

int main(void) {
    void *made = NULL, *current = NULL;
    signal(SIGSEGV, on_fault);
    for (int turn = 0; turn < 3; turn++) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
        int (*create)(void **, unsigned, int) = (int (*)(void **, unsigned, int))dlsym(library, "cuCtxCreate_v2");
        int (*get_current)(void **) = (int (*)(void **))dlsym(library, "cuCtxGetCurrent");
        if (turn == 0) {
            int initialised = init(0), created = create(&made, 0, 0);
            printf("began %d %d\n", initialised, created);
        }
        int code = get_current(&current);
        printf("current %d %s\n", code, current == made ? "same" : "other");
        printf("closed %d\n", dlclose(library));
    }
    fflush(stdout);
    *(volatile int *)8 = 1;
}
