/* Places direct-mapped shadows in the address space: ranges, sizes, and words in use.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A direct-mapped shadow of size S has a word for each 4 bytes of S, and takes S bytes of address
 * space; only touched pages cost memory. An address's low bits select its word. A process has its
 * memory in few ranges: executable and heap, libraries and mappings, and stack.
 *
 *     wide     4 TiB. The layout has ranges that can grow by 1 TiB or more; no two ranges have
 *              addresses with the same lowest 42 bits.
 *     narrow   64 GiB, for threads after the first few. If the system limits address space (ulimit
 *              -v or -d, vm.overcommit_memory=2), the size is at most a quarter of the limit.
 *              direct_shadow_places.h describes the ranges.
 *
 * When the runtime creates the first shadow of a kind, it checks that all memory lies in these
 * ranges. The runtime repeats this check at each new mapping, heap block, thread stack and routine.
 * If some memory lies elsewhere, shadows of this kind are no longer used, and tables replace them.
 */
#define _GNU_SOURCE
#include "native/trms/runtime.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "ground/trms_words.h"
#include "native/base/maps.h"
#include "native/base/syscalls.h"
#include "native/trms/shadow/words.h"
#include "native/trms/shadow/direct_shadow_places.h"

#include <fcntl.h>
#include <linux/mman.h>
#include <sys/resource.h>

#define WIDE_LOG2 42
/* log2 of the size of narrow shadows; the address space has room for 500 narrow shadows */
#define NARROW_MOST         36
#define NARROW_LEAST        28
#define WIDE_DIRECT_SHADOWS 8 /* number of wide shadows that may exist at a time */
/* A coroutine gets a shadow only if fewer bytes than FOR_COROUTINES are reserved. This number is
 * the size of 8 wide shadows and 64 shadows of 64 GiB. */
#define FOR_COROUTINES (((uintptr_t)WIDE_DIRECT_SHADOWS << WIDE_LOG2) + GIBS(0x1000))
/* the skew between cells and words, plus the number of bytes by which an access may exceed the end
 * of the shadow's range */
#define SLACK_BYTES 4096
/* distance between shadows, which includes the shadows' bytes for pages */
#define BETWEEN    GIBS(2)
#define PAGE_BYTES ((uintptr_t)4096)
#define PAGE_CELLS (PAGE_BYTES / 4)
/* below this number of pages, filling the pages with zeros is faster than releasing them */
#define FEW_PAGES 16
#define SHARE     4 /* shadows take at most a quarter of the address space that the system allows */

#define GIBS(n) ((uintptr_t)(n) << 30)

/* If a load follows a store, processors first compare only the offsets of both addresses in their
 * pages; if the offsets are equal, the load waits. So a cell and its shadow word have different
 * offsets. */
#define SKEW ((uintptr_t)0x840)

#define PIECE(low, high)                                                                           \
    {                                                                                              \
        low, high, low, high                                                                       \
    }

#if defined(__x86_64__)
#define KERNEL_ADDRESSES ((uintptr_t)1 << 47)

/* Position-independent executables are at two thirds of the address space, other executables at its
 * beginning. Libraries and mappings are below the stack, at a distance that depends on the limit of
 * the stack's size. If the stack's size has no limit, libraries and mappings are below a sixth of
 * the address space, or above a third of it. */
#define SIXTH      ((uintptr_t)0x155555554000)
#define TWO_THIRDS ((uintptr_t)0x555555554000)
#define PIECES     3
static const struct direct_shadow_place layouts[][PIECES] = {
    {PIECE(0, GIBS(0x540)), PIECE(GIBS(0x15540), GIBS(0x15a80)),
     PIECE(GIBS(0x1fa80), GIBS(0x20000))},
    {PIECE(GIBS(0x5000), SIXTH), PIECE(TWO_THIRDS, GIBS(0x15a80)),
     PIECE(GIBS(0x1ffc0), GIBS(0x20000))},
    {PIECE(GIBS(0xaa80), GIBS(0xafc0)), PIECE(GIBS(0x15540), GIBS(0x15a80)),
     PIECE(GIBS(0x1ffc0), GIBS(0x20000))},
};

