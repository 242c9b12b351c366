/* Implements host.h in Valgrind: memory for engines that may run in parallel with Valgrind's core.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The engine runs on the program's thread or on the analysis thread, and Valgrind's allocators are
 * not thread-safe. So this file allocates the engine's memory from large blocks of Valgrind's
 * address space manager. The analysis thread requests a large block shortly before it needs one.
 *
 * Each of the two threads has a separate arena, because two engines may run at once
 * (--concurrent=both). If a thread frees a block from the other thread's arena, the block moves to
 * the arena of the thread that frees it.
 *
 * There are three layers. A batch has BATCH_BYTES, or more for a large request, and is never
 * returned. Runs of pages are cut from batches. The memory of a freed run is returned to the
 * kernel, but the run's addresses are kept for the next request of this size. Blocks of up to 16
 * KiB are cut from runs by size class (size_class.h). A header before each block names the block's
 * class. Each larger block is a run of its own.
 */
#include "aprof/valgrind_core.h"

#include "aprof/analysis_thread.h"
#include "aprof/machine.h"
#include "ground/host.h"
#include "aprof/size_class.h"

#define MADV_DONTNEED 4 /* constant of Linux that Valgrind's headers lack */

#define BATCH_BYTES ((SizeT)4 << 20)
#define PAGE_MASK   ((SizeT)VKI_PAGE_SIZE - 1)

#define SMALL_RUN ((SizeT)64 << 10)
#define LARGE     SIZE_CLASSES

#define LARGE_BEFORE SIZE_GRAIN_BYTES /* offset of a large block in its mapping, in bytes */

/* The header before each block; the block is aligned to a grain. */
struct block_header {
    union {
        ULong alignment;
        struct {
            UInt size_class; /* size class of the block; LARGE: a run of pages */
            UInt pages;      /* of LARGE */
        };
    };
};

struct free_block {
    struct free_block *next;
};

/* Freed pages, all zero. */
struct free_run {
    struct free_run *next;
    UChar *pages;
    SizeT bytes;
};

/* Runs of up to a quarter of a batch are listed by their number of pages; larger runs are in list
 * 0. */
#define KEPT_BY_SIZE (BATCH_BYTES / 4 / MACHINE_PAGE_BYTES_LEAST)

static struct page_arena {
    UChar *batch; /* unused rest of the latest batch */
    SizeT batch_left;
    UChar *small; /* unused rest of the latest run for small blocks */
    SizeT small_left;
    struct free_block *blocks[SIZE_CLASSES];
    struct free_run *runs[KEPT_BY_SIZE + 1];
} arenas[2];

static struct page_arena *arena_mine(void)
{
    return &arenas[analysis_thread_is_current()];
}

/*------------------------------------------------------------*/
/*--- Pieces                                               ---*/
/*------------------------------------------------------------*/

__attribute__((noreturn)) static void out_of_memory(const HChar *site, SizeT bytes)
{
    VG_(umsg)("aprof: out of memory: %s needs %lu bytes\n", site, bytes);
    VG_(exit)(1);
}

static void run_keep(struct page_arena *arena, UChar *pages, SizeT bytes);

/* Requests a batch on the analysis thread. If the thread has already made a request in advance,
 * waits for the answer to this request. */
static UChar *piece_ask(struct page_arena *arena, const HChar *site, SizeT bytes)
{
    for (;;) {
        SizeT taken_bytes;
        UChar *taken;

        if (!analysis_thread_has_asked())
            analysis_thread_ask_pages(site, bytes);
        taken = analysis_thread_take_pages(&taken_bytes);
        if (taken_bytes == bytes)
            return taken;
        run_keep(arena, taken, taken_bytes);
    }
}

static UChar *piece_new(struct page_arena *arena, const HChar *site, SizeT bytes)
{
    UChar *pages;

    if (analysis_thread_is_current())
        return piece_ask(arena, site, bytes);
    pages = valgrind_map(bytes);
    if (pages == NULL)
        out_of_memory(site, bytes);
    return pages;
}

/*------------------------------------------------------------*/
/*--- Runs of pages                                        ---*/
/*------------------------------------------------------------*/

static struct free_run **runs_of(struct page_arena *arena, SizeT bytes)
{
    SizeT pages = bytes / VKI_PAGE_SIZE;

    return &arena->runs[pages <= KEPT_BY_SIZE ? pages : 0];
}

/* Takes a run of `least` to `most` bytes from the list of runs. */
static UChar *run_find(struct free_run **list, SizeT least, SizeT most, SizeT *bytes)
{
    for (struct free_run **at = list; *at; at = &(*at)->next) {
        struct free_run *run = *at;
        UChar *pages = run->pages;

        if (run->bytes < least || run->bytes > most)
            continue;
        *bytes = run->bytes;
        *at = run->next;
        host_free(run);
        return pages;
    }
    return NULL;
}

static void run_keep(struct page_arena *arena, UChar *pages, SizeT bytes)
{
    struct free_run *run = host_alloc("aprof.host.run", sizeof *run);
    struct free_run **list = runs_of(arena, bytes);

    *run = (struct free_run){*list, pages, bytes};
    *list = run;
}

