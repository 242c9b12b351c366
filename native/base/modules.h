/* Executables and libraries in the process: the object and file offset of each code address.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A code address stays unique for the life of the process: when an object is unloaded, a mapping
 * without access reserves its range of addresses, so nothing else is loaded there, and its entry
 * stays in the table. The table is read from /proc/self/maps, without the dynamic linker's lock, at
 * the start, before and after each dlclose, and whenever native_modules_refresh is called.
 */
#ifndef NATIVE_BASE_MODULES_H
#define NATIVE_BASE_MODULES_H

#include "native/base/native.h"

#define NATIVE_BUILD_ID_MAX 32

struct native_module {
    uint32_t id;            /* index into the table, in order of discovery */
    uint8_t loaded;         /* 0: has been unloaded */
    uint8_t build_id_bytes; /* 0: no build id */
    uint8_t build_id[NATIVE_BUILD_ID_MAX];
    uintptr_t start, end; /* all its mappings lie in [start, end) */
    uintptr_t bias;       /* address in memory minus address in the file (link-time) */
    const char *path;     /* absolute; "[vdso]" for the kernel's */
};

/* The object of an address; NULL for code of no file, or of an object loaded after the latest
 * refresh. Lock-free and safe in signal handlers; of objects that shared a range, the latest wins.
 */
NATIVE_HIDDEN const struct native_module *native_modules_find(uintptr_t address);

/* The link-time address in the file. */
APROF_INLINE uintptr_t native_module_offset(const struct native_module *module, uintptr_t address)
{
    return address - module->bias;
}

/* Reads the process's mappings again. Safe in signal handlers: if another thread is refreshing
 * (or the interrupted code of this one is), it returns at once with the present table. */
NATIVE_HIDDEN void native_modules_refresh(void);

/* The table: entries 0 .. count-1 never move or change, except `loaded`. */
NATIVE_HIDDEN uint32_t native_modules_count(void);
NATIVE_HIDDEN const struct native_module *native_modules_get(uint32_t id);

/* Reserves the address ranges of unloaded code. Called by the interposed dlclose. */
NATIVE_HIDDEN void native_modules_reserve_unloaded(void);

/* Called in a forked child, where a thread that was refreshing the table may not exist. */
NATIVE_HIDDEN void native_modules_forked(void);

#endif
