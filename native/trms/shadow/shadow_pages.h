/* Populates many pages of a direct-mapped shadow, and of written[], at once.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A check reads the word of a cell before it is stored. In an untouched page each of the two is a
 * page fault: the first maps the kernel's zero page, and the second replaces it by a page of its
 * own, which interrupts the process's other processors. So if code finds a word that was never
 * stored, it tests here whether the page is populated. One system call populates a missing page and
 * the pages around it whose cells the program seems to use:
 *
 *   - within a block of 16 pages, those whose program memory exists: data of another thread
 *     filled, or this one before it had a direct-mapped shadow;
 *   - as many ahead as are made right before it. So of new memory that is written from its
 *     beginning on 1, 2, 4 and 8 pages are made at once, and then whole blocks.
 *
 *     page of the block   0  1  2  3  4  5  6  7     # made, r: the program's is in place
 *     before              #  #  .  .  .  r  r  .
 *     page 2 is asked for       m  m  m  m  m  .     m: made now; two ahead of page 2, and 5 and 6
 *
 * If a range of cells is about to be stored, exactly its pages are populated.
 *
 * A single missing page is left to the page fault. Where the program has no memory, at most as many
 * pages are populated as exist directly before, and less than a block.
 *
 * A byte for each page of the program's addresses, after the direct-mapped words, has a bit for
 * each kind that was made. It may be set where a page has been released, or could not be made: page
 * faults handle those.
 */
#ifndef NATIVE_TRMS_SHADOW_SHADOW_PAGES_H
#define NATIVE_TRMS_SHADOW_SHADOW_PAGES_H

#include "native/trms/state.h"

#define TRMS_PAGE_LOG2       12
#define TRMS_BLOCK_PAGES     16
#define TRMS_PAGES_OF(bytes) ((bytes) >> TRMS_PAGE_LOG2)

/* The kinds: bits of a page's byte. */
enum { TRMS_PAGE_WORDS = 1, TRMS_PAGE_TOKENS = 2, TRMS_PAGE_ALL = 3 };

/* The pages of a block to make for its page `at`, as a mask. `before`: number of made pages
 * directly before it; `in_place`: resident pages of the program, a mask; `made`: a byte for each
 * page. */
uint32_t trms_pages_choose(unsigned at, unsigned before, uint32_t in_place, const uint8_t *made,
                           unsigned kind);

/* HOT: provided by the embedding runtime: requests pages of these kinds for an address, and perhaps
 * for addresses around it. Keeps all registers, as words.c does, and changes no cell. */
void trms_pages_make(struct trms_exec_context *ctx, uintptr_t address, unsigned kinds);

/* Makes all pages from `first` up to `end`; pages of tokens must be in one chunk. */
void trms_pages_make_all(struct trms_exec_context *ctx, uintptr_t first, uintptr_t end,
                         unsigned kinds);

APROF_INLINE bool trms_pages_are_made(const struct trms_exec_context *ctx, uintptr_t address,
                                      unsigned kinds)
{
    return LIKELY(!(kinds & ~(unsigned)ctx->pages[TRMS_PAGES_OF(address & ctx->mask)]));
}

APROF_INLINE void trms_pages_want(struct trms_exec_context *ctx, uintptr_t address, unsigned kinds)
{
    if (!trms_pages_are_made(ctx, address, kinds))
        trms_pages_make(ctx, address, kinds);
}

/* Populates the pages of these cells, because all their words are about to be stored; for many
 * cells, exactly these pages. */
APROF_INLINE void trms_pages_want_all(struct trms_exec_context *ctx, uint64_t cell, uint64_t n,
                                      unsigned kinds)
{
    uintptr_t first = (uintptr_t)cell << TRMS_FAST_SHIFT, end = first + (n << TRMS_FAST_SHIFT);
    if (UNLIKELY(TRMS_PAGES_OF(end - first)) || !trms_pages_are_made(ctx, first, kinds) ||
        !trms_pages_are_made(ctx, end - 1, kinds))
        trms_pages_make_all(ctx, first, end, kinds);
}

#endif