/* The address ranges in which shadows are placed; Linux does not use these ranges by itself. */
static const struct {
    uintptr_t low, high;
} spaces[] = {
    {GIBS(0x5600), GIBS(0xaa00)}, {GIBS(0xb000), GIBS(0x15400)}, {GIBS(0x15b00), GIBS(0x1ea00)}};
#define has_wide_layout() true
#else
#define KERNEL_ADDRESSES  ((uintptr_t)1 << 48)

/* On arm64, Linux with addresses of 48 bits places memory as on x86-64. If the stack's size has no
 * limit, however, libraries and mappings are above a quarter of the address space. If addresses
 * have fewer than 48 bits, no shadow fits, and tables replace the shadows. If addresses are not
 * randomised, the stack reaches the end of the address space, where a shadow has no words. So
 * without randomisation, tables replace the shadows, too. qemu-user, which takes minutes to map a
 * wide shadow, places all memory below 4 TiB. Under qemu-user, shadows are used only if the address
 * space is limited, so that all shadows are narrow. */
#define PIECES            3
#define EDGE              ((uintptr_t)64 << 10)
static const struct direct_shadow_place layouts[][PIECES] = {
    {PIECE(0, GIBS(0xa80)), PIECE(GIBS(0x2aa80), GIBS(0x2ad40)),
     PIECE(GIBS(0x3fd40), GIBS(0x40000) - EDGE)},
    {PIECE(GIBS(0x10000) + EDGE, GIBS(0x10a80)), PIECE(GIBS(0x2aa80), GIBS(0x2ad40)),
     PIECE(GIBS(0x3fd40), GIBS(0x40000) - EDGE)},
};

static const struct {
    uintptr_t low, high;
} spaces[] = {
    {GIBS(0x1000), GIBS(0xf000)}, {GIBS(0x11000), GIBS(0x2a000)}, {GIBS(0x2b000), GIBS(0x3f000)}};
#define has_wide_layout() (space.granted < (uintptr_t)1 << WIDE_LOG2 || !is_in_qemu())
#endif

/* Data that are computed only once, under the world's lock. */
static struct {
    bool decided[TRMS_DIRECT_SHADOW_KINDS];
    uintptr_t granted; /* number of bytes that all shadows together may take */
    /* whether the system counts reserved memory as used memory, in the process and in each child */
    bool are_committed;
    /* log2 of the size of narrow shadows; 0: there is no space for any shadow */
    unsigned narrow_log2;
    struct direct_shadow_places places[TRMS_DIRECT_SHADOW_KINDS];
} space;

static uintptr_t reserved_bytes; /* atomic: reserved bytes of all direct-mapped shadows */
static uint32_t n_wide;          /* atomic: number of wide shadows */
static bool exist;               /* whether any direct-mapped shadow exists or has existed */

bool trms_memory_is_watched; /* atomic */

/* ---------------------------------------------------------------- limits of the system */

static uintptr_t limit_of(int which)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    native_syscall(SYS_prlimit64, 0, which, 0, &limit);
    return limit.rlim_cur;
}

static size_t read_file(const char *path, char *text, size_t bytes)
{
    int file = (int)native_open(path, O_RDONLY | O_CLOEXEC);
    long n = file < 0 ? 0 : native_syscall(SYS_read, file, text, bytes - 1);
    if (file >= 0)
        native_syscall(SYS_close, file);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? (size_t)n : 0;
}

/* Returns the value of a line such as "CommitLimit: 11534336 kB", in bytes; 0 if the line is
 * missing. */
static uintptr_t line_of(const char *text, const char *key)
{
    uintptr_t value = 0;
    for (; *text; text++) {
        size_t i = 0;
        while (key[i] && text[i] == key[i])
            i++;
        if (key[i])
            continue;
        for (text += i; *text == ' '; text++)
            continue;
        for (; *text >= '0' && *text <= '9'; text++)
            value = 10 * value + (uintptr_t)(*text - '0');
        return value << 10;
    }
    return 0;
}

