/* Entries of routines: no-ops that become calls of the hook, and no-ops again.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -fpatchable-function-entry=5 leaves five bytes of no-ops at each entry, and a list of where they
 * are. Before the routine runs for the first time they become
 *
 *     e8 xx xx xx xx    call hook
 *     a9 xx xx xx xx    test $xxxxxxxx, %eax
 *
 * which differ in one byte: the distance to the hook is an operand that changes flags only, which
 * are dead where a routine begins. So an entry is switched by a store of one byte, which is atomic
 * wherever the entry lies, and which another processor may notice late but never half. An idle
 * entry costs one instruction.
 *
 * When a burst is over, entries switch themselves off, one by one as they are hit, and the next
 * burst switches on those that did: the work is proportional to the routines in use, not to those
 * in the program. Objects that are too far from the hook get a page near them that jumps to it.
 */
#include "native/contexts/runtime.h"
#include "native/base/modules.h"
#include "native/base/process.h"
#include "native/base/syscalls.h"
#include "ground/host.h"
#include "ground/pages.h"

#include <sys/mman.h>

#define CALL 0xe8
#define TEST 0xa9

struct patched {
    struct patched *next;
    const uintptr_t *list; /* the object's own: tells objects apart */
    uintptr_t low, high;   /* the first and the last entry */
    uintptr_t *entries;    /* sorted */
    uint8_t *off;          /* 1: switched off by contexts_patch_disable; padded to whole words */
    uint32_t n;
    uint32_t live; /* the object is loaded */
};

/* Objects are added by the thread that loads them, and never removed. */
static struct patched *all;
static contexts_hook *hook;
static bool toggled;
static uint32_t switching; /* a lock: entries are being switched on, or an object goes */

NATIVE_EXPORT void aprof_contexts_object_loaded(const uintptr_t *start, const uintptr_t *stop);
NATIVE_EXPORT void aprof_contexts_object_unloaded(const uintptr_t *start);

/* ---------------------------------------------------------------- finding */

static struct patched *find_object(uintptr_t address)
{
    for (struct patched *p = __atomic_load_n(&all, __ATOMIC_ACQUIRE); p; p = p->next)
        if (address >= p->low && address <= p->high && p->live)
            return p;
    return NULL;
}

/* The index of the first entry at or behind `address`; n: none. */
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

/* ---------------------------------------------------------------- switching */

void contexts_patch_disable(uintptr_t entry)
{
    struct patched *p = find_object(entry);
    if (!p)
        return;
    uint32_t i = find_entry(p, entry);
    if (i < p->n && p->entries[i] == entry) {
        *(volatile uint8_t *)entry = TEST;
        __atomic_store_n(&p->off[i], 1, __ATOMIC_RELAXED);
    }
}

static void enable_object(struct patched *p)
{
    for (uint32_t i = 0; i < p->n; i += 8) {
        if (!__atomic_load_n((uint64_t *)(void *)&p->off[i], __ATOMIC_RELAXED))
            continue;
        for (uint32_t j = i; j < i + 8; j++)
            if (p->off[j] && __atomic_exchange_n(&p->off[j], 0, __ATOMIC_RELAXED))
                *(volatile uint8_t *)p->entries[j] = CALL;
    }
}

void contexts_patch_enable(void)
{
    while (__atomic_exchange_n(&switching, 1, __ATOMIC_ACQUIRE))
        native_syscall(SYS_sched_yield);
    for (struct patched *p = __atomic_load_n(&all, __ATOMIC_ACQUIRE); p; p = p->next)
        if (p->live)
            enable_object(p);
    __atomic_store_n(&switching, 0, __ATOMIC_RELEASE);
}

void contexts_patch_forked(void)
{
    switching = 0;
}

/* ---------------------------------------------------------------- patching */

/* The no-ops that gcc (five of one byte) and clang (one of five) leave. */
static bool is_no_op(const uint8_t *code)
{
    static const uint8_t single[] = {0x90, 0x90, 0x90, 0x90, 0x90}, whole[] = {0x0f, 0x1f, 0x44, 0};
    bool is_single = true, is_whole = true;
    for (unsigned i = 0; i < 5; i++)
        is_single &= code[i] == single[i];
    for (unsigned i = 0; i < 4; i++)
        is_whole &= code[i] == whole[i];
    return is_single || is_whole;
}

static bool within_reach(const struct patched *p, uintptr_t target)
{
    uintptr_t low = p->low < target ? p->low : target;
    uintptr_t high = p->high + 5 > target ? p->high + 5 : target;
    return high - low < 0x7fff0000;
}

/* A page near the object that jumps to the hook: jmp *0(%rip), and the address. 0: no room. */
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

/* Entries that are not followed by five bytes of no-ops were compiled for something else. */
static void write_entries(struct patched *p, uintptr_t target)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint8_t *code = (uint8_t *)p->entries[i];
        if (!is_no_op(code))
            continue;
        int32_t distance = (int32_t)(target - (p->entries[i] + 5));
        memcpy(code + 1, &distance, sizeof(distance));
        *(volatile uint8_t *)code = CALL;
        p->entries[n++] = p->entries[i];
    }
    p->n = n;
}

static bool make_writable(const struct patched *p, bool writable)
{
    uintptr_t start = p->low & ~(uintptr_t)4095, end = (p->high + 5 + 4095) & ~(uintptr_t)4095;
    return native_syscall(SYS_mprotect, start, end - start,
                          PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

/* Lists are in order already but for what the linker put apart: insertion is near linear. */
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

/* The linker leaves zeros where it has dropped a routine. */
static struct patched *make_object(const uintptr_t *start, const uintptr_t *stop)
{
    size_t n = (size_t)(stop - start);
    size_t bytes = sizeof(struct patched) + n * sizeof(uintptr_t) + n + 8;
    struct patched *p = host_map("aprof.contexts.entries", pages_bytes(bytes));
    p->list = start;
    p->entries = (uintptr_t *)(p + 1);
    p->off = (uint8_t *)(p->entries + n);
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
    if (p->n && !within_reach(p, target))
        target = make_stepping_stone(p);
    if (!p->n || !target)
        return;
    if (!make_writable(p, true)) {
        native_message("contexts", "code may not be changed in this process (a security policy "
                                   "forbids it): only -finstrument-functions can be used");
        return;
    }
    write_entries(p, target);
    if (!toggled)
        make_writable(p, false);
    p->live = 1;
    p->next = all;
    __atomic_store_n(&all, p, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------------------- objects */

/* The linker makes these two in each object that has such a section. */
extern const uintptr_t __start___patchable_function_entries[] __attribute__((weak));
extern const uintptr_t __stop___patchable_function_entries[] __attribute__((weak));

void contexts_patch_start(contexts_hook *entry_hook, bool entries_toggled)
{
    hook = entry_hook;
    toggled = entries_toggled;
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
    while (__atomic_exchange_n(&switching, 1, __ATOMIC_ACQUIRE))
        native_syscall(SYS_sched_yield);
    for (struct patched *p = all; p; p = p->next)
        if (p->list == start)
            p->live = 0;
    __atomic_store_n(&switching, 0, __ATOMIC_RELEASE);
}
