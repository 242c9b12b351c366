/* Where windows lie in the address space, and which of their words are in use.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A window has a word for each 4 bytes of 4 TiB, and is as large as that; of it only pages that are
 * touched cost memory. An address's word is at its lowest 42 bits. A process has its memory in few
 * places: executable and heap, libraries and mappings, stack. The pieces of a layout name them, with
 * 1 TiB and more to grow; no two of them have an address with the same 42 bits. Whether all mappings
 * lie there is looked up at the start, and with each mapping that the program makes. Where they do not,
 * or the system does not grant so much address space (ulimit -v, vm.overcommit_memory=2, Valgrind),
 * there is no window, and tables serve.
 */
#define _GNU_SOURCE
#include "native/trms/runtime.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "ground/trms_words.h"
#include "native/base/maps.h"
#include "native/base/syscalls.h"
#include "native/trms/window.h"

#include <fcntl.h>
#include <linux/mman.h>

#define WINDOW_LOG2  42
#define WINDOW_BYTES ((uintptr_t)1 << WINDOW_LOG2)
#define WINDOW_MASK  (WINDOW_BYTES - 4)
#define SLACK_BYTES  4096 /* the skew, and what an access reaches over the end */
#define PAGE_BYTES   ((uintptr_t)4096)
#define PAGE_CELLS   (PAGE_BYTES / 4)
#define FEW_PAGES    16 /* that are quicker to fill with zeros than to give back */

#define KERNEL_ADDRESSES ((uintptr_t)1 << 47)
#define GIBS(n)          ((uintptr_t)(n) << 30)

/* A load waits for an earlier store at the same place of another page, as far as processors look at
 * first: so a cell and its word are at different ones. */
#define SKEW ((uintptr_t)0x840)

struct piece {
    uintptr_t low, high;
};

/* Executables that are loaded anywhere are at two thirds of the addresses, and others at their
 * beginning. Libraries and mappings are below the stack, wherever its limit puts that: without one,
 * below a sixth of the addresses, or from a third of them on. */
#define SIXTH      ((uintptr_t)0x155555554000)
#define TWO_THIRDS ((uintptr_t)0x555555554000)
#define PIECES     3
static const struct piece layouts[][PIECES] = {
    {{0, GIBS(0x540)}, {GIBS(0x15540), GIBS(0x15a80)}, {GIBS(0x1fa80), GIBS(0x20000)}},
    {{GIBS(0x5000), SIXTH}, {TWO_THIRDS, GIBS(0x15a80)}, {GIBS(0x1ffc0), GIBS(0x20000)}},
    {{GIBS(0xaa80), GIBS(0xafc0)}, {GIBS(0x15540), GIBS(0x15a80)}, {GIBS(0x1ffc0), GIBS(0x20000)}},
};

/* Where windows are put: there is nothing else. */
static const struct piece spaces[] = {
    {GIBS(0x5600), GIBS(0xaa00)}, {GIBS(0xb000), GIBS(0x15400)}, {GIBS(0x15b00), GIBS(0x1ea00)}};

static const struct piece *layout; /* NULL: not known yet */
static bool exist;                 /* windows, or have existed */

extern const char looks_itself __asm__(TRMS_WORDS_MARK) __attribute__((weak));

/* ---------------------------------------------------------------- layouts */

static bool is_in(const struct piece *pieces, uintptr_t low, uintptr_t high)
{
    for (int i = 0; i < PIECES; i++)
        if (low >= pieces[i].low && high <= pieces[i].high)
            return true;
    return false;
}

/* Everything that the process has lies in these pieces. */
static bool fits(const struct piece *pieces, struct native_maps *maps)
{
    struct native_mapping mapping;
    bool all = native_maps_open(maps);
    if (!all)
        return false;
    while (all && native_maps_next(maps, &mapping))
        all = mapping.start >= KERNEL_ADDRESSES || is_in(pieces, mapping.start, mapping.end);
    native_maps_close(maps);
    return all;
}

static const struct piece *layout_find(void)
{
    size_t bytes = pages_bytes(sizeof(struct native_maps));
    struct native_maps *maps = host_map("aprof.trms.maps", bytes);
    const struct piece *found = NULL;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts && !found; i++)
        if (fits(layouts[i], maps))
            found = layouts[i];
    host_unmap(maps, bytes);
    return found;
}

/* ---------------------------------------------------------------- windows */

static uintptr_t try_at(uintptr_t at)
{
    const size_t bytes = WINDOW_BYTES + SLACK_BYTES;
    long got =
        native_syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == (long)at) {
        native_syscall(SYS_madvise, at, bytes, MADV_DONTDUMP);
        return at;
    }
    if (got > 0) /* a kernel that takes the flag for a wish */
        native_syscall(SYS_munmap, got, bytes);
    return 0;
}

static uintptr_t reserve(void)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        for (uintptr_t at = spaces[i].low; at + WINDOW_BYTES < spaces[i].high;
             at += WINDOW_BYTES + GIBS(1)) {
            uintptr_t got = try_at(at);
            if (got)
                return got;
        }
    return 0;
}

/* The layout is that of the first one. */
void trms_window_give(struct trms_strand *strand)
{
    if (!&looks_itself || trms_world.without_windows || trms_world.config.shift != TRMS_FAST_SHIFT)
        return;
    if (!layout)
        layout = layout_find();
    if (layout && !strand->reserved)
        strand->reserved = reserve();
    if (layout && strand->reserved) {
        __atomic_store_n(&exist, true, __ATOMIC_RELAXED);
        trms_window_begin(strand, strand->reserved + SKEW, WINDOW_MASK);
    }
}