/* Returns how much more memory the system allows to reserve, if it counts reserved memory as
 * used. */
static uintptr_t commit_left(void)
{
    static char text[4096]; /* buffer, used under the world's lock */
    space.are_committed =
        read_file("/proc/sys/vm/overcommit_memory", text, sizeof text) && *text == '2';
    if (!space.are_committed)
        return RLIM_INFINITY;
    read_file("/proc/meminfo", text, sizeof text);
    uintptr_t limit = line_of(text, "CommitLimit:"), used = line_of(text, "Committed_AS:");
    return limit > used ? limit - used : 0;
}

static void find_granted(void)
{
    uintptr_t limits[] = {limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA), commit_left()},
              least = ~(uintptr_t)0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        least = limits[i] < least ? limits[i] : least;
    space.granted = least == RLIM_INFINITY ? least : least / SHARE;
    for (unsigned log2 = NARROW_LEAST; log2 <= NARROW_MOST; log2++)
        if (space.granted >> log2)
            space.narrow_log2 = log2;
}

/* ---------------------------------------------------------------- places */

static bool has_text(const char *text, const char *part)
{
    while (*part && *text == *part)
        text++, part++;
    return !*part;
}

/* Returns whether Valgrind has loaded the object into the process. Under Valgrind, no direct-mapped
 * shadow is made: Valgrind's tools track all address space, and memcheck would need minutes for
 * such a shadow. */
static bool is_of_valgrind(const char *path)
{
    for (; *path; path++)
        if (has_text(path, "/vgpreload_core-"))
            return true;
    return false;
}

/* Returns whether all memory of the process is in these ranges. */
static bool fits(const struct direct_shadow_places *places, struct native_maps *maps)
{
    struct native_mapping mapping;
    bool all = native_maps_open(maps);
    if (!all)
        return false;
    while (all && native_maps_next(maps, &mapping))
        all = mapping.start >= KERNEL_ADDRESSES ||
              (direct_shadow_places_have(places, mapping.start, mapping.end) &&
               !is_of_valgrind(mapping.path));
    native_maps_close(maps);
    return all;
}

#if defined(__aarch64__)
/* Returns whether the stack is below 4 TiB. */
static bool is_in_qemu(void)
{
    return (uintptr_t)__builtin_frame_address(0) < GIBS(0x1000);
}
#endif

static void find_wide(struct native_maps *maps)
{
    struct direct_shadow_places *places = &space.places[TRMS_DIRECT_SHADOW_WIDE];
    bool found = false;
    for (size_t i = 0; has_wide_layout() && i < sizeof layouts / sizeof *layouts && !found; i++) {
        *places = (struct direct_shadow_places){.log2 = WIDE_LOG2, .n = PIECES};
        memcpy(places->at, layouts[i], sizeof layouts[i]);
        found = fits(places, maps);
    }
    if (!found)
        *places = (struct direct_shadow_places){0};
}

static bool is_direct_shadow(const struct native_mapping *mapping)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (mapping->start >= spaces[i].low && mapping->end <= spaces[i].high)
            return true;
    return false;
}

/* Returns the cluster of a mapping. The stack's cluster extends to the stack's limit. In the
 * executable's cluster, only the heap's end moves. */
static struct direct_shadow_cluster cluster_of(const struct native_mapping *mapping, unsigned log2)
{
    struct direct_shadow_cluster cluster = {mapping->start, mapping->end,
                                            DIRECT_SHADOW_GROWS_UP | DIRECT_SHADOW_GROWS_DOWN};
    uintptr_t limit = limit_of(RLIMIT_STACK), most = ((uintptr_t)1 << log2) / 8;
    if (has_text(mapping->path, "[stack]")) {
        limit = limit < most ? limit : most;
        if (cluster.high - cluster.low < limit)
            cluster.low = cluster.high - limit;
        cluster.grows = 0;
    } else if (has_text(mapping->path, "[heap]") ||
               mapping->start - trms_executable.low < trms_executable.bytes) {
        cluster.grows = DIRECT_SHADOW_GROWS_UP;
    }
    return cluster;
}

