/* Makes the table of executables and libraries from /proc/self/maps and ELF headers in memory.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object is a series of mappings that begins with an ELF header. The ELF header gives the
 * object's whole address range; later lines of /proc/self/maps in this range belong to the same
 * object. A file without an executable mapping in its range is data and not an object. Headers are
 * read with process_vm_readv, which fails where a load would crash, for example in a truncated
 * file.
 */
#include "native/base/modules.h"

#include "ground/host.h"
#include "ground/pages.h"
#include "native/base/maps.h"
#include "native/base/syscalls.h"

#include <elf.h>
#include <errno.h>
#include <linux/mman.h>
#include <sys/uio.h>

#define MODULES_MAX 16384u /* the table's pages are allocated on first use */
#define HEADERS_MAX 64
#define NOTES_BYTES 1024u
#define PAGE_BYTES  ((uintptr_t)4096)

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

struct entry {
    struct native_module module;
    uint32_t scan; /* number of the latest scan of the mappings in which the object was found */
    bool reserved;
};

static struct entry *table; /* MODULES_MAX entries */
static uint32_t n_modules;  /* atomic: number of entries, all of which are complete */
static uint32_t refreshing; /* atomic: whether a thread is changing the table */
static uint32_t scan;

/* ---------------------------------------------------------------- lookup */

/* Searches the newest object first, because a newer object may use an unloaded object's range that
 * could not be reserved. */
const struct native_module *native_modules_find(uintptr_t address)
{
    /* Acquire order pairs with the release in `add`; entries below the count are complete. */
    uint32_t n = __atomic_load_n(&n_modules, __ATOMIC_ACQUIRE);
    while (n--) {
        const struct native_module *module = &table[n].module;
        if (address - module->start < module->end - module->start)
            return module;
    }
    return NULL;
}

uint32_t native_modules_count(void)
{
    return __atomic_load_n(&n_modules, __ATOMIC_ACQUIRE);
}

const struct native_module *native_modules_get(uint32_t id)
{
    APROF_ASSERT(id < native_modules_count());
    return &table[id].module;
}

/* ---------------------------------------------------------------- reading memory */

static bool peek(uintptr_t address, void *to, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)address, bytes};
    long got =
        native_syscall(SYS_process_vm_readv, native_syscall(SYS_getpid), &local, 1, &remote, 1, 0);
    if (got == -ENOSYS ||
        got ==
            /* in a sandbox, the call fails with EPERM; the dynamic linker has read the header, so a
             * load is safe */
            -EPERM) {
        memcpy(to, (const void *)address, bytes);
        return true;
    }
    return got == (long)bytes;
}

/* ---------------------------------------------------------------- ELF */

static bool same_bytes(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;
    while (n && *x == *y)
        n--, x++, y++;
    return n == 0;
}

/* Finds the GNU build id in notes of `bytes` bytes. */
static void read_notes(struct native_module *module, const uint8_t *notes, size_t bytes)
{
    size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= bytes) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note;
        size_t data = name + ((note.n_namesz + 3u) & ~3u);
        size_t next = data + ((note.n_descsz + 3u) & ~3u);
        if (next > bytes || next < at)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            same_bytes(notes + name, "GNU", 4) && note.n_descsz <= NATIVE_BUILD_ID_MAX) {
            memcpy(module->build_id, notes + data, note.n_descsz);
            module->build_id_bytes = (uint8_t)note.n_descsz;
            return;
        }
        at = next;
    }
}

static void read_build_id(struct native_module *module, const Elf64_Phdr *headers, unsigned n)
{
    uint8_t notes[NOTES_BYTES];
    for (unsigned i = 0; i < n && !module->build_id_bytes; i++) {
        size_t bytes = headers[i].p_memsz < sizeof notes ? headers[i].p_memsz : sizeof notes;
        uintptr_t address = module->bias + headers[i].p_vaddr;
        if (headers[i].p_type == PT_NOTE && address - module->start < module->end - module->start &&
            peek(address, notes, bytes))
            read_notes(module, notes, bytes);
    }
}

/* Fills range, bias and build id of the object whose header is at `start`. Returns false if no ELF
 * header is at `start`. */