/* Begins a new batch. The rest of the old batch is kept for smaller requests. A large freed run can
 * serve as a new batch. */
static void batch_renew(struct page_arena *arena, const HChar *site)
{
    UChar *old = arena->batch;
    SizeT old_left = arena->batch_left, bytes = BATCH_BYTES;
    UChar *found = run_find(&arena->runs[0], BATCH_BYTES, ~(SizeT)0, &bytes);

    arena->batch = found ? found : piece_new(arena, site, BATCH_BYTES);
    arena->batch_left = bytes;
    if (old_left)
        run_keep(arena, old, old_left);
}

static UChar *run_cut(struct page_arena *arena, const HChar *site, SizeT bytes)
{
    UChar *pages;

    if (bytes > arena->batch_left)
        batch_renew(arena, site);
    pages = arena->batch;
    arena->batch += bytes;
    arena->batch_left -= bytes;
    if (arena->batch_left < BATCH_BYTES / 2 && analysis_thread_is_current() &&
        !analysis_thread_has_asked())
        analysis_thread_ask_pages(site, BATCH_BYTES);
    return pages;
}

void *host_map(const char *site, size_t bytes)
{
    struct page_arena *arena = arena_mine();
    SizeT found_bytes;
    UChar *found;

    APROF_ASSERT((bytes & PAGE_MASK) == 0 && bytes > 0);
    found = run_find(runs_of(arena, bytes), bytes, bytes, &found_bytes);
    if (found)
        return found;
    return bytes > BATCH_BYTES / 4 ? piece_new(arena, site, bytes) : run_cut(arena, site, bytes);
}

void host_unmap(void *pages, size_t bytes)
{
    APROF_ASSERT((((Addr)pages | bytes) & PAGE_MASK) == 0);
    VG_(do_syscall)(__NR_madvise, (UWord)pages, bytes, MADV_DONTNEED, 0, 0, 0, 0, 0);
    run_keep(arena_mine(), pages, bytes);
}

/*------------------------------------------------------------*/
/*--- Blocks                                               ---*/
/*------------------------------------------------------------*/

/* When the rest of a run is too small for the next request, turns this rest into a free block. */
static void small_retire(struct page_arena *arena)
{
    struct free_block *block = (struct free_block *)(arena->small + sizeof(struct block_header));
    UInt size_class = size_class_within(arena->small_left);

    block->next = arena->blocks[size_class];
    arena->blocks[size_class] = block;
}

static void *small_new(struct page_arena *arena, const HChar *site, UInt size_class)
{
    SizeT bytes = size_class_bytes(size_class);
    struct block_header *header;

    if (bytes > arena->small_left) {
        if (arena->small_left)
            small_retire(arena);
        arena->small_left = 0; /* not used any more: run_cut may itself allocate a small block, to
                                * list the rest of a batch */
        arena->small = run_cut(arena, site, SMALL_RUN) + sizeof *header;
        arena->small_left = SMALL_RUN - SIZE_GRAIN_BYTES;
    }
    header = (struct block_header *)arena->small;
    arena->small += bytes;
    arena->small_left -= bytes;
    header->size_class = size_class;
    return header + 1;
}

static void *large_new(const HChar *site, SizeT bytes)
{
    SizeT run_bytes = VG_PGROUNDUP(bytes + LARGE_BEFORE);
    UChar *block = (UChar *)host_map(site, run_bytes) + LARGE_BEFORE;
    struct block_header *header = (struct block_header *)block - 1;

    header->size_class = LARGE;
    header->pages = run_bytes / VKI_PAGE_SIZE;
    return block;
}

void *host_alloc(const char *site, size_t bytes)
{
    struct page_arena *arena = arena_mine();
    struct free_block *block;
    UInt size_class;

    bytes += sizeof(struct block_header);
    if (bytes > SIZE_LARGEST_BYTES)
        return large_new(site, bytes);
    size_class = size_class_of(bytes);
    block = arena->blocks[size_class];
    if (block == NULL)
        return small_new(arena, site, size_class);
    arena->blocks[size_class] = block->next;
    ((struct block_header *)block - 1)->size_class = size_class;
    return VG_(memset)(block, 0, bytes - sizeof(struct block_header));
}

void host_free(void *block)
{
    struct block_header *header = (struct block_header *)block - 1;
    struct free_block *freed = block;
    struct page_arena *arena = arena_mine();

    if (block == NULL)
        return;
    if (header->size_class == LARGE) {
        host_unmap((UChar *)block - LARGE_BEFORE, (SizeT)header->pages * VKI_PAGE_SIZE);
        return;
    }
    freed->next = arena->blocks[header->size_class];
    arena->blocks[header->size_class] = freed;
}

void host_panic(const char *what, const char *file, int line)
{
    if (analysis_thread_is_current())
        analysis_thread_fail(what, file, line);
    VG_(assert_fail)(False, what, file, line, "engine", "");
}
