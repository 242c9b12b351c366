/* Interposes heap functions: memory is allocated, filled, moved, or returned to the system.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that is freed and allocated again keeps its shadow words, as under the Valgrind tool,
 * because the allocator does not touch the contents. The interposed free records only large blocks,
 * because glibc maps and unmaps large blocks internally. Accesses of the allocator to its own data
 * are not counted. Narrow direct-mapped shadows need the addresses of new blocks, because mappings
 * inside glibc are not visible otherwise (native/trms/shadow/direct_shadow_space.c).
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

/* glibc's flag for a block with a separate mapping, in the size word before the block. */
#define HAS_OWN_MAPPING ((size_t)2)
#define CHUNK_FLAGS     ((size_t)7)
#define HEADER_BYTES    (2 * sizeof(size_t))

#define LEAST_BLOCK ((size_t)24)

/* True if the allocator is glibc's. Other allocators may not store a block's size in front of the
 * block. */
static bool is_glibc;

/* is_ours is true if the program's malloc is the interposed malloc of this file. The variables are
 * volatile, because the declaration of malloc lets the compiler assume that malloc does not change
 * them. */
static volatile bool is_asked, is_ours;

/* Reports a new block before the program gets it. No shared data are written before the value of
 * is_ours is known. */
static APROF_NOINLINE void note_block(const void *block, size_t bytes)
{
    if (is_asked)
        is_ours = true;
    else if (block)
        trms_memory_given((uintptr_t)block, bytes);
}

static void *given(void *block, size_t bytes)
{
    if (UNLIKELY(__atomic_load_n(&trms_memory_is_watched, __ATOMIC_RELAXED)))
        note_block(block, bytes);
    return block;
}

/* Decides which allocator the program uses. If the program or a library has its own allocator, the
 * symbol `malloc` refers to this allocator. Valgrind's tools replace the code at these symbols; the
 * layout of a small block reveals the replacement. */
static void find_allocator(void)
{
    void *library = dlsym(RTLD_NEXT, "malloc");
    if (!library || library != dlsym(RTLD_NEXT, "__libc_malloc"))
        return;
    bool before = trms_memory_is_watched;
    is_asked = true;
    trms_memory_is_watched = true;
    void *block = malloc(1);
    is_asked = false;
    trms_memory_is_watched = before;
    is_glibc = block && is_ours && malloc_usable_size(block) == LEAST_BLOCK;
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

INTERPOSE(void *, malloc, (size_t bytes))
{
    return given(REAL(malloc)(bytes), bytes);
}

INTERPOSE(void *, memalign, (size_t alignment, size_t bytes))
{
    return given(REAL(memalign)(alignment, bytes), bytes);
}

INTERPOSE(void *, aligned_alloc, (size_t alignment, size_t bytes))
{
    return given(REAL(aligned_alloc)(alignment, bytes), bytes);
}

INTERPOSE(void *, valloc, (size_t bytes))
{
    return given(REAL(valloc)(bytes), bytes);
}

INTERPOSE(void *, pvalloc, (size_t bytes))
{
    return given(REAL(pvalloc)(bytes), bytes);
}

INTERPOSE(int, posix_memalign, (void **block, size_t alignment, size_t bytes))
{
    int error = REAL(posix_memalign)(block, alignment, bytes);
    if (!error)
        given(*block, bytes);
    return error;
}

/* calloc does not write pages that come directly from the system, because they are already zero. */
INTERPOSE(void *, calloc, (size_t n, size_t size))
{
    void *block = given(REAL(calloc)(n, size), n * size);
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

/* Returns the block's size according to the allocator; a reallocation copies this number of
 * bytes. */
static size_t bytes_of(void *block)
{
    return block ? malloc_usable_size(block) : 0;
}

INTERPOSE(void *, realloc, (void *block, size_t bytes))
{
    size_t old_bytes = bytes_of(block);
    void *result = given(REAL(realloc)(block, bytes), bytes);
    if (block && result && interpose_counts(CALLER))
        count_move(block, old_bytes, result, bytes);
    return result;
}

INTERPOSE(void *, reallocarray, (void *block, size_t n, size_t size))
{
    size_t old_bytes = bytes_of(block);
    void *result = given(REAL(reallocarray)(block, n, size), n * size);
    if (block && result && interpose_counts(CALLER))
        count_move(block, old_bytes, result, n * size);
    return result;
}