/* Other strands learn of it when they synchronise, as they must before they use that memory. */
void trms_window_check(struct trms_strand *strand, uintptr_t address, size_t bytes)
{
    if (!layout || is_in(layout, address, address + bytes))
        return;
    __atomic_store_n(&trms_world.without_windows, true, __ATOMIC_RELAXED);
    trms_window_leave(strand);
}

void trms_window_unmap(struct trms_strand *strand)
{
    if (strand->reserved)
        native_syscall(SYS_munmap, strand->reserved, WINDOW_BYTES + SLACK_BYTES);
    strand->reserved = 0;
}

bool trms_windows_exist(void)
{
    return __atomic_load_n(&exist, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- clearing */

static void give_back(uintptr_t low, uintptr_t high)
{
    if (low < high)
        native_syscall(SYS_madvise, low, high - low, MADV_DONTNEED);
}

/* Words from low up to high, in one piece. */
static void clear_words(uintptr_t low, uintptr_t high)
{
    uintptr_t first_page = (low + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    uintptr_t end_page = high & ~(PAGE_BYTES - 1);
    if (high - low < FEW_PAGES * PAGE_BYTES) {
        memset((void *)low, 0, high - low);
        return;
    }
    memset((void *)low, 0, first_page - low);
    give_back(first_page, end_page);
    memset((void *)end_page, 0, high - end_page);
}

void trms_window_clear(struct trms_strand *strand, uint64_t first, uint64_t last)
{
    if (last == ~(uint64_t)0) {
        give_back(strand->reserved, strand->reserved + WINDOW_BYTES + SLACK_BYTES);
        return;
    }
    for (int i = 0; i < PIECES; i++) {
        uintptr_t low = first * 4, high = last * 4 + 4;
        low = low < layout[i].low ? layout[i].low : low;
        high = high > layout[i].high ? layout[i].high : high;
        uintptr_t words = strand->reserved + SKEW + (low & WINDOW_MASK);
        if (low < high)
            clear_words(words, words + (high - low));
    }
}

/* ---------------------------------------------------------------- all words */

#define PRESENT_OR_SWAPPED ((uint64_t)3 << 62) /* see proc_pid_pagemap(5) */
#define PAGES_AT_ONCE      512

struct walk {
    struct trms_strand *strand;
    trms_window_visit *visit;
    void *context;
    int pagemap;
    uint64_t pages[PAGES_AT_ONCE + 1];
    struct native_maps maps;
};

static uintptr_t words_of(const struct walk *walk, uintptr_t address)
{
    return walk->strand->reserved + SKEW + (address & WINDOW_MASK);
}

/* Pages of words that were never touched have none; where the file cannot be read, all are taken. The
 * words of n pages lie in one more. */
static void find_touched(struct walk *walk, uintptr_t words, size_t n)
{
    long bytes = (long)((n + 1) * sizeof *walk->pages);
    if (walk->pagemap >= 0 && native_syscall(SYS_pread64, walk->pagemap, walk->pages, bytes,
                                             words / PAGE_BYTES * sizeof *walk->pages) == bytes)
        return;
    for (size_t i = 0; i <= n; i++)
        walk->pages[i] = PRESENT_OR_SWAPPED;
}

static void visit_mapping(struct walk *walk, uintptr_t low, uintptr_t high)
{
    while (low < high) {
        size_t n = (high - low) / PAGE_BYTES;
        n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
        find_touched(walk, words_of(walk, low), n);
        for (size_t i = 0; i < n; i++, low += PAGE_BYTES)
            if ((walk->pages[i] | walk->pages[i + 1]) & PRESENT_OR_SWAPPED)
                walk->visit(walk->context, (uint32_t *)words_of(walk, low), low / 4, PAGE_CELLS);
    }
}

/* The words of addresses without memory. */
static void clear_hole(const struct walk *walk, uintptr_t low, uintptr_t high)
{
    for (int i = 0; i < PIECES; i++) {
        uintptr_t from = low < layout[i].low ? layout[i].low : low;
        uintptr_t to = high > layout[i].high ? layout[i].high : high;
        if (from < to)
            clear_words(words_of(walk, from), words_of(walk, from) + (to - from));
    }
}

void trms_window_each(struct trms_strand *strand, trms_window_visit *visit, void *context)
{
    size_t bytes = pages_bytes(sizeof(struct walk));
    struct walk *walk = host_map("aprof.trms.walk", bytes);
    struct native_mapping mapping;
    uintptr_t end = 0;
    walk->strand = strand;
    walk->visit = visit;
    walk->context = context;
    walk->pagemap = (int)native_syscall(SYS_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (!native_maps_open(&walk->maps))
        host_panic("/proc/self/maps cannot be read", __FILE__, __LINE__);
    while (native_maps_next(&walk->maps, &mapping) && mapping.start < KERNEL_ADDRESSES) {
        clear_hole(walk, end, mapping.start);
        end = mapping.end;
        if (is_in(layout, mapping.start, mapping.end))
            visit_mapping(walk, mapping.start, mapping.end);
    }
    clear_hole(walk, end, KERNEL_ADDRESSES);
    native_maps_close(&walk->maps);
    if (walk->pagemap >= 0)
        native_syscall(SYS_close, walk->pagemap);
    host_unmap(walk, bytes);
}
