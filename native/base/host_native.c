/* Implements ground/host.h in a user's program: allocates blocks without locks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hooks must not call the program's malloc, because hooks may run inside malloc and inside signal
 * handlers. The sizes of blocks are powers of two. Each size has a list of free blocks, which are
 * pushed and popped by compare-and-swap. New blocks are allocated from arenas by fetch-and-add.
 * Blocks are never unmapped, because a thread may still read the link of a block that another
 * thread has just popped. Blocks larger than 64 KiB have separate mappings.
 */
#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/native.h"
#include "native/base/environment.h"
#include "native/base/report_output.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"

#include <errno.h>
#include <linux/mman.h>
#include <signal.h>

#define CLASS_MIN     5u  /* log2 of the smallest block size: 32 bytes, with a header of 16 bytes */
#define CLASS_MAX     16u /* log2 of the largest block size: 64 KiB, with the header */
#define CLASS_MAPPED  0xffffffffu
#define ARENA_BYTES   ((size_t)1 << 20)
#define ADDRESS_SHIFT 4  /* blocks are aligned to 16 bytes */
#define TAG_SHIFT     44 /* user addresses have 47 bits; the other bits count pushes */
#define ADDRESS_MASK  (((uint64_t)1 << TAG_SHIFT) - 1)

struct native_block {
    uint32_t class;
    uint32_t unused;
    union {
        struct native_block *next; /* next free block, if the block is free */
        size_t mapped;             /* number of bytes in a block that has a separate mapping */
    };
};

struct native_arena {
    size_t used; /* atomic: number of used bytes, which may exceed the arena's size */
};

/* For each size of blocks, one word has the address of the first free block and the number of
 * pushes. If the block was popped and pushed again since the load, the count has changed and the
 * compare-and-swap fails (ABA). */
static uint64_t free_lists[CLASS_MAX + 1];
static struct native_arena *current_arena;

/* ---------------------------------------------------------------- lists of free blocks */

static struct native_block *list_first(uint64_t head)
{
    return (struct native_block *)(uintptr_t)((head & ADDRESS_MASK) << ADDRESS_SHIFT);
}

static uint64_t list_head(struct native_block *first, uint64_t former)
{
    uint64_t tag = (former >> TAG_SHIFT) + 1;
    return tag << TAG_SHIFT | (uint64_t)(uintptr_t)first >> ADDRESS_SHIFT;
}

static struct native_block *list_pop(uint64_t *list)
{
    /* Acquire order pairs with the release in list_push, so the block's link is visible. */
    uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE);
    struct native_block *first;
    do {
        first = list_first(head);
        if (!first)
            return NULL;
    } while (!__atomic_compare_exchange_n(
        list, &head, list_head(__atomic_load_n(&first->next, __ATOMIC_RELAXED), head), 1,
        __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return first;
}

static void list_push(uint64_t *list, struct native_block *block)
{
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    do
        __atomic_store_n(&block->next, list_first(head), __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(list, &head, list_head(block, head), 1, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* ---------------------------------------------------------------- arenas */

static struct native_block *arena_carve(size_t bytes)
{
    for (;;) {
        /* Acquire order pairs with the release store of current_arena, so the arena's `used` is
         * visible. */
        struct native_arena *arena = __atomic_load_n(&current_arena, __ATOMIC_ACQUIRE);
        if (arena) {
            size_t at = __atomic_fetch_add(&arena->used, bytes, __ATOMIC_RELAXED);
            if (at + bytes <= ARENA_BYTES)
                return (struct native_block *)((char *)arena + at);
        }
        struct native_arena *fresh = host_map("native.arena", ARENA_BYTES);
        fresh->used = sizeof(struct native_block);
        if (!__atomic_compare_exchange_n(&current_arena, &arena, fresh, 0, __ATOMIC_RELEASE,
                                         __ATOMIC_RELAXED))
            host_unmap(fresh, ARENA_BYTES);
    }
}

static uint32_t class_of(size_t bytes)
{
    uint32_t class = 64 - (uint32_t)__builtin_clzl(bytes - 1);
    return class < CLASS_MIN ? CLASS_MIN : class;
}

/* ---------------------------------------------------------------- the interface */

static void *alloc_mapped(const char *site, size_t bytes)
{
    bytes = pages_bytes(bytes);
    struct native_block *block = host_map(site, bytes);
    block->class = CLASS_MAPPED;
    block->mapped = bytes;
    return block + 1;
}

void *host_alloc(const char *site, size_t bytes)
{
    size_t whole = bytes + sizeof(struct native_block);
    uint32_t class = class_of(whole);
    if (class > CLASS_MAX)
        return alloc_mapped(site, whole);
    struct native_block *block = list_pop(&free_lists[class]);
    if (block)
        memset(block + 1, 0, bytes);
    else
        block = arena_carve((size_t)1 << class);
    block->class = class;
    return block + 1;
}

void host_free(void *at)
{
    if (!at)
        return;
    struct native_block *block = (struct native_block *)at - 1;
    if (block->class == CLASS_MAPPED)
        host_unmap(block, block->mapped);
    else
        list_push(&free_lists[block->class], block);
}

void *host_map(const char *site, size_t bytes)
{
    (void)site;
    long pages = native_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages < 0 && pages > -4096)
        host_panic("out of memory", site, 0);
    return (void *)pages;
}

void host_unmap(void *pages, size_t bytes)
{
    native_syscall(SYS_munmap, pages, bytes);
}

/* Ends the process like abort, but without running handlers. */
void host_panic(const char *what, const char *file, int line)
{
    char text[512];
    size_t n = 0;
    text[0] = 0;
    native_text_append(text, sizeof text, &n, file);
    native_text_append(text, sizeof text, &n, ":");
    native_text_append_decimal(text, sizeof text, &n, (uint64_t)line);
    native_message(text, what);

    struct { /* the kernel's struct sigaction: default action, no flags, no restorer, empty mask */
        uintptr_t words[4];
    } action = {{0}};
    uint64_t mask = (uint64_t)1 << (SIGABRT - 1);
    native_syscall(SYS_rt_sigaction, SIGABRT, &action, 0, 8);
    native_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);
    native_syscall(SYS_tgkill, native_syscall(SYS_getpid), native_syscall(SYS_gettid), SIGABRT);
    for (;;)
        native_syscall(SYS_exit_group, 128 + SIGABRT);
}