/* A wide layout is also necessary for narrow shadows, because all shadows are placed in ranges
 * where this layout has no program memory. */
static void find_narrow(struct native_maps *maps)
{
    struct direct_shadow_cluster clusters[DIRECT_SHADOW_PLACES_MOST];
    struct native_mapping mapping;
    unsigned n = 0, log2 = space.narrow_log2;
    bool fine = log2 && space.places[TRMS_DIRECT_SHADOW_WIDE].n && native_maps_open(maps);
    if (!fine)
        return;
    while (fine && native_maps_next(maps, &mapping)) {
        struct direct_shadow_cluster cluster = cluster_of(&mapping, log2);
        if (mapping.start < KERNEL_ADDRESSES && !is_direct_shadow(&mapping))
            fine = direct_shadow_cluster_add(clusters, &n, log2, &cluster);
    }
    native_maps_close(maps);
    if (fine)
        direct_shadow_places_share(&space.places[TRMS_DIRECT_SHADOW_NARROW], log2, clusters, n);
}

/* Decides whether shadows of this kind are possible. New mappings are reported from before the scan
 * on, so memory that is mapped during the scan is not missed. */
static void decide(enum trms_direct_shadow_kind kind)
{
    trms_lock(&trms_world);
    if (!space.decided[kind]) {
        size_t bytes = pages_bytes(sizeof(struct native_maps));
        struct native_maps *maps = host_map("aprof.trms.maps", bytes);
        if (kind == TRMS_DIRECT_SHADOW_NARROW)
            __atomic_store_n(&trms_memory_is_watched, true, __ATOMIC_SEQ_CST);
        if (kind == TRMS_DIRECT_SHADOW_WIDE)
            find_granted();
        (kind == TRMS_DIRECT_SHADOW_WIDE ? find_wide : find_narrow)(maps);
        host_unmap(maps, bytes);
        __atomic_store_n(&space.decided[kind], true, __ATOMIC_RELEASE);
    }
    trms_unlock(&trms_world);
}

/* Returns the ranges of memory for shadows of this kind. Returns NULL if the ranges are not known
 * yet; then no shadow of this kind exists. */
static const struct direct_shadow_places *places_of(enum trms_direct_shadow_kind kind)
{
    return __atomic_load_n(&space.decided[kind], __ATOMIC_ACQUIRE) ? &space.places[kind] : NULL;
}

/* ---------------------------------------------------------------- direct-mapped shadows */

static uintptr_t direct_shadow_bytes(enum trms_direct_shadow_kind kind)
{
    return (uintptr_t)1 << space.places[kind].log2;
}

static uintptr_t direct_shadow_mask(enum trms_direct_shadow_kind kind)
{
    return direct_shadow_bytes(kind) - 4;
}

static uintptr_t try_at(uintptr_t at, size_t bytes)
{
    long got =
        native_syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == (long)at) {
        native_syscall(SYS_madvise, at, bytes, MADV_DONTDUMP);
        return at;
    }
    if (got > 0) /* true if the kernel has treated the address only as a hint */
        native_syscall(SYS_munmap, got, bytes);
    return 0;
}

/* Returns the nth position for a shadow of this size; 0 if there are fewer positions. */
static uintptr_t nth_place(uintptr_t n, uintptr_t bytes)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        uintptr_t here = (spaces[i].high - spaces[i].low) / (bytes + BETWEEN);
        if (n < here)
            return spaces[i].low + n * (bytes + BETWEEN);
        n -= here;
    }
    return 0;
}

/* Returns the size of the mapping, including the part after the words. */
static uintptr_t mapped_bytes(uintptr_t bytes)
{
    return bytes + SLACK_BYTES + TRMS_PAGES_OF(bytes);
}

/* Reserves address space. The search starts at the latest position that was found, because many
 * threads may occupy the earlier positions. */
