#define _GNU_SOURCE
#include "AllocationCounting.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__GLIBC__)

#include <malloc.h>
#include <stdatomic.h>

// Replacements of the allocator's functions: the dynamic linker finds them before those of the C library, which they
// call under other names.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_bool is_counting;
static atomic_long calls;
static atomic_long live_bytes;

static bool counts(void) { return atomic_load_explicit(&is_counting, memory_order_relaxed); }

static long size_of(void *block) { return block ? (long)(malloc_usable_size(block) + sizeof(size_t)) : 0; }

static void add(long number, long bytes) {
    atomic_fetch_add_explicit(&calls, number, memory_order_relaxed);
    atomic_fetch_add_explicit(&live_bytes, bytes, memory_order_relaxed);
}

static void *taken(void *block) {
    if (counts()) add(1, size_of(block));
    return block;
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }

void *realloc(void *block, size_t size) {
    if (counts()) add(0, -size_of(block));
    return taken(__libc_realloc(block, size));
}

void *memalign(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return taken(__libc_memalign(alignment, size)); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *block = taken(__libc_memalign(alignment, size));
    if (!block) return ENOMEM;
    *result = block;
    return 0;
}

void free(void *block) {
    if (counts()) add(0, -size_of(block));
    __libc_free(block);
}

bool allocation_counting_is_possible(void) { return true; }

void allocation_counting_start(void) {
    atomic_store(&calls, 0);
    atomic_store(&live_bytes, 0);
    atomic_store(&is_counting, true);
}

struct allocation_counts allocation_counting_stop(void) {
    atomic_store(&is_counting, false);
    struct allocation_counts result = {atomic_load(&calls), atomic_load(&live_bytes)};
    return result;
}

#else

bool allocation_counting_is_possible(void) { return false; }

void allocation_counting_start(void) {}

struct allocation_counts allocation_counting_stop(void) {
    struct allocation_counts result = {0, 0};
    return result;
}

#endif
