/* What debug data say about addresses: lines, and what is inlined there; see inlined_calls.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/report/inlined_calls.h"

#ifdef HAVE_LIBDW
#include "lib/base/demangle.h"

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

/* The whole path of a unit's file, if the unit's folder is known. */
static const char *path_whole(Dwarf_Die *unit, const char *path, struct arena *strings)
{
    Dwarf_Attribute attribute;
    const char *folder =
        *path == '/' ? NULL : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    char *whole = memory_format("%s%s%s", folder ? folder : "", folder ? "/" : "", path);
    const char *kept = arena_copy(strings, whole, strlen(whole));
    free(whole);
    return kept;
}

/* The path of a file by its number among those of a unit's code. */
static const char *path_of(Dwarf_Die *unit, Dwarf_Die *code, uint64_t file, struct arena *strings)
{
    Dwarf_Files *files;
    size_t count;
    const char *path = NULL;
    if (dwarf_getsrcfiles(code, &files, &count) == 0 && file < count)
        path = dwarf_filesrc(files, file, NULL, NULL);
    return path ? path_whole(unit, path, strings) : "";
}

static struct inlined_call call_of(Dwarf_Die *unit, Dwarf_Die *code, Dwarf_Die *die,
                                   struct arena *strings)
{
    const char *plain = dwarf_diename(die);
    return (struct inlined_call){
        .name = name_of(die, strings),
        .plain = arena_copy(strings, plain ? plain : "", plain ? strlen(plain) : 0),
        .file = path_of(unit, code, number_of(die, DW_AT_call_file), strings),
        .line = (uint32_t)number_of(die, DW_AT_call_line),
    };
}

/* Places ---------------------------------------------------------------------------------------- */

/* Places of one object, sorted, and the unit that is read for them. */
struct place_search {
    struct symbol_place *const *places;
    size_t count;
    Dwarf_Addr bias; /* the unit's addresses are the offsets and this */
    struct arena *strings;
    Dwarf_Die unit; /* has the lines */
    Dwarf_Die code; /* has the functions: the unit, or what its split file (.dwo) has of it */
    const char *source, *path; /* the latest file of a line, and its whole path */
};

/* The first place that is not before an address. */
static size_t place_at(const struct place_search *s, Dwarf_Addr address)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->places[middle]->offset + s->bias < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A walk over the address ranges of a unit or function. */
struct range_walk {
    Dwarf_Die *die;
    ptrdiff_t next;    /* what dwarf_ranges() wants back, */
    Dwarf_Addr base;   /* and this */
    size_t first, end; /* the places in the range, at least one */
};

static bool range_next(const struct place_search *s, struct range_walk *walk)
{
    Dwarf_Addr low, high;
    while ((walk->next = dwarf_ranges(walk->die, walk->next, &walk->base, &low, &high)) > 0) {
        walk->first = place_at(s, low);
        walk->end = place_at(s, high);
        if (walk->first < walk->end)
            return true;
    }
    return false;
}

static bool has_places(const struct place_search *s, Dwarf_Die *die)
{
    struct range_walk walk = {.die = die};
    return range_next(s, &walk);
}

static void add_inlined(struct place_search *s, Dwarf_Die *die)
{
    struct inlined_call call = call_of(&s->unit, &s->code, die, s->strings);
    for (struct range_walk walk = {.die = die}; range_next(s, &walk);) {
        for (size_t i = walk.first; i < walk.end; i++)
            vector_push(&s->places[i]->inlined, call);
    }
}

/* Functions may be nested, and stand in namespaces and classes; what is inlined stands in one. */
static void search_inlined(struct place_search *s, Dwarf_Die *die)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
        if (is_inlined && !has_places(s, &child))
            continue;
        if (is_inlined)
            add_inlined(s, &child);
        search_inlined(s, &child);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* Line 0 is code of no line. */
static void find_line(struct place_search *s, struct symbol_place *place)
{
    Dwarf_Line *line = dwarf_getsrc_die(&s->unit, place->offset + s->bias);
    const char *source = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number;
    if (!source || dwarf_lineno(line, &number) != 0)
        return;
    if (source != s->source)
        s->path = path_whole(&s->unit, source, s->strings);
    s->source = source;
    place->file = s->path;
    place->line = (uint32_t)number;
}

static void search_unit(struct place_search *s)
{
    if (!has_places(s, &s->unit))
        return;
    for (struct range_walk walk = {.die = &s->unit}; range_next(s, &walk);) {
        for (size_t i = walk.first; i < walk.end; i++)
            find_line(s, s->places[i]);
    }
    search_inlined(s, &s->code);
}

static Dwarf_Die code_of(Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type;
    int bad = dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL);
    return bad || type != DW_UT_skeleton || !split.addr ? *unit : split;
}

void inlined_calls_find(Dwfl_Module *module, uint64_t bias, struct arena *strings,
                        struct symbol_place *const *places, size_t count)
{
    Dwarf_Addr unit_bias;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &unit_bias));) {
        struct place_search search = {
            .places = places,
            .count = count,
            .bias = bias - unit_bias,
            .strings = strings,
            .unit = *unit,
            .code = code_of(unit),
        };
        search_unit(&search);
    }
}

/* Routines -------------------------------------------------------------------------------------- */

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

static void add_all(Dwarf_Die *unit, Dwarf_Die *die, struct arena *strings, inlined_calls *calls)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
            vector_push(calls, call_of(unit, unit, &child, strings));
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
