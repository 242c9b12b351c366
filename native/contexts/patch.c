/* Replaces the no-ops at entries of routines by calls of the hook.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -fpatchable-function-entry=16 creates sixteen bytes of no-ops at each entry, and a list of the
 * entries' addresses. Before the routine runs for the first time, the no-ops are replaced. If
 * bursts are requested, the new code is:
 *
 *     64 48 ff 0c 25 xx xx xx xx    decq %fs:contexts_left
 *     79 05                         jns  over the call
 *     e8 xx xx xx xx                call hook
 *
 * Without bursts, the new code is a series of no-ops and the call of the hook. With bursts, an
 * entry in a gap costs two instructions, and the number of entries is known. No code is changed
 * while the program runs. The new code may change the processor's flags, because no routine reads
 * flags that its caller has set. Objects that are too far from the hook get a nearby page that
 * jumps to the hook.
 */
#include "native/contexts/runtime.h"
#include "native/base/modules.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"
#include "ground/host.h"
#include "ground/pages.h"

#include <sys/mman.h>

#define CALL_BYTES 5

struct patched {
    struct patched *next;
    const uintptr_t *list; /* the object's own list, which identifies the object */
    uintptr_t low, high;   /* addresses of the first and the last entry */
    uintptr_t *entries;    /* sorted */
    uint32_t n;
    uint32_t live; /* whether the object is loaded */
};

/* Only the thread that loads an object adds elements to this list; elements are never removed. */
static struct patched *all;
static contexts_hook *hook; /* NULL: no profile */

NATIVE_EXPORT void aprof_contexts_object_loaded(const uintptr_t *start, const uintptr_t *stop);
NATIVE_EXPORT void aprof_contexts_object_unloaded(const uintptr_t *start);

/* ---------------------------------------------------------------- finding */

/* Returns the index of the first entry at or after `address`; p->n if there is no such entry. */
static uint32_t find_entry(const struct patched *p, uintptr_t address)
{
    uint32_t low = 0, high = p->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->entries[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uintptr_t contexts_patch_entry_at(uintptr_t address)
{
    for (struct patched *p = __atomic_load_n(&all, __ATOMIC_ACQUIRE); p; p = p->next) {
        if (address + 4 < p->low || address > p->high)
            continue;
        uint32_t i = find_entry(p, address);
        if (i < p->n && (p->entries[i] == address || p->entries[i] == address + 4))
            return p->entries[i];
    }
    return 0;
}

/* ---------------------------------------------------------------- patching */

/* Returns the length of the no-op at `code`; 0 for any other instruction. */
static size_t no_op_bytes(const uint8_t *code)
{
    static const uint8_t displacement[] = {0, 1, 4, 0};
    size_t n = 0;
    while (code[n] == 0x66 || code[n] == 0x2e)
        n++;
    if (code[n] == 0x90)
        return n + 1;
    if (code[n] != 0x0f || code[n + 1] != 0x1f)
        return 0;
    uint8_t operand = code[n + 2];
    return n + 3 + (operand % 8 == 4) + displacement[operand >> 6];
}

/* Returns whether the code is an entry with no-ops. gcc generates no-ops of one byte, clang longer
 * no-ops. */
static bool is_entry(const uint8_t *code)
{
    size_t n = 0, bytes = 1;
    while (n < CONTEXTS_ENTRY_BYTES && (bytes = no_op_bytes(code + n)) > 0)
        n += bytes;
    return n == CONTEXTS_ENTRY_BYTES;
}

static bool within_reach(const struct patched *p, uintptr_t target)
{
    uintptr_t low = p->low < target ? p->low : target;
    uintptr_t high =
        p->high + CONTEXTS_ENTRY_BYTES > target ? p->high + CONTEXTS_ENTRY_BYTES : target;
    return high - low < 0x7fff0000;
}

/* Makes a page near the object that jumps to the hook: jmp *0(%rip), and the hook's address.
 * Returns 0 if there is no free space nearby. */
static uintptr_t make_stepping_stone(const struct patched *p)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    for (uintptr_t distance = 1u << 24; distance < 0x78000000; distance += 1u << 24) {
        uintptr_t at = (p->low & ~(uintptr_t)4095) - distance;
        long page = native_syscall(SYS_mmap, at, 4096, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (page < 0)
            continue;
        if (within_reach(p, (uintptr_t)page)) {
            memcpy((void *)page, jump, sizeof(jump));
            memcpy((uint8_t *)page + sizeof(jump), &hook, sizeof(hook));
            native_syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
            return (uintptr_t)page;
        }
        native_syscall(SYS_munmap, page, 4096);
    }
    return 0;
}

static void write_entry(uint8_t *code, uintptr_t target)
{
    static const uint8_t idle[] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0,
                                   0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
    static const uint8_t always[] = {0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x66, 0x90, 0xe8};
    static const uint8_t at_times[] = {0x64, 0x48, 0xff, 0x0c, 0x25,       0,
                                       0,    0,    0,    0x79, CALL_BYTES, 0xe8};
    int32_t distance = (int32_t)(target - (uintptr_t)(code + CONTEXTS_ENTRY_BYTES));
    int32_t left = (int32_t)((uintptr_t)&contexts_left - (uintptr_t)__builtin_thread_pointer());
    if (!hook) {
        memcpy(code, idle, sizeof(idle));
        return;
    }
    memcpy(code, contexts_config.burst ? at_times : always, sizeof(always));
    if (contexts_config.burst)
        memcpy(code + 5, &left, sizeof(left));
    memcpy(code + sizeof(always), &distance, sizeof(distance));
}

/* Writes the code of all entries. Entries without the expected no-ops were compiled for another
 * purpose, and stay unchanged. */
static void write_entries(struct patched *p, uintptr_t target)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint8_t *code = (uint8_t *)p->entries[i];
        if (!is_entry(code))
            continue;
        write_entry(code, target);
        p->entries[n++] = p->entries[i];
    }
    p->n = n;
}

