/* Lines and inlined functions of addresses, from debug data; see inlined_calls.h.
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

/* gcc's debug data have an index of addresses; clang's have none. If an object has units of both
 * compilers, a search in the index for an address of a clang unit may return another unit. */
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

/* Debug data of C++ contain the symbol of a function; for other languages, they contain only its
 * name. */
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

/* The path of the file with this number in a unit. */
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

/* Damaged debug data --------------------------------------------------------------------------- */

/* In damaged debug data, a function may be a child of the function next to it, or have the address
 * ranges of all other functions. Without a limit, a walk over such functions would not end.
 * Invariant: the number of steps of a walk is at most proportional to the bytes of the unit. A walk
 * visits a function once for each function that contains it; in intact units, a walk takes fewer
 * than ten steps per byte of the unit. */
#define STEPS_PER_BYTE 64
#define STEPS_LEAST    4096
#define DEPTH_MOST     512
#define INLINED_MOST   128 /* maximum number of functions at one code location, as in reports */

static uint64_t steps_of_unit(Dwarf_Die *unit)
{
    Dwarf_Off start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit), next;
    size_t head;
    if (dwarf_nextcu(dwarf_cu_getdwarf(unit->cu), start, &next, &head, NULL, NULL, NULL) != 0)
        return STEPS_LEAST;
    return STEPS_LEAST + STEPS_PER_BYTE * (next - start);
}

static bool take_steps(uint64_t *left, uint64_t steps)
{
    *left = *left < steps ? 0 : *left - steps;
    return *left > 0;
}

/* Moves to the next sibling. The bytes between a DIE and its next sibling hold the DIE's
 * children. */
static bool sibling_next(Dwarf_Die *die, uint64_t *steps_left)
{
    Dwarf_Off before = dwarf_dieoffset(die);
    return *steps_left > 0 && dwarf_siblingof(die, die) == 0 &&
           take_steps(steps_left, dwarf_dieoffset(die) - before);
}

/* Places --------------------------------------------------------------------------------------- */

/* The sorted code locations of one object, and the unit that is being read for them. */
struct place_search {
    struct symbol_place *const *places;
    size_t count;
    Dwarf_Addr bias; /* difference between the unit's addresses and the offsets of code locations */
    struct arena *strings;
    Dwarf_Die unit; /* unit that contains the line table */
    Dwarf_Die code; /* unit of the functions: the unit itself, or its split file (.dwo) */
    const char *source, *path; /* file of the latest line, and the whole path of this file */
    uint64_t steps_left;       /* remaining steps of the walk over the unit */
    uint64_t *visits_left;     /* remaining visits of code locations, for all units together */
};

/* The index of the first code location with an address of at least `address`. */
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
    ptrdiff_t next;    /* state of dwarf_ranges() */
    Dwarf_Addr base;   /* state of dwarf_ranges() */
    size_t first, end; /* indices of code locations in the range: first to end - 1 */
};

static bool range_next(struct place_search *s, struct range_walk *walk)
{
    Dwarf_Addr low, high;
    while (take_steps(&s->steps_left, 1) &&
           (walk->next = dwarf_ranges(walk->die, walk->next, &walk->base, &low, &high)) > 0) {
        walk->first = place_at(s, low);
        walk->end = place_at(s, high);
        if (walk->first < walk->end)
            return take_steps(s->visits_left, walk->end - walk->first);
    }
    return false;
}

static bool has_places(struct place_search *s, Dwarf_Die *die)
{
    struct range_walk walk = {.die = die};
    return range_next(s, &walk);
}

static void add_inlined(struct place_search *s, Dwarf_Die *die)
{
    struct inlined_call call = call_of(&s->unit, &s->code, die, s->strings);
    for (struct range_walk walk = {.die = die}; range_next(s, &walk);) {
        for (size_t i = walk.first; i < walk.end; i++) {
            if (s->places[i]->inlined.count < INLINED_MOST)
                vector_push(&s->places[i]->inlined, call);
        }
    }
}

/* Functions may be nested, or be in namespaces and classes; inlined functions are always inside a
 * function. */
static void search_inlined(struct place_search *s, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth == DEPTH_MOST)
        s->steps_left = 0;
    if (!take_steps(&s->steps_left, 1) || dwarf_child(die, &child) != 0)
        return;
    do {
        bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;
        if (is_inlined && !has_places(s, &child))
            continue;
        if (is_inlined)
            add_inlined(s, &child);
        search_inlined(s, &child, depth + 1);
    } while (sibling_next(&child, &s->steps_left));
}

/* In debug data, line 0 means that no source line belongs to the code. */
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
    search_inlined(s, &s->code, 0);
}

static Dwarf_Die code_of(Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type;
    int bad = dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL);
    return bad || type != DW_UT_skeleton || !split.addr ? *unit : split;
}

bool inlined_calls_find(Dwfl_Module *module, uint64_t bias, struct arena *strings,
                        struct symbol_place *const *places, size_t count)
{
    Dwarf_Addr unit_bias;
    uint64_t visits_left = 4 * INLINED_MOST * (uint64_t)count + 1;
    bool whole = true;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, &unit_bias));) {
        struct place_search search = {
            .places = places,
            .count = count,
            .bias = bias - unit_bias,
            .strings = strings,
            .unit = *unit,
            .code = code_of(unit),
            .visits_left = &visits_left,
        };
        search.steps_left = steps_of_unit(&search.code);
        search_unit(&search);
        whole = whole && search.steps_left > 0 && visits_left > 0;
    }
    return whole;
}

/* Routines ------------------------------------------------------------------------------------- */

/* Appends the functions of a unit that have code at an address. */
struct routine_search {
    Dwarf_Die *unit;
    Dwarf_Addr address;
    struct arena *strings;
    inlined_calls *calls;
    uint64_t steps_left;
};

/* `inside`: whether the children of `die` are inside a function that contains the address. The
 * children of all other functions are skipped. */
static void search_routine(struct routine_search *s, Dwarf_Die *die, bool inside, unsigned depth)
{
    Dwarf_Die child;
    if (depth == DEPTH_MOST)
        s->steps_left = 0;
    if (!take_steps(&s->steps_left, 1) || dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        bool is_function = tag == DW_TAG_subprogram;
        bool has_it = is_function && has_address(&child, s->address);
        if (inside && tag == DW_TAG_inlined_subroutine)
            vector_push(s->calls, call_of(s->unit, s->unit, &child, s->strings));
        if (inside || has_it || !is_function)
            search_routine(s, &child, inside || has_it, depth + 1);
    } while (sibling_next(&child, &s->steps_left));
}

void inlined_calls_list(Dwfl_Module *module, uint64_t address, struct arena *strings,
                        inlined_calls *calls)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_of(module, address, &bias);
    if (!unit)
        return;
    struct routine_search search = {unit, address - bias, strings, calls, steps_of_unit(unit)};
    search_routine(&search, unit, false, 0);
}
#endif
