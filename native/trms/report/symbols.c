/* Finds routine names in the symbol tables of objects on disk, when the report is written.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file uses only system calls. The addresses in an object are sorted before the object's
 * symbols are read. The symbols are read once, from .symtab or (if .symtab is missing) from
 * .dynsym; each symbol names the addresses that it covers. If a file was deleted, rebuilt or
 * truncated after it was loaded, its routines get no names. All data of a file are checked against
 * the file's size before use.
 *
 * The files stay open until the process ends: closing a file frees all record locks (fcntl) of the
 * process on this file, and a program may have locked its own executable. A file is closed only if
 * the process has no unused descriptor left, because the report needs a descriptor. Closing a
 * descriptor of O_PATH frees no locks.
 */
#define _GNU_SOURCE /* O_PATH */
#include "native/trms/report/routines.h"

#include "ground/host.h"
#include "native/base/syscalls.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
    const char *bytes;
    size_t size;
};

/* ---------------------------------------------------------------- a file in memory */

static void close_if_last(long fd)
{
    long other = native_open("/", O_PATH | O_CLOEXEC);
    native_syscall(SYS_close, other < 0 ? fd : other);
}

static struct file file_map(const char *path)
{
    struct file file = {NULL, 0};
    struct stat status;
    long fd = native_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return file;
    if (native_syscall(SYS_fstat, fd, &status) == 0 && status.st_size > 0) {
        long mapped = native_syscall(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped > 0 || mapped < -4095)
            file = (struct file){(const char *)mapped, (size_t)status.st_size};
    }
    close_if_last(fd);
    return file;
}

/* Returns `bytes` bytes at `offset`, or NULL if they are not in the file or not aligned for a
 * word. */
static const void *file_at(const struct file *file, uint64_t offset, uint64_t bytes)
{
    if (offset > file->size || bytes > file->size - offset || offset % 8)
        return NULL;
    return file->bytes + offset;
}

struct symbols {
    const Elf64_Sym *symbol;
    uint64_t n;
    const char *names;
    uint64_t names_bytes;
};

static const Elf64_Shdr *sections_of(const struct file *file, unsigned *n)
{
    const Elf64_Ehdr *head = file_at(file, 0, sizeof(*head));
    if (!head || __builtin_memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    *n = head->e_shnum;
    return file_at(file, head->e_shoff, (uint64_t)*n * sizeof(Elf64_Shdr));
}

static bool symbols_find(const struct file *file, uint32_t type, struct symbols *symbols)
{
    unsigned n = 0;
    const Elf64_Shdr *sections = sections_of(file, &n);
    for (unsigned i = 0; sections && i < n; i++) {
        const Elf64_Shdr *table = &sections[i];
        if (table->sh_type != type || table->sh_link >= n)
            continue;
        const Elf64_Shdr *strings = &sections[table->sh_link];
        symbols->symbol = file_at(file, table->sh_offset, table->sh_size);
        symbols->n = table->sh_size / sizeof(Elf64_Sym);
        if (strings->sh_offset > file->size || strings->sh_size > file->size - strings->sh_offset ||
            strings->sh_size == 0)
            return false;
        symbols->names = file->bytes + strings->sh_offset;
        symbols->names_bytes = strings->sh_size;
        return symbols->symbol && symbols->names[symbols->names_bytes - 1] == 0;
    }
    return false;
}

/* ---------------------------------------------------------------- code of one object */

static bool is_before(const struct trms_code *a, const struct trms_code *b)
{
    if (a->module != b->module)
        return a->module < b->module;
    return a->pc < b->pc;
}

/* Shell sort is simple, in place, and fast enough for typical numbers of addresses. */
static void sort_code(struct trms_code **list, uint32_t n)
{
    uint32_t gap = 1;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < n; i++) {
            struct trms_code *moved = list[i];
            uint32_t at = i;
            for (; at >= gap && is_before(moved, list[at - gap]); at -= gap)
                list[at] = list[at - gap];
            list[at] = moved;
        }
}

/* Gives an address its name; a global name takes precedence over a local name. */
static void name_one(struct trms_code *code, const Elf64_Sym *symbol, const char *name)
{
    if (code->name && ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL)
        return;
    code->name = name;
    code->offset = symbol->st_value;
    code->size = symbol->st_size;
}

static void apply_symbol(struct trms_code **list, uint32_t n, const struct symbols *symbols,
                         const Elf64_Sym *symbol)
{
    uint32_t low = 0, end = n;
    uint64_t bias = list[0]->module->bias;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size ||
        symbol->st_name >= symbols->names_bytes)
        return;
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        if (list[middle]->pc - bias < symbol->st_value)
            low = middle + 1;
        else
            end = middle;
    }
    for (; low < n && list[low]->pc - bias - symbol->st_value < symbol->st_size; low++)
        name_one(list[low], symbol, symbols->names + symbol->st_name);
}

static void name_code(struct trms_code **list, uint32_t n)
{
    struct symbols symbols;
    struct file file = file_map(list[0]->module->path);
    if (!file.bytes)
        return;
    if (!symbols_find(&file, SHT_SYMTAB, &symbols) && !symbols_find(&file, SHT_DYNSYM, &symbols))
        return;
    for (uint64_t i = 0; i < symbols.n; i++)
        apply_symbol(list, n, &symbols, &symbols.symbol[i]);
}

void trms_symbols_resolve(struct trms_code **list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct trms_code *code = list[i];
        code->module = native_modules_find(code->pc);
        code->offset = code->module ? native_module_offset(code->module, code->pc) : code->pc;
    }
    sort_code(list, n);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end]->module == list[i]->module;)
            end++;
        if (list[i]->module)
            name_code(list + i, end - i);
    }
}