static uintptr_t reserve(uintptr_t bytes)
{
    static uintptr_t latest;
    uintptr_t from = __atomic_load_n(&latest, __ATOMIC_RELAXED), n = 0, at, got;
    while (nth_place(n, bytes))
        n++;
    for (uintptr_t i = 0; i < n; i++) {
        at = (from + i) % n;
        got = try_at(nth_place(at, bytes), mapped_bytes(bytes));
        if (got) {
            __atomic_store_n(&latest, at, __ATOMIC_RELAXED);
            return got;
        }
    }
    return 0;
}

static void give_back_share(enum trms_direct_shadow_kind kind)
{
    __atomic_sub_fetch(&reserved_bytes, direct_shadow_bytes(kind), __ATOMIC_RELAXED);
    if (kind == TRMS_DIRECT_SHADOW_WIDE)
        __atomic_sub_fetch(&n_wide, 1, __ATOMIC_RELAXED);
}

static bool take_share(enum trms_direct_shadow_kind kind)
{
    uintptr_t bytes = direct_shadow_bytes(kind);
    bool fits_in = __atomic_add_fetch(&reserved_bytes, bytes, __ATOMIC_RELAXED) <= space.granted;
    if (kind == TRMS_DIRECT_SHADOW_WIDE)
        fits_in &= __atomic_add_fetch(&n_wide, 1, __ATOMIC_RELAXED) <= WIDE_DIRECT_SHADOWS;
    if (!fits_in)
        give_back_share(kind);
    return fits_in;
}

static bool may_have(enum trms_direct_shadow_kind kind)
{
    return space.places[kind].n &&
           !(__atomic_load_n(&trms_world.without_direct_shadows, __ATOMIC_RELAXED) & 1u << kind);
}

/* Gets a shadow. Without a wide layout, there are no narrow shadows either: they lie in ranges that
 * this layout keeps free of program memory. */
static bool get(struct trms_exec_context *ctx, enum trms_direct_shadow_kind kind)
{
    if (!places_of(kind))
        decide(kind);
    if (!may_have(kind) || !take_share(kind))
        return false;
    ctx->direct_shadow_kind = kind;
    ctx->reserved = reserve(direct_shadow_bytes(kind));
    if (!ctx->reserved)
        give_back_share(kind);
    return ctx->reserved;
}

/* Returns the array of bytes for pages, beginning with the byte for the page of this address. */
static uint8_t *pages_of(const struct trms_exec_context *ctx, uintptr_t address)
{
    uintptr_t within = address & direct_shadow_mask(ctx->direct_shadow_kind);
    return (uint8_t *)(ctx->reserved + direct_shadow_bytes(ctx->direct_shadow_kind) + SLACK_BYTES +
                       TRMS_PAGES_OF(within));
}

void trms_direct_shadow_give(struct trms_exec_context *ctx)
{
    if (trms_world.config.shift != TRMS_FAST_SHIFT)
        return;
    if (!ctx->reserved && !get(ctx, TRMS_DIRECT_SHADOW_WIDE) && may_have(TRMS_DIRECT_SHADOW_WIDE))
        get(ctx, TRMS_DIRECT_SHADOW_NARROW);
    if (ctx->reserved && may_have(ctx->direct_shadow_kind)) {
        __atomic_store_n(&exist, true, __ATOMIC_RELAXED);
        trms_direct_shadow_begin(ctx, ctx->reserved + SKEW,
                                 direct_shadow_mask(ctx->direct_shadow_kind), pages_of(ctx, 0));
    }
}

void trms_direct_shadow_give_coroutine(struct trms_exec_context *ctx)
{
    if (__atomic_load_n(&reserved_bytes, __ATOMIC_RELAXED) < FOR_COROUTINES)
        trms_direct_shadow_give(ctx);
}

/* When other contexts synchronise, they notice that shadows were removed. These contexts must
 * synchronise before they use the new memory. */
