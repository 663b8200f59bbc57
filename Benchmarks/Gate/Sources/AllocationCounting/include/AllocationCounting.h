#ifndef ALLOCATION_COUNTING_H
#define ALLOCATION_COUNTING_H

#include <stdbool.h>

// What the program took from the allocator while counting was on, in all threads.
struct allocation_counts {
    // The calls of malloc, calloc, realloc and the aligned kinds.
    long calls;

    // The bytes taken and not given back, with the word that the allocator keeps before each block; less than 0 where
    // more was given back than taken.
    long live_bytes;
};

// Whether this platform's allocator can be counted: glibc's can.
bool allocation_counting_is_possible(void);

// Begins at 0.
void allocation_counting_start(void);

// Ends.
struct allocation_counts allocation_counting_stop(void);

#endif
