/* Finds the interposed functions, and decides whether a caller is instrumented code.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A caller is instrumented if its return address lies in the executable or in an instrumented
 * shared object. An instrumented shared object refers to __tsan_func_entry or aprof_trms_enter
 * (objects with counted routines), or to aprof_trms_instrumented (libraries with stubs). Code
 * without hooks in an instrumented object (a static library) also counts as instrumented.
 */
#define _GNU_SOURCE
#include "native/trms/interpose/interpose.h"

#include "ground/trms_words.h"
#include "native/base/modules.h"
#include "native/base/process.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>

#define MODULES_CACHED   4096 /* objects with a cached result; others are examined each time */
#define PAGES_REMEMBERED 64

/* The linker defines these symbols: the start and the end of the section with all interposed
 * functions. */
extern struct interposed __start_aprof_interposed[] NATIVE_HIDDEN;
extern struct interposed __stop_aprof_interposed[] NATIVE_HIDDEN;

/* ---------------------------------------------------------------- the real functions */

void *interpose_look_up(struct interposed *function)
{
    void *real = dlsym(RTLD_NEXT, function->name);
    if (!real) {
        native_message(function->name, "no library has this function");
        __builtin_trap();
    }
    __atomic_store_n(&function->real, real, __ATOMIC_RELAXED);
    return real;
}

/* Looks up all functions before any constructor runs. If a function were looked up at its first
 * call, this call could be in a signal handler, which must not call dlsym. If no library has a
 * function, an error occurs only when the function is called. */
static void look_up_all(void)
{
    struct interposed *function = __start_aprof_interposed;
    for (; function < __stop_aprof_interposed; function++)
        if (!function->real)
            function->real = dlsym(RTLD_NEXT, function->name);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = look_up_all;

/* ---------------------------------------------------------------- callers */

struct symbols {
    const Elf64_Sym *symbols;
    const char *strings;
    uint32_t n; /* number of symbols to search; these include all undefined symbols */
};

/* Converts an entry of the dynamic section to an address; the dynamic linker has already converted
 * most entries. */
static const void *at(const struct native_module *module, uintptr_t value)
{
    return (const void *)(value < module->start ? module->bias + value : value);
}

/* Finds the undefined symbols, which precede all symbols of the hash table. */
static struct symbols symbols_of(const struct native_module *module, const Elf64_Dyn *dynamic)
{
    struct symbols found = {0};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *value = at(module, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_SYMTAB)
            found.symbols = value;
        else if (dynamic->d_tag == DT_STRTAB)
            found.strings = value;
        else if (dynamic->d_tag == DT_GNU_HASH || (dynamic->d_tag == DT_HASH && !found.n))
            found.n = ((const uint32_t *)value)[1];
    }
    return found;
}

static bool is_same(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

static bool is_entry_hook(const char *name)
{
    return is_same(name, "__tsan_func_entry") || is_same(name, TRMS_WORDS_ENTER) ||
           is_same(name, "aprof_trms_instrumented");
}

static bool refers_to_hook(const struct native_module *module)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)module->start;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(module->start + header->e_phoff);
    struct symbols found = {0};
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_DYNAMIC)
            found = symbols_of(module, (const Elf64_Dyn *)(module->bias + segment[i].p_vaddr));
    if (!found.symbols || !found.strings)
        return false;
    for (uint32_t i = 0; i < found.n; i++)
        if (is_entry_hook(found.strings + found.symbols[i].st_name))
            return true;
    return false;
}

/* Finds the module of a caller. If no module contains the address, the table of modules is
 * refreshed, to find new objects. If the address is in no object even after the refresh, the code
 * was generated at run time; the code's page is remembered. */
static const struct native_module *module_of(uintptr_t caller)
{
    static uintptr_t generated[PAGES_REMEMBERED];
    uintptr_t page = caller >> 12, *place = &generated[page % PAGES_REMEMBERED];
    const struct native_module *module = native_modules_find(caller);
    if (module || __atomic_load_n(place, __ATOMIC_RELAXED) == page)
        return module;
    native_modules_refresh();
    module = native_modules_find(caller);
    if (!module)
        __atomic_store_n(place, page, __ATOMIC_RELAXED);
    return module;
}

/* Nothing is counted in threads that have no profile, and nothing before the program's own code
 * starts. */
bool interpose_counts_elsewhere(uintptr_t caller)
{
    enum { UNKNOWN, NO, YES };
    static uint8_t verdicts[MODULES_CACHED];
    if (trms_current == &trms_nobody)
        return false;
    const struct native_module *module = module_of(caller);
    if (!module || module->path[0] != '/')
        return false;
    if (module->id >= MODULES_CACHED)
        return refers_to_hook(module);
    uint8_t verdict = __atomic_load_n(&verdicts[module->id], __ATOMIC_RELAXED);
    if (verdict == UNKNOWN) {
        verdict = refers_to_hook(module) ? YES : NO;
        __atomic_store_n(&verdicts[module->id], verdict, __ATOMIC_RELAXED);
    }
    return verdict == YES;
}
