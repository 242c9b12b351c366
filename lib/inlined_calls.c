/* What debug data say is inlined at an address; see inlined_calls.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/inlined_calls.h"

#ifdef HAVE_LIBDW
#include "lib/demangle.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <string.h>

static bool has_address(Dwarf_Die *unit, GElf_Addr address)
{
    return dwarf_haspc(unit, address) > 0;
}

/* Debug data of gcc have an index of addresses, those of clang have none; where both are in one object,
 * the index may name the unit before. */
static Dwarf_Die *unit_of(Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit && has_address(unit, address - *bias))
        return unit;
    for (unit = NULL; (unit = dwfl_module_nextcu(module, unit, bias));) {
        if (has_address(unit, address - *bias))
            return unit;
    }
    return NULL;
}

/* C++ has its symbol in the debug data, others their name only. */
static const char *name_of(Dwarf_Die *die, struct arena *strings)
{
    Dwarf_Attribute attribute;
    const char *symbol =
        dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    const char *plain = symbol ? symbol : dwarf_diename(die);
    char *name = demangle_full(plain ? plain : "");
    const char *kept = arena_copy(strings, name, strlen(name));
    free(name);
    return kept;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    bool known = dwarf_formudata(dwarf_attr(die, name, &attribute), &number) == 0;
    return known ? number : 0;
}

/* The path of a file by its number in the unit; whole, if the unit's folder is known. */
static const char *path_of(Dwarf_Die *unit, uint64_t file, struct arena *strings)
{
    Dwarf_Files *files;
    Dwarf_Attribute attribute;
    size_t count;
    const char *path = NULL;
    if (dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        path = dwarf_filesrc(files, file, NULL, NULL);
    if (!path)
        return "";
    const char *folder =
        *path == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    char *whole = memory_format("%s%s%s", folder ? folder : "", folder ? "/" : "", path);
    const char *kept = arena_copy(strings, whole, strlen(whole));
    free(whole);
    return kept;
}

static void add_inlined(Dwarf_Die *unit, Dwarf_Die *die, struct arena *strings,
                        inlined_calls *calls)
{
    if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
        return;
    const char *plain = dwarf_diename(die);
    struct inlined_call call = {
        .name = name_of(die, strings),
        .plain = arena_copy(strings, plain ? plain : "", plain ? strlen(plain) : 0),
        .file = path_of(unit, number_of(die, DW_AT_call_file), strings),
        .line = (uint32_t)number_of(die, DW_AT_call_line),
    };
    vector_push(calls, call);
}

/* The scopes around the code at an address, the innermost first; how many, and the caller frees them.
 * Those that libdw gives at once end with those where the innermost function is defined. */
static int scopes_of(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Die *innermost = NULL;
    int count = 0;
    if (dwarf_getscopes(unit, address, &innermost) > 0)
        count = dwarf_getscopes_die(&innermost[0], scopes);
    free(innermost);
    return count;
}

void inlined_calls_find(Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_of(module, address, &bias), *scopes = NULL;
    for (int i = unit ? scopes_of(unit, address - bias, &scopes) : 0; i-- > 0;)
        add_inlined(unit, &scopes[i], strings, calls);
    free(scopes);
}

static void add_all(Dwarf_Die *unit, Dwarf_Die *die, struct arena *strings, inlined_calls *calls)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        add_inlined(unit, &child, strings, calls);
        add_all(unit, &child, strings, calls);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void inlined_calls_list(Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_of(module, address, &bias), *scopes = NULL;
    int count = unit ? scopes_of(unit, address - bias, &scopes) : 0;
    for (int i = 0; i < count; i++) {
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
            add_all(unit, &scopes[i], strings, calls);
    }
    free(scopes);
}
#endif
