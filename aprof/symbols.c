/* Which routine a guest address belongs to.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Used while code is translated, so a binary search per superblock is cheap enough and no address
 * is cached: there is nothing to forget when an object is unloaded.
 */
#include "aprof/valgrind_core.h"

#include "aprof/symbols.h"
#include "aprof/options.h"
#include "aprof/sources.h"

/* A routine in the table of all routines. The key mixes object and offset. */
struct routine_node {
    VgHashNode hash;
    struct named_routine named;
};

static VgHashTable *routine_table;
static XArray *routines; /* of struct routine_node *, by id */
static XArray *objects;  /* of struct code_object * */

/* What the debug information says about an address. */
struct symbol {
    Addr start;
    UInt size;
    const HChar *name;
};

static void tables_init(void)
{
    routine_table = VG_(HT_construct)("aprof.symbols.table");
    routines = VG_(newXA)(VG_(malloc), "aprof.symbols.routines", VG_(free), sizeof(void *));
    objects = VG_(newXA)(VG_(malloc), "aprof.symbols.objects", VG_(free), sizeof(void *));
}

/*------------------------------------------------------------*/
/*--- Objects                                              ---*/
/*------------------------------------------------------------*/

static Bool same_text(const HChar *a, const HChar *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return VG_(strcmp)(a, b) == 0;
}

static struct code_object *object_get(const HChar *path)
{
    struct code_object *object;
    Word n = VG_(sizeXA)(objects);

    for (Word i = 0; i < n; i++) {
        object = *(struct code_object **)VG_(indexXA)(objects, i);
        if (same_text(object->path, path))
            return object;
    }
    object = VG_(malloc)("aprof.symbols.object", sizeof *object);
    object->path = path ? VG_(strdup)("aprof.symbols.path", path) : NULL;
    object->number = n;
    VG_(addToXA)(objects, &object);
    return object;
}

/* VG_(find_DebugInfo) knows .text only. Code in .init, .fini and the like is found by the name of
 * the file that is mapped there. */
static const DebugInfo *debuginfo_find(Addr address)
{
    DiEpoch now = VG_(current_DiEpoch)();
    const DebugInfo *found = VG_(find_DebugInfo)(now, address);
    const NSegment *segment;
    const HChar *path;

    if (found)
        return found;
    segment = VG_(am_find_nsegment)(address);
    path = segment && segment->kind == SkFileC ? VG_(am_get_filename)(segment) : NULL;
    if (path == NULL)
        return NULL;
    for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di)) {
        if (same_text(VG_(DebugInfo_get_filename)(di), path))
            found = di;
    }
    return found;
}

/*------------------------------------------------------------*/
/*--- Symbols                                              ---*/
/*------------------------------------------------------------*/

static struct symbol symbol_at(const DebugInfo *di, Int index, Bool *is_text)
{
    struct symbol_address at[4]; /* room for what other platforms add */
    struct symbol symbol;
    const HChar **others;
    Bool is_ifunc, is_global;

    VG_(DebugInfo_syms_getidx)
    (di, index, at, &symbol.size, &symbol.name, &others, is_text, &is_ifunc, &is_global);
    symbol.start = at[0].main;
    return symbol;
}

/* The text symbol that covers `address`. */
static Bool symbol_find(const DebugInfo *di, Addr address, struct symbol *found)
{
    Int low = 0, high = VG_(DebugInfo_syms_howmany)(di);
    Bool is_text;

    while (low < high) {
        Int middle = low + (high - low) / 2;

        *found = symbol_at(di, middle, &is_text);
        if (address < found->start)
            high = middle;
        else if (address - found->start >= found->size)
            low = middle + 1;
        else
            return is_text;
    }
    return False;
}

/* The compiler splits off what it believes is rarely executed as `name.cold` or `name.cold.N`. */
static Bool name_is_cold(const HChar *name)
{
    const HChar *part = VG_(strstr)(name, ".cold");

    if (part == NULL)
        return False;
    part += 5;
    if (*part == '\0')
        return True;
    if (*part++ != '.' || *part == '\0')
        return False;
    while (VG_(isdigit)(*part))
        part++;
    return *part == '\0';
}

/*------------------------------------------------------------*/
/*--- Routines                                             ---*/
/*------------------------------------------------------------*/

static Word routine_compare(const void *a, const void *b)
{
    const struct named_routine *x = &((const struct routine_node *)a)->named;
    const struct named_routine *y = &((const struct routine_node *)b)->named;

    return x->object != y->object || x->offset != y->offset ||
           (x->name == NULL) != (y->name == NULL);
}

static void routine_set_toggle(struct named_routine *named, Addr address)
{
    const HChar *demangled;

    if (named->name == NULL)
        return;
    named->routine.toggles = options_is_toggle(named->name);
    if (!named->routine.toggles && VG_(get_fnname)(VG_(current_DiEpoch)(), address, &demangled))
        named->routine.toggles = options_is_toggle(demangled);
}

