/* host.h inside Valgrind.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Valgrind keeps a table of all mappings, limited in size and searched often. So pages are taken
 * from it in batches, and those that are given back are emptied and kept for the next request of
 * their size: the program's shadow memory stays a few entries in that table whatever comes and
 * goes.
 */
#include "valgrind_core.h"

#include "host.h"

#define MADV_DONTNEED 4 /* Linux's value; Valgrind's headers lack it */

#define BATCH_BYTES ((SizeT)4 << 20)
#define PAGE_MASK   ((SizeT)VKI_PAGE_SIZE - 1)

/* Pages that were given back, all zero. The key is their number of bytes. */
struct free_pages {
    VgHashNode hash;
    void *pages;
};

static VgHashTable *free_pages;
static UChar *batch;
static SizeT batch_left;

void *host_alloc(const char *site, size_t bytes)
{
    return VG_(calloc)(site, 1, bytes);
}

void host_free(void *block)
{
    VG_(free)(block);
}

__attribute__((noreturn)) static void out_of_memory(const char *site, SizeT bytes)
{
    VG_(umsg)("aprof: out of memory: %s wanted %lu bytes\n", site, bytes);
    VG_(exit)(1);
}

static void *map_fresh(const char *site, SizeT bytes)
{
    void *pages = valgrind_map(bytes);

    if (pages == NULL)
        out_of_memory(site, bytes);
    return pages;
}

/* Cuts the request off the current batch. What is left of the batch before it is not lost: it is
 * used up by smaller requests, or kept by its size. */
static void *map_from_batch(const char *site, SizeT bytes)
{
    void *pages;

    if (bytes > batch_left) {
        if (batch_left)
            host_unmap(batch, batch_left);
        batch = map_fresh(site, BATCH_BYTES);
        batch_left = BATCH_BYTES;
    }
    pages = batch;
    batch += bytes;
    batch_left -= bytes;
    return pages;
}

void *host_map(const char *site, size_t bytes)
{
    struct free_pages *found;
    void *pages;

    tl_assert((bytes & PAGE_MASK) == 0 && bytes > 0);
    found = free_pages ? VG_(HT_remove)(free_pages, bytes) : NULL;
    if (found) {
        pages = found->pages;
        VG_(free)(found);
        return pages;
    }
    return bytes > BATCH_BYTES / 4 ? map_fresh(site, bytes) : map_from_batch(site, bytes);
}

void host_unmap(void *pages, size_t bytes)
{
    struct free_pages *node;

    tl_assert((((Addr)pages | bytes) & PAGE_MASK) == 0);
    if (bytes > BATCH_BYTES / 4) {
        VG_(am_munmap_valgrind)((Addr)pages, bytes);
        return;
    }
    VG_(do_syscall)(__NR_madvise, (UWord)pages, bytes, MADV_DONTNEED, 0, 0, 0, 0, 0);
    if (free_pages == NULL)
        free_pages = VG_(HT_construct)("aprof.host.free");
    node = VG_(malloc)("aprof.host.free", sizeof *node);
    node->hash.key = bytes;
    node->pages = pages;
    VG_(HT_add_node)(free_pages, node);
}

void host_panic(const char *what, const char *file, int line)
{
    VG_(assert_fail)(False, what, file, line, "engine", "");
}
