/* What C sees of memcore's pointers: ordinary ones. */
#include <stddef.h>
#include <stdint.h>

/* The arguments of a kernel, as a struct would pass them. */
struct arguments {
    float *device;
    uint8_t tag;
    const uint32_t *unified;
    float *both[2];
};

uint64_t size_of_pointer(void) { return sizeof(float *); }
uint64_t align_of_pointer(void) { return _Alignof(float *); }
uint64_t size_of_arguments(void) { return sizeof(struct arguments); }
uint64_t offset_of_unified(void) { return offsetof(struct arguments, unified); }

uint64_t address_of(float *device) { return (uint64_t)(uintptr_t)device; }
float *after(float *device, uint64_t count) { return device + count; }

uint32_t read_at(const uint32_t *unified, uint64_t index) { return unified[index]; }
void write_at(uint32_t *unified, uint64_t index, uint32_t value) { unified[index] = value; }

/* The fifth to the last pointer go by the stack. */
uint64_t last_of(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *last) {
    return a == b && c == d && e == f && f == g ? address_of(last) : 0;
}

uint64_t of_struct(struct arguments arguments) {
    return address_of(arguments.device) + address_of(arguments.both[1]) + arguments.unified[1] + arguments.tag;
}

struct arguments returned(float *device, const uint32_t *unified) {
    struct arguments made = {device, 9, unified, {device + 1, device + 2}};
    return made;
}

uint64_t of_array(float *const *pointers, uint64_t count) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += address_of(pointers[i]);
    }
    return sum;
}

void fill_array(uint32_t **pointers, uint64_t count, uint32_t *first) {
    for (uint64_t i = 0; i < count; i++) {
        pointers[i] = first + i;
    }
}