/* Programs that aprof-cc has compiled measure themselves, and begin with this routine. */
static void warn_compiled_in(const struct named_routine *named)
{
    static Bool told;

    if (told || named->name == NULL || VG_(strcmp)(named->name, "native_signals_init") != 0)
        return;
    told = True;
    if (VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: %s: compiled by aprof-cc, so it is profiled twice, and this report is of "
                  "the program and its profiler\n",
                  named->object->path ? named->object->path : "a program");
}

static UWord routine_key(const struct named_routine *named)
{
    return named->offset ^ ((UWord)named->object->number << 20);
}

/* A new routine with the key's object, offset and name. */
static struct routine_node *routine_add(const struct routine_node *key)
{
    struct routine_node *node = VG_(calloc)("aprof.symbols.routine", 1, sizeof *node);

    node->hash.key = key->hash.key;
    node->named.object = key->named.object;
    node->named.offset = key->named.offset;
    node->named.name = key->named.name ? VG_(strdup)("aprof.symbols.name", key->named.name) : NULL;
    node->named.routine.id = VG_(sizeXA)(routines);
    VG_(HT_add_node)(routine_table, node);
    VG_(addToXA)(routines, &node);
    return node;
}

/* The routine that starts at `start`, made if it is new. `name` is NULL for code without a symbol.
 */
static struct named_routine *routine_get(struct code_object *object, Addr start, PtrdiffT bias,
                                         SizeT size, const HChar *name)
{
    struct routine_node key = {.named = {.object = object, .offset = start - bias}};
    struct routine_node *node;

    key.named.name = (HChar *)name;
    key.hash.key = routine_key(&key.named);
    node = VG_(HT_gen_lookup)(routine_table, &key, routine_compare);
    if (node)
        return &node->named;

    node = routine_add(&key);
    node->named.size = size;
    node->named.routine.transparent = name && name_is_cold(name);
    node->named.file = sources_line(start, &node->named.line);
    routine_set_toggle(&node->named, start);
    warn_compiled_in(&node->named);
    return &node->named;
}

/* Once for each superblock that is translated: a binary search among the object's symbols, and a
 * look-up in a hash table. */
struct code_place symbols_find(Addr address)
{
    struct code_place place = {.is_mapped = True};
    const DebugInfo *di = debuginfo_find(address);
    struct code_object *object;
    struct symbol symbol = {address, 0, NULL};
    PtrdiffT bias = 0;

    if (routine_table == NULL)
        tables_init();
    object = object_get(di ? VG_(DebugInfo_get_filename)(di) : NULL);
    if (di) {
        bias = VG_(DebugInfo_get_text_bias)(di);
        place.is_named = symbol_find(di, address, &symbol);
        place.bias = bias;
        place.is_stub = VG_(DebugInfo_sect_kind)(NULL, address) == Vg_SectPLT;
    }
    if (!place.is_named)
        symbol = (struct symbol){address, 0, NULL};
    place.is_entry = address == symbol.start;
    place.routine = &routine_get(object, symbol.start, bias, symbol.size, symbol.name)->routine;
    return place;
}

/* Regions are routines of an object that no file has. The offset is a hash of the name: it is the
 * same in every run, so reports of several processes can be added. */
struct routine *symbols_region(const HChar *name, Addr where)
{
    struct routine_node key = {.named.offset = 2166136261u}, *node;
    struct named_routine *named;

    if (routine_table == NULL)
        tables_init();
    for (const HChar *at = name; *at; at++)
        key.named.offset = (UInt)((key.named.offset ^ (UChar)*at) * 16777619);
    key.named.object = object_get(REGIONS_OBJECT);
    key.named.name = (HChar *)name;
    for (;; key.named.offset++) {
        key.hash.key = routine_key(&key.named);
        node = VG_(HT_gen_lookup)(routine_table, &key, routine_compare);
        if (node == NULL || same_text(node->named.name, name))
            break;
    }
    if (node == NULL) {
        node = routine_add(&key);
        named = &node->named;
        named->routine.is_region = True;
        named->routine.toggles = options_is_toggle(name);
        named->file = sources_line(where, &named->line);
    }
    return &node->named.routine;
}

Bool symbols_is_client(Addr address)
{
    const NSegment *segment = VG_(am_find_nsegment)(address);

    return segment && (segment->kind & (SkAnonC | SkFileC | SkShmC)) != 0;
}

UInt symbols_count(void)
{
    return routines ? VG_(sizeXA)(routines) : 0;
}

const struct named_routine *symbols_get(UInt id)
{
    return &(*(struct routine_node **)VG_(indexXA)(routines, id))->named;
}
