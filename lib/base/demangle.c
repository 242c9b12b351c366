/* Symbol names as written in source code; see demangle.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/base/demangle.h"
#include "lib/base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the text after a dot, such as `constprop.0` or `cold`, marks a copy or a part of a
 * function. */
static bool is_of_copy(const char *ending)
{
    static const char *const words[] = {"constprop", "isra", "part", "cold", "lto_priv", "llvm"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t bytes = strlen(words[i]);
        if (strncmp(ending, words[i], bytes) != 0)
            continue;
        return ending[bytes] == 0 ||
               (ending[bytes] == '.' && isdigit((unsigned char)ending[bytes + 1]));
    }
    return false;
}

char *demangle_whole(const char *symbol)
{
    char *name = memory_copy_string(symbol);
    char *dot = *name ? strchr(name + 1, '.') : NULL;
    while (dot && !is_of_copy(dot + 1))
        dot = strchr(dot + 1, '.');
    if (dot)
        *dot = 0;
    return name;
}

/* The symbol without its version: `qsort` for `qsort@@GLIBC_2.2.5`. */
static char *unversioned(const char *symbol)
{
    char *name = memory_copy_string(symbol);
    char *version = *name ? strchr(name + 1, '@') : NULL;
    if (version)
        *version = 0;
    return name;
}

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>

/* Invariant: no demangled name is longer than NAME_BYTES_MAX. A mangled name can refer to its own
 * parts, so every ten bytes can double the length of the demangled name. A name of 300 bytes can
 * expand to gigabytes. The demanglers own no memory while they call the callback that prints, so
 * the callback can leave them by longjmp(). */
#define NAME_BYTES_MAX 16384

struct printed_name {
    char *text; /* buffer of NAME_BYTES_MAX + 1 bytes */
    size_t bytes;
    jmp_buf is_too_long;
};

static void print_part(const char *part, size_t bytes, void *to)
{
    struct printed_name *name = to;
    if (bytes > NAME_BYTES_MAX - name->bytes)
        longjmp(name->is_too_long, 1);
    memcpy(name->text + name->bytes, part, bytes);
    name->bytes += bytes;
}

/* Rust is tried first, because names in Rust's older mangling are also valid C++ names. */
static bool print_name(const char *symbol, int options, struct printed_name *name)
{
    if (setjmp(name->is_too_long))
        return false;
    if (rust_demangle_callback(symbol, options, print_part, name))
        return true;
    name->bytes = 0;
    return cplus_demangle_v3_callback(symbol, options, print_part, name);
}

static char *demangle_with(const char *symbol, int options)
{
    char *plain = unversioned(symbol);
    struct printed_name name = {.text = memory_resize(NULL, NAME_BYTES_MAX + 1, 1)};
    if (!print_name(plain, options | DMGL_ANSI, &name)) {
        free(name.text);
        return plain;
    }
    free(plain);
    name.text[name.bytes] = 0;
    return memory_resize(name.text, name.bytes + 1, 1);
}

char *demangle_full(const char *symbol)
{
    return demangle_with(symbol, DMGL_PARAMS);
}

static char *demangle_plain(const char *symbol)
{
    return demangle_with(symbol, DMGL_NO_OPTS);
}
#else
char *demangle_full(const char *symbol)
{
    return unversioned(symbol);
}

static char *demangle_plain(const char *symbol)
{
    return unversioned(symbol);
}
#endif

char *demangle_short(const char *symbol)
{
    char *whole = demangle_whole(symbol);
    char *name = demangle_plain(whole);
    free(whole);
    return name;
}
