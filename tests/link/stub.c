/* A stand-in for libcuda. INIT is what cuInit returns, without which there is no cuInit; DEVICES is how many devices there
   are. Of the rest of the driver it has next to nothing. */
#include <string.h>

#ifdef INIT
unsigned cuInit(unsigned flags) {
    return flags == 0 ? INIT : 1;
}
#endif

unsigned cuDeviceGetCount(int *count) {
    *count = DEVICES;
    return 0;
}

unsigned cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal < DEVICES ? 0 : 101;
}

unsigned cuDeviceGetName(char *name, int len, int device) {
    (void)device;
    strncpy(name, "a stub", (size_t)len);
    return 0;
}
