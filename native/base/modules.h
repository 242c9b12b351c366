/* Finds the object (executable or library) and the file offset of each code address in the process.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A code address stays unique for the life of the process. When an object is unloaded, a mapping
 * without access reserves the object's addresses, so that no other object is loaded at these
 * addresses. The entry of an unloaded object stays in the table. The table is made from
 * /proc/self/maps, without the dynamic linker's lock. The file is read at the start, before and
 * after each dlclose, and at each call of native_modules_refresh.
 */
#ifndef NATIVE_BASE_MODULES_H
#define NATIVE_BASE_MODULES_H

#include "native/base/native.h"

#define NATIVE_BUILD_ID_MAX 32

struct native_module {
    uint32_t id;            /* index of the object in the table, in order of discovery */
    uint8_t loaded;         /* 0: the object has been unloaded */
    uint8_t build_id_bytes; /* size of the build id; 0: none */
    uint8_t build_id[NATIVE_BUILD_ID_MAX];
    uintptr_t start, end; /* all mappings of the object lie in [start, end) */
    uintptr_t bias;       /* address in memory minus address in the file (link-time) */
    const char *path;     /* absolute path; "[vdso]" for the kernel's object */
};

/* Returns the object of an address. Returns NULL if the code belongs to no file, or if its object
 * was loaded after the latest refresh. The function takes no lock and is safe in signal handlers.
 * If objects used the same addresses one after another, the function returns the latest object. */
NATIVE_HIDDEN const struct native_module *native_modules_find(uintptr_t address);

/* Converts an address in memory to the link-time address in the object's file. */
APROF_INLINE uintptr_t native_module_offset(const struct native_module *module, uintptr_t address)
{
    return address - module->bias;
}

/* Reads the process's mappings again. The function is safe in signal handlers: if another thread or
 * the interrupted code is already refreshing the table, the function returns at once. */
NATIVE_HIDDEN void native_modules_refresh(void);

/* Returns the number of entries of the table. Entries below this number never move or change,
 * except their member `loaded`. */
NATIVE_HIDDEN uint32_t native_modules_count(void);
NATIVE_HIDDEN const struct native_module *native_modules_get(uint32_t id);

/* Reserves the address ranges of unloaded code. The interposed dlclose calls this function. */
NATIVE_HIDDEN void native_modules_reserve_unloaded(void);

/* Call this function in a forked child, where a thread that was refreshing the table may not
 * exist. */
NATIVE_HIDDEN void native_modules_forked(void);

#endif
