/* A library between a program and the driver. */
typedef unsigned long long address;
int cuMemFree_v2(address);
int helper_free(address);

int helper_free(address memory) {
    int code = cuMemFree_v2(memory);
    return code ? -code : 0;
}
