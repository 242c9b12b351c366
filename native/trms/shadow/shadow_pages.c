/* Populates many pages of a direct-mapped shadow, and of written[], at once.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Like words.c, this file is compiled without vector registers, because callers of its functions
 * keep values in vector registers.
 */
#include "native/trms/shadow/shadow_pages.h"
#include "native/base/syscalls.h"
#include "native/trms/core.h"

#include <errno.h>
#include <linux/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define PAGE_BYTES  ((uintptr_t)1 << TRMS_PAGE_LOG2)
#define BLOCK_BYTES (TRMS_BLOCK_PAGES * PAGE_BYTES)
#define BLOCK_MASK  ((1u << TRMS_BLOCK_PAGES) - 1)
_Static_assert(((uintptr_t)4 << TRMS_CHUNK_LOG2) % BLOCK_BYTES == 0,
               "the tokens of a block follow each other");

/* atomic: whether this kernel lacks the system call; pages are then populated by page faults */
static bool is_unknown_here;

uint32_t trms_pages_choose(unsigned at, unsigned before, uint32_t in_place, const uint8_t *made,
                           unsigned kind)
{
    uint32_t ahead = (uint32_t)(((uint64_t)2 << before) - 1) << at;
    uint32_t chosen = (in_place | ahead) & BLOCK_MASK;
    for (unsigned i = 0; i < TRMS_BLOCK_PAGES; i++)
        if (made[i] & kind && i != at)
            chosen &= ~(1u << i);
    return chosen;
}

/* Returns the number of populated pages directly before this page; at most as many pages as a block
 * has are counted. */
static unsigned made_before(const struct trms_exec_context *ctx, const uint8_t *page, unsigned kind)
{
    unsigned n = 0;
    while (n < TRMS_BLOCK_PAGES && page > ctx->pages && *--page & kind)
        n++;
    return n;
}

/* Finds the resident pages of the program from `first` on. Returns false if some of these pages are
 * not resident. */
static bool find_in_place(uintptr_t first, uint32_t *mask)
{
    uint8_t found[TRMS_BLOCK_PAGES];
    *mask = 0;
    if (native_syscall(SYS_mincore, first, BLOCK_BYTES, found) < 0)
        return false;
    for (unsigned i = 0; i < TRMS_BLOCK_PAGES; i++)
        *mask |= (uint32_t)(found[i] & 1) << i;
    return true;
}

/* Populates the shadow memory from `low` to `high`. */
static void populate(uintptr_t low, uintptr_t high)
{
    low &= ~(PAGE_BYTES - 1);
    high = (high + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    if (__atomic_load_n(&is_unknown_here, __ATOMIC_RELAXED))
        return;
    if (native_syscall(SYS_madvise, low, high - low, MADV_POPULATE_WRITE) == -EINVAL)
        __atomic_store_n(&is_unknown_here, true, __ATOMIC_RELAXED);
}

/* Populates the pages in the mask, with one system call for each run of consecutive pages; the
 * block's shadow memory begins at `shadow`. */
static void populate_runs(uintptr_t shadow, uint32_t mask, uint8_t *made, unsigned kind)
{
    for (unsigned i = 0, n; i < TRMS_BLOCK_PAGES; i += n + 1) {
        for (n = 0; mask >> (i + n) & 1; n++)
            continue;
        if (n < 2)
            continue;
        for (unsigned page = i; page < i + n; page++)
            made[page] |= (uint8_t)kind;
        populate(shadow + i * PAGE_BYTES, shadow + (i + n) * PAGE_BYTES);
    }
}

static void make_around(struct trms_exec_context *ctx, uintptr_t address, uintptr_t shadow,
                        unsigned kind)
{
    unsigned at = (unsigned)(address % BLOCK_BYTES / PAGE_BYTES);
    uint8_t *page = &ctx->pages[TRMS_PAGES_OF(address & ctx->mask)];
    uint32_t in_place;
    *page |= (uint8_t)kind;
    if (__atomic_load_n(&is_unknown_here, __ATOMIC_RELAXED) ||
        !find_in_place(address & ~(BLOCK_BYTES - 1), &in_place))
        return;
    populate_runs(shadow,
                  trms_pages_choose(at, made_before(ctx, page, kind), in_place, page - at, kind),
                  page - at, kind);
}

/* Returns the shadow memory of an address, or 0 if the chunk is not cached. If this function
 * returns 0, no page is populated until the next request. */
static uintptr_t shadow_of(const struct trms_exec_context *ctx, uintptr_t address, unsigned kind)
{
    if (kind == TRMS_PAGE_WORDS)
        return ctx->direct_shadow + (address & ctx->mask);
    if (ctx->careful != TRMS_SHARED || !trms_at_hand(ctx, address))
        return 0;
    return ctx->remembered.written[(uint8_t)trms_chunk_of(address)] + address;
}

static void make_one(struct trms_exec_context *ctx, uintptr_t address, unsigned kind)
{
    uintptr_t shadow = shadow_of(ctx, address & ~(BLOCK_BYTES - 1), kind);
    if (shadow && !trms_pages_are_made(ctx, address, kind))
        make_around(ctx, address, shadow, kind);
}

void trms_pages_make(struct trms_exec_context *ctx, uintptr_t address, unsigned kinds)
{
    if (kinds & TRMS_PAGE_WORDS)
        make_one(ctx, address, TRMS_PAGE_WORDS);
    if (kinds & TRMS_PAGE_TOKENS)
        make_one(ctx, address, TRMS_PAGE_TOKENS);
}

/* Returns the number of consecutive missing pages, from the page of `first` to `end`. */
static size_t count_missing(const struct trms_exec_context *ctx, uintptr_t first, uintptr_t end,
                            unsigned kind)
{
    uintptr_t address = first;
    size_t n = 0;
    for (; address < end && !trms_pages_are_made(ctx, address, kind); n++)
        address = (address | (PAGE_BYTES - 1)) + 1;
    return n;
}

static void make_row(struct trms_exec_context *ctx, uintptr_t first, uintptr_t end, unsigned kind)
{
    uintptr_t next;
    for (; first < end; first = next) {
        size_t n = count_missing(ctx, first, end, kind);
        uintptr_t shadow = shadow_of(ctx, first, kind);
        uint8_t *pages = &ctx->pages[TRMS_PAGES_OF(first & ctx->mask)];
        next = (first & ~(PAGE_BYTES - 1)) + (n ? n : 1) * PAGE_BYTES;
        next = next < end ? next : end;
        if (!shadow)
            return;
        if (n == 1)
            make_one(ctx, first, kind);
        if (n < 2)
            continue;
        for (size_t i = 0; i < n; i++)
            pages[i] |= (uint8_t)kind;
        populate(shadow, shadow + (next - first));
    }
}

void trms_pages_make_all(struct trms_exec_context *ctx, uintptr_t first, uintptr_t end,
                         unsigned kinds)
{
    make_row(ctx, first, end, TRMS_PAGE_WORDS);
    if (kinds & TRMS_PAGE_TOKENS)
        make_row(ctx, first, end, TRMS_PAGE_TOKENS);
}