static bool make_writable(const struct patched *p, bool writable)
{
    uintptr_t start = p->low & ~(uintptr_t)4095,
              end = (p->high + CONTEXTS_ENTRY_BYTES + 4095) & ~(uintptr_t)4095;
    return native_syscall(SYS_mprotect, start, end - start,
                          PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

/* This insertion sort takes nearly linear time, because lists are sorted except where the linker
 * moved sections. */
static void sort(uintptr_t *entries, uint32_t n)
{
    for (uint32_t gap = n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            uintptr_t entry = entries[i];
            uint32_t at = i;
            for (; at >= gap && entries[at - gap] > entry; at -= gap)
                entries[at] = entries[at - gap];
            entries[at] = entry;
        }
}

/* Zeros in the list are entries of routines that the linker has removed. */
static struct patched *make_object(const uintptr_t *start, const uintptr_t *stop)
{
    size_t n = (size_t)(stop - start);
    size_t bytes = sizeof(struct patched) + n * sizeof(uintptr_t);
    struct patched *p = host_map("aprof.contexts.entries", pages_bytes(bytes));
    p->list = start;
    p->entries = (uintptr_t *)(p + 1);
    for (size_t i = 0; i < n; i++)
        if (start[i])
            p->entries[p->n++] = start[i];
    sort(p->entries, p->n);
    if (p->n) {
        p->low = p->entries[0];
        p->high = p->entries[p->n - 1];
    }
    return p;
}

static void patch_object(const uintptr_t *start, const uintptr_t *stop)
{
    struct patched *p = make_object(start, stop);
    uintptr_t target = (uintptr_t)hook;
    if (p->n && hook && !within_reach(p, target))
        target = make_stepping_stone(p);
    if (!p->n || (hook && !target))
        return;
    if (!make_writable(p, true)) {
        native_message("contexts", "a security policy forbids changing code in this process; "
                                   "compile with -finstrument-functions");
        return;
    }
    write_entries(p, target);
    make_writable(p, false);
    p->live = 1;
    p->next = all;
    __atomic_store_n(&all, p, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------------------- objects */

/* The linker defines __start_ and __stop_ symbols in each object that has a section of patchable
 * entries. */
extern const uintptr_t __start___patchable_function_entries[] __attribute__((weak));
extern const uintptr_t __stop___patchable_function_entries[] __attribute__((weak));

void contexts_patch_start(contexts_hook *entry_hook)
{
    hook = entry_hook;
    if (__start___patchable_function_entries)
        patch_object(__start___patchable_function_entries, __stop___patchable_function_entries);
}

void aprof_contexts_object_loaded(const uintptr_t *start, const uintptr_t *stop)
{
    if (!native_start() || !hook)
        return;
    native_modules_refresh();
    patch_object(start, stop);
}

void aprof_contexts_object_unloaded(const uintptr_t *start)
{
    for (struct patched *p = __atomic_load_n(&all, __ATOMIC_ACQUIRE); p; p = p->next)
        if (p->list == start)
            p->live = 0;
}