void trms_direct_shadow_check(struct trms_exec_context *ctx, uintptr_t address, size_t bytes)
{
    uint32_t full = 0;
    /* If the ranges of narrow shadows are not known yet, another thread is finding them, and its
     * list of mappings may lack this memory. */
    if (__atomic_load_n(&trms_memory_is_watched, __ATOMIC_SEQ_CST) &&
        !places_of(TRMS_DIRECT_SHADOW_NARROW))
        decide(TRMS_DIRECT_SHADOW_NARROW);
    for (uint32_t kind = 0; kind < TRMS_DIRECT_SHADOW_KINDS; kind++) {
        const struct direct_shadow_places *places = places_of(kind);
        if (places && !direct_shadow_places_have(places, address, address + bytes))
            full |= 1u << kind;
    }
    if (!full)
        return;
    __atomic_fetch_or(&trms_world.without_direct_shadows, full, __ATOMIC_RELAXED);
    if (ctx && trms_has_direct_shadow(ctx) && full & 1u << ctx->direct_shadow_kind)
        trms_direct_shadow_leave(ctx);
}

void trms_direct_shadow_unmap(struct trms_exec_context *ctx)
{
    if (!ctx->reserved)
        return;
    native_syscall(SYS_munmap, ctx->reserved,
                   mapped_bytes(direct_shadow_bytes(ctx->direct_shadow_kind)));
    give_back_share(ctx->direct_shadow_kind);
    ctx->reserved = 0;
}

bool trms_direct_shadows_end(void)
{
    struct trms_exec_context *ctx = trms_current;
    uintptr_t own = ctx->reserved ? direct_shadow_bytes(ctx->direct_shadow_kind) : 0;
    if (__atomic_load_n(&reserved_bytes, __ATOMIC_RELAXED) != own ||
        (own && !native_enter(native_self)))
        return false;
    __atomic_store_n(&trms_world.without_direct_shadows, (1u << TRMS_DIRECT_SHADOW_KINDS) - 1,
                     __ATOMIC_RELAXED);
    if (!own)
        return true;
    if (trms_has_direct_shadow(ctx))
        trms_direct_shadow_leave(ctx);
    trms_direct_shadow_unmap(ctx);
    trms_leave(native_self);
    return true;
}

void trms_direct_shadows_fork(void)
{
    if (space.are_committed && trms_direct_shadows_exist())
        trms_direct_shadows_end();
}

bool trms_direct_shadows_exist(void)
{
    return __atomic_load_n(&exist, __ATOMIC_RELAXED);
}

const char *trms_direct_shadows_word(void)
{
    uint32_t gone = __atomic_load_n(&trms_world.without_direct_shadows, __ATOMIC_RELAXED);
    if (!trms_direct_shadows_exist())
        return "direct_shadow=none";
    for (uint32_t kind = 0; kind < TRMS_DIRECT_SHADOW_KINDS; kind++)
        if (space.places[kind].n && gone & 1u << kind)
            return "direct_shadow=lost";
    return NULL;
}

/* ---------------------------------------------------------------- clearing */

static void give_back(uintptr_t low, uintptr_t high)
{
    if (low < high)
        native_syscall(SYS_madvise, low, high - low, MADV_DONTNEED);
}

/* Clears consecutive words from `low` to `high`. */
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

static uintptr_t words_of(const struct trms_exec_context *ctx, uintptr_t address)
{
    return ctx->reserved + SKEW + (address & direct_shadow_mask(ctx->direct_shadow_kind));
}

/* Reduces a range to the part that it has in common with a range of the shadow. Returns false if
 * there is no common part. */
static bool cut(const struct direct_shadow_place *place, uintptr_t *low, uintptr_t *high)
{
    *low = *low < place->low ? place->low : *low;
    *high = *high > place->high ? place->high : *high;
    return *low < *high;
}

