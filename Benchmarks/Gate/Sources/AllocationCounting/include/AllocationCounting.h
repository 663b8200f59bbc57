#ifndef ALLOCATION_COUNTING_H
#define ALLOCATION_COUNTING_H

#include <stdbool.h>

// The program's use of the allocator while counting was on, in all threads.
struct allocation_counts {
    // The calls of malloc, calloc, realloc and the aligned kinds.
    long calls;

    // The bytes allocated and not freed, with the word that the allocator keeps before each block; less than 0 if more
    // bytes were freed than allocated.
    long live_bytes;
};

// Whether this platform's allocator can be counted: glibc's can.
bool allocation_counting_is_possible(void);

// Starts counting at 0.
void allocation_counting_start(void);

// Stops counting.
struct allocation_counts allocation_counting_stop(void);

#endif