static bool read_header(struct native_module *module, uintptr_t start)
{
    Elf64_Ehdr elf;
    Elf64_Phdr headers[HEADERS_MAX];
    if (!peek(start, &elf, sizeof elf) || !same_bytes(elf.e_ident, ELFMAG, SELFMAG) ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof *headers ||
        elf.e_phnum > HEADERS_MAX ||
        !peek(start + elf.e_phoff, headers, elf.e_phnum * sizeof *headers))
        return false;
    uintptr_t lowest = UINTPTR_MAX, highest = 0;
    for (unsigned i = 0; i < elf.e_phnum; i++) {
        if (headers[i].p_type != PT_LOAD)
            continue;
        uintptr_t from = headers[i].p_vaddr & ~(PAGE_BYTES - 1);
        uintptr_t to =
            (headers[i].p_vaddr + headers[i].p_memsz + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
        lowest = from < lowest ? from : lowest;
        highest = to > highest ? to : highest;
    }
    if (lowest >= highest)
        return false;
    module->bias = start - lowest;
    module->start = start;
    module->end = module->bias + highest;
    read_build_id(module, headers, elf.e_phnum);
    return true;
}

/* ---------------------------------------------------------------- the table */

static bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static char *copy_text(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    char *copy = host_alloc("native.modules.path", n + 1);
    memcpy(copy, text, n + 1);
    return copy;
}

static void add(const struct native_module *found, const char *path)
{
    uint32_t n = n_modules;
    for (uint32_t i = n; i--;) {
        struct entry *entry = &table[i];
        if (entry->module.loaded && entry->module.start == found->start &&
            entry->module.end == found->end && same_text(entry->module.path, path)) {
            entry->scan = scan;
            return;
        }
    }
    if (n == MODULES_MAX)
        return;
    table[n].module = *found;
    table[n].module.id = n;
    table[n].module.loaded = 1;
    table[n].module.path = copy_text(path);
    table[n].scan = scan;
    __atomic_store_n(&n_modules, n + 1, __ATOMIC_RELEASE); /* pairs with native_modules_find */
}

/* ---------------------------------------------------------------- /proc/self/maps */

static bool is_object_path(const char *path)
{
    return path[0] == '/' || same_text(path, "[vdso]");
}

static void scan_maps(struct native_maps *maps)
{
    struct native_module current = {0};
    bool added = true;
    struct native_mapping mapping;
    while (native_maps_next(maps, &mapping)) {
        bool inside = mapping.start - current.start < current.end - current.start;
        if (!inside && is_object_path(mapping.path) && mapping.readable) {
            current = (struct native_module){0};
            inside = read_header(&current, mapping.start);
            added = false;
        }
        if (inside && mapping.executable && !added && is_object_path(mapping.path)) {
            add(&current, mapping.path);
            added = true;
        }
    }
}

static void mark_unloaded(void)
{
    for (uint32_t i = 0; i < n_modules; i++)
        if (table[i].scan != scan)
            __atomic_store_n(&table[i].module.loaded, 0, __ATOMIC_RELAXED);
}

void native_modules_refresh(void)
{
    static struct native_maps maps; /* under `refreshing` */
    if (__atomic_exchange_n(&refreshing, 1, __ATOMIC_ACQUIRE))
        return;
    if (!table)
        table = host_map("native.modules", pages_bytes(MODULES_MAX * sizeof *table));
    if (native_maps_open(&maps)) {
        scan++;
        scan_maps(&maps);
        mark_unloaded();
        native_maps_close(&maps);
    }
    __atomic_store_n(&refreshing, 0, __ATOMIC_RELEASE);
}

void native_modules_reserve_unloaded(void)
{
    native_modules_refresh();
    for (uint32_t i = 0; i < native_modules_count(); i++) {
        struct entry *entry = &table[i];
        if (__atomic_load_n(&entry->module.loaded, __ATOMIC_RELAXED) || entry->reserved)
            continue;
        /* This mmap fails if part of the unloaded object's range is in use again;
         * native_modules_find then prefers the newest object. */
        native_syscall(SYS_mmap, entry->module.start, entry->module.end - entry->module.start, 0,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        entry->reserved = true;
    }
}

void native_modules_forked(void)
{
    __atomic_store_n(&refreshing, 0, __ATOMIC_RELAXED);
}
