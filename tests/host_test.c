/* The engine's host in test programs: counts live bytes per site, fails on demand.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small blocks come from malloc, so that the sanitizers see overruns; pages come from mmap. A site
 * is identified by its name; one table has the few existing sites.
 */
#define _GNU_SOURCE
#include "tests/host_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ground/host.h"

enum { SITES_MAX = 64, PAGE_BYTES = 4096 };

struct site {
    const char *name;
    size_t live_bytes;
};

struct block_head {
    struct block_head *next, *previous;
    size_t bytes;
    struct site *site;
};

struct mapping {
    char *start, *end;
    struct site *site;
};

static struct site sites[SITES_MAX];
static struct block_head *blocks;
static struct mapping *mappings;
static size_t n_mappings, room_mappings;
static unsigned long fail_countdown;
static jmp_buf *fail_jump, *panic_jump;
const char *host_test_panic_message;

static void fatal(const char *what)
{
    fprintf(stderr, "host_test: %s\n", what);
    abort();
}

static struct site *site_find(const char *name)
{
    for (int i = 0; i < SITES_MAX; i++) {
        if (!sites[i].name)
            sites[i].name = name;
        if (!strcmp(sites[i].name, name))
            return &sites[i];
    }
    fatal("more allocation sites than expected");
    return NULL;
}

static void fail_if_due(void)
{
    if (fail_countdown && --fail_countdown == 0)
        longjmp(*fail_jump, 1);
}

void *host_alloc(const char *site, size_t bytes)
{
    fail_if_due();
    struct block_head *head = calloc(1, sizeof(*head) + bytes);
    if (!head)
        fatal("out of memory");
    head->bytes = bytes;
    head->site = site_find(site);
    head->site->live_bytes += bytes;
    head->next = blocks;
    if (blocks)
        blocks->previous = head;
    blocks = head;
    return head + 1;
}

void host_free(void *block)
{
    if (!block)
        return;
    struct block_head *head = (struct block_head *)block - 1;
    head->site->live_bytes -= head->bytes;
    if (head->next)
        head->next->previous = head->previous;
    if (head->previous)
        head->previous->next = head->next;
    else
        blocks = head->next;
    free(head);
}

static void mapping_add(char *start, char *end, struct site *site)
{
    if (n_mappings == room_mappings) {
        room_mappings = room_mappings ? 2 * room_mappings : 64;
        mappings = realloc(mappings, room_mappings * sizeof(*mappings));
        if (!mappings)
            fatal("out of memory");
    }
    mappings[n_mappings++] = (struct mapping){start, end, site};
}

void *host_map(const char *site, size_t bytes)
{
    if (bytes == 0 || bytes % PAGE_BYTES)
        fatal("host_map of a size that is no multiple of a page");
    fail_if_due();
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        fatal("out of address space");
    struct site *owner = site_find(site);
    owner->live_bytes += bytes;
    mapping_add(pages, pages + bytes, owner);
    return pages;
}

/* Finds the mapping that contains [start, end), from the newest, because new mappings are usually
 * released first. */
static size_t mapping_find(const char *start, const char *end)
{
    for (size_t i = n_mappings; i-- > 0;) {
        if (mappings[i].start <= start && end <= mappings[i].end)
            return i;
    }
    fatal("host_unmap of pages that are not mapped");
    return 0;
}

void host_unmap(void *pages, size_t bytes)
{
    char *start = pages, *end = start + bytes;
    if ((uintptr_t)start % PAGE_BYTES || bytes == 0 || bytes % PAGE_BYTES)
        fatal("host_unmap of something that is not whole pages");
    size_t i = mapping_find(start, end);
    struct mapping whole = mappings[i];
    whole.site->live_bytes -= bytes;
    mappings[i] = mappings[--n_mappings];
    if (whole.start < start)
        mapping_add(whole.start, start, whole.site);
    if (end < whole.end)
        mapping_add(end, whole.end, whole.site);
    if (munmap(pages, bytes) != 0)
        fatal("munmap failed");
}

void host_panic(const char *what, const char *file, int line)
{
    host_test_panic_message = what;
    if (panic_jump)
        longjmp(*panic_jump, 1);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

size_t host_test_live_bytes(const char *site)
{
    size_t bytes = 0;
    for (int i = 0; i < SITES_MAX && sites[i].name; i++) {
        if (!site || !strcmp(sites[i].name, site))
            bytes += sites[i].live_bytes;
    }
    return bytes;
}

size_t host_test_report_live(void)
{
    for (int i = 0; i < SITES_MAX && sites[i].name; i++) {
        if (sites[i].live_bytes)
            fprintf(stderr, "live: %-32s %zu bytes\n", sites[i].name, sites[i].live_bytes);
    }
    return host_test_live_bytes(NULL);
}

void host_test_release_all(void)
{
    while (blocks)
        host_free(blocks + 1);
    while (n_mappings) {
        struct mapping m = mappings[n_mappings - 1];
        host_unmap(m.start, (size_t)(m.end - m.start));
    }
}

void host_test_fail_at(unsigned long nth, jmp_buf *where)
{
    fail_countdown = nth;
    fail_jump = where;
}

void host_test_catch_panic(jmp_buf *where)
{
    panic_jump = where;
}
