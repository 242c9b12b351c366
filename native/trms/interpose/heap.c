/* The heap: memory that is allocated, filled, moved, or returned to the system.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that is freed and given out again keeps its history, as it does under Valgrind, where the
 * library's allocator is ordinary code that does not touch it. So free itself is not needed, except for
 * large blocks: glibc maps and unmaps each of them by itself, inside. What the allocator does to its
 * own words is not counted. Where a block lies matters to narrow windows (native/trms/shadow/window_space.c):
 * what glibc maps inside is seen nowhere else.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>

/* glibc's flag, in the word before the block, which has the number of bytes. */
#define HAS_OWN_MAPPING ((size_t)2)
#define CHUNK_FLAGS     ((size_t)7)
#define HEADER_BYTES    (2 * sizeof(size_t))

#define LEAST_BLOCK ((size_t)24)

/* With any other allocator there may be nothing before a block. */
static bool is_glibc;

/* Whether the program's malloc is the one below. Volatile, because headers promise that malloc calls nothing in
 * here. */
static volatile bool is_asked, is_ours;

/* Before the program gets the block. Shared data are written only until this is decided. */
static APROF_NOINLINE void tell(const void *block, size_t bytes)
{
    if (is_asked)
        is_ours = true;
    else if (block)
        trms_memory_given((uintptr_t)block, bytes);
}

static void *given(void *block, size_t bytes)
{
    if (UNLIKELY(__atomic_load_n(&trms_memory_is_watched, __ATOMIC_RELAXED)))
        tell(block, bytes);
    return block;
}

/* Symbols reveal allocators in libraries and in the program. Valgrind's tools replace the code behind the
 * symbols: a small block reveals that. */
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

/* Pages that come straight from the system are zero already. */
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

/* The old block's bytes as the allocator knows them, and copies them. */
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
