/* Populates many pages of a direct-mapped shadow, and of written[], at once.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An inline check reads the word of a cell before it stores the word. If the word's page is
 * untouched, the read and the store each cause a page fault. The first fault maps the kernel's zero
 * page. The second fault replaces the zero page by a separate page, which interrupts the process's
 * other processors. So if code finds a word that was never stored, it calls these functions, which
 * test whether the page is populated. If the page is missing, one system call populates the page
 * together with neighbouring pages that the program is likely to use. These pages are:
 *
 * - Within a block of 16 pages, the pages whose program memory is resident. Either another thread
 * has filled this memory, or this thread filled it before the thread had a direct-mapped shadow.
 * - After the missing page, as many pages as are populated directly before it. So while a program
 * writes new memory from its beginning on, the calls populate 1, 2, 4 and 8 pages, and then whole
 * blocks.
 *
 *     page of the block   0  1  2  3  4  5  6  7     # populated; r: program's page is resident
 *     before              #  #  .  .  .  r  r  .
 *     page 2 requested          m  m  m  m  m  .     m: populated now: 2, the next two, 5 and 6
 *
 * If a range of cells is about to be stored, exactly its pages are populated.
 *
 * If only one page would be populated, no system call is made, and the page fault makes the page.
 * Where the program has no memory, fewer pages than a block are populated: at most as many as are
 * populated directly before the missing page.
 *
 * After its words, a direct-mapped shadow has a byte for each page of the program's addresses. The
 * bits of this byte say which kinds of pages were made: pages of words, and pages of tokens. A bit
 * may be set although the page was released or could not be made; page faults then make the page.
 */
#ifndef NATIVE_TRMS_SHADOW_SHADOW_PAGES_H
#define NATIVE_TRMS_SHADOW_SHADOW_PAGES_H

#include "native/trms/state.h"

#define TRMS_PAGE_LOG2       12
#define TRMS_BLOCK_PAGES     16
#define TRMS_PAGES_OF(bytes) ((bytes) >> TRMS_PAGE_LOG2)

/* The kinds of pages, which are bits of a page's byte. */
enum { TRMS_PAGE_WORDS = 1, TRMS_PAGE_TOKENS = 2, TRMS_PAGE_ALL = 3 };

/* Page `at` of a block is missing; returns the mask of the pages of this block that are populated
 * together. `before` is the number of made pages directly before this page. `in_place` is a mask of
 * the program's resident pages. `made` has a byte for each page. */
uint32_t trms_pages_choose(unsigned at, unsigned before, uint32_t in_place, const uint8_t *made,
                           unsigned kind);

/* HOT: the embedding runtime provides this function. trms_pages_make requests pages of these kinds
 * for an address, and perhaps for neighbouring addresses. The function keeps all registers, like
 * the functions of words.c, and changes no cell. */
void trms_pages_make(struct trms_exec_context *ctx, uintptr_t address, unsigned kinds);

/* Makes all pages from `first` to `end`; pages of tokens must be in one chunk. */
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

/* Populates the pages of these cells, because all their words are about to be stored. */
APROF_INLINE void trms_pages_want_all(struct trms_exec_context *ctx, uint64_t cell, uint64_t n,
                                      unsigned kinds)
{
    uintptr_t first = (uintptr_t)cell << TRMS_FAST_SHIFT, end = first + (n << TRMS_FAST_SHIFT);
    if (UNLIKELY(TRMS_PAGES_OF(end - first)) || !trms_pages_are_made(ctx, first, kinds) ||
        !trms_pages_are_made(ctx, end - 1, kinds))
        trms_pages_make_all(ctx, first, end, kinds);
}

#endif