static void clear_range(const struct trms_exec_context *ctx, uintptr_t low, uintptr_t high)
{
    const struct direct_shadow_places *places = &space.places[ctx->direct_shadow_kind];
    for (unsigned i = 0; i < places->n; i++) {
        uintptr_t from = low, to = high;
        if (!cut(&places->at[i], &from, &to))
            continue;
        clear_words(words_of(ctx, from), words_of(ctx, from) + (to - from));
        if (to - from >= FEW_PAGES * PAGE_BYTES)
            clear_words((uintptr_t)pages_of(ctx, from),
                        (uintptr_t)pages_of(ctx, from) + TRMS_PAGES_OF(to - from));
    }
}

void trms_direct_shadow_clear(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    if (last == ~(uint64_t)0) {
        give_back(ctx->reserved,
                  ctx->reserved + mapped_bytes(direct_shadow_bytes(ctx->direct_shadow_kind)));
        return;
    }
    clear_range(ctx, first * 4, last * 4 + 4);
}

/* ---------------------------------------------------------------- all words */

#define PRESENT_OR_SWAPPED ((uint64_t)3 << 62) /* see proc_pid_pagemap(5) */
#define PAGES_AT_ONCE      512

struct walk {
    struct trms_exec_context *ctx;
    trms_words_visit *visit;
    void *context;
    int pagemap;
    uint64_t pages[PAGES_AT_ONCE + 1];
    struct native_maps maps;
};

/* Finds the pages of words that were touched; the system has not made the other pages. If the
 * pagemap file cannot be read, all pages count as touched. The words of n pages of the program lie
 * in n + 1 pages, because the words are not aligned to pages. */
static void find_touched(struct walk *walk, uintptr_t words, size_t n)
{
    long bytes = (long)((n + 1) * sizeof *walk->pages);
    if (walk->pagemap >= 0 && native_syscall(SYS_pread64, walk->pagemap, walk->pages, bytes,
                                             words / PAGE_BYTES * sizeof *walk->pages) == bytes)
        return;
    for (size_t i = 0; i <= n; i++)
        walk->pages[i] = PRESENT_OR_SWAPPED;
}

static void visit_pages(struct walk *walk, uintptr_t low, uintptr_t high)
{
    while (low < high) {
        uintptr_t words = words_of(walk->ctx, low);
        size_t n = (high - low) / PAGE_BYTES;
        n = n < PAGES_AT_ONCE ? n : PAGES_AT_ONCE;
        find_touched(walk, words, n);
        for (size_t i = 0; i < n; i++, low += PAGE_BYTES, words += PAGE_BYTES)
            if ((walk->pages[i] | walk->pages[i + 1]) & PRESENT_OR_SWAPPED)
                walk->visit(walk->context, (uint32_t *)words, low / 4, PAGE_CELLS);
    }
}

static void visit_mapping(struct walk *walk, const struct native_mapping *mapping)
{
    const struct direct_shadow_places *places = &space.places[walk->ctx->direct_shadow_kind];
    for (unsigned i = 0; i < places->n; i++) {
        uintptr_t low = mapping->start, high = mapping->end;
        if (cut(&places->at[i], &low, &high))
            visit_pages(walk, low, high);
    }
}

void trms_direct_shadow_each(struct trms_exec_context *ctx, trms_words_visit *visit, void *context)
{
    size_t bytes = pages_bytes(sizeof(struct walk));
    struct walk *walk = host_map("aprof.trms.walk", bytes);
    struct native_mapping mapping;
    uintptr_t end = 0;
    walk->ctx = ctx;
    walk->visit = visit;
    walk->context = context;
    walk->pagemap = (int)native_open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (!native_maps_open(&walk->maps))
        host_panic("/proc/self/maps cannot be read", __FILE__, __LINE__);
    while (native_maps_next(&walk->maps, &mapping) && mapping.start < KERNEL_ADDRESSES) {
        clear_range(ctx, end, mapping.start); /* addresses without memory */
        end = mapping.end;
        visit_mapping(walk, &mapping);
    }
    clear_range(ctx, end, KERNEL_ADDRESSES);
    native_maps_close(&walk->maps);
    if (walk->pagemap >= 0)
        native_syscall(SYS_close, walk->pagemap);
    host_unmap(walk, bytes);
}
