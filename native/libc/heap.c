/* The heap: memory that is given out filled, moved, or handed back to the system.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that is freed and given out again keeps its history, as it does under Valgrind, where the
 * library's allocator is ordinary code that does not touch it. So malloc and free themselves are
 * not needed, but for large blocks: glibc maps and unmaps each of them by itself, inside. What the
 * allocator does to its own words is not counted.
 */
#define _GNU_SOURCE
#include "native/libc/interpose.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

/* glibc's, in the word before the block, which has the number of bytes. */
#define HAS_OWN_MAPPING ((size_t)2)
#define CHUNK_FLAGS     ((size_t)7)
#define HEADER_BYTES    (2 * sizeof(size_t))

#define LEAST_BLOCK ((size_t)24)

/* With any other allocator there may be nothing before a block. */
static bool is_glibc;

/* Names tell of allocators in libraries and in the program. Valgrind's tools replace the code that
 * the names stand for: a small block tells that. */
static void find_allocator(void)
{
    void *library = dlsym(RTLD_NEXT, "malloc");
    if (!library || library != dlsym(RTLD_NEXT, "__libc_malloc") ||
        library != dlsym(RTLD_DEFAULT, "malloc"))
        return;
    void *block = malloc(1);
    is_glibc = block && malloc_usable_size(block) == LEAST_BLOCK;
    free(block);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(void) = find_allocator;

static size_t chunk_word(const void *block)
{
    return ((const size_t *)block)[-1];
}

static bool has_own_mapping(const void *block)
{
    return is_glibc && (chunk_word(block) & HAS_OWN_MAPPING);
}

INTERPOSE(void, free, (void *block))
{
    if (block && trms_current != &trms_nobody && has_own_mapping(block))
        watch_forget((uintptr_t)block - HEADER_BYTES, chunk_word(block) & ~CHUNK_FLAGS);
    REAL(free)(block);
}

/* Pages that come straight from the system are zero already. */
INTERPOSE(void *, calloc, (size_t n, size_t size))
{
    void *block = REAL(calloc)(n, size);
    if (block && interpose_counts(CALLER) && !has_own_mapping(block))
        interpose_writes(block, n * size);
    return block;
}

static void count_move(const void *from, size_t old_bytes, const void *to, size_t bytes)
{
    if (to == from)
        return;
    interpose_reads(from, interpose_smaller(old_bytes, bytes));
    interpose_writes(to, interpose_smaller(old_bytes, bytes));
}

/* The old block's bytes are those that the allocator knows of, and copies. */
static size_t bytes_of(void *block)
{
    return block ? malloc_usable_size(block) : 0;
}

INTERPOSE(void *, realloc, (void *block, size_t bytes))
{
    size_t old_bytes = bytes_of(block);
    void *result = REAL(realloc)(block, bytes);
    if (block && result && interpose_counts(CALLER))
        count_move(block, old_bytes, result, bytes);
    return result;
}

INTERPOSE(void *, reallocarray, (void *block, size_t n, size_t size))
{
    size_t old_bytes = bytes_of(block);
    void *result = REAL(reallocarray)(block, n, size);
    if (block && result && interpose_counts(CALLER))
        count_move(block, old_bytes, result, n * size);
    return result;
}
