/* Finds the routine of a guest address.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Look-ups happen only while code is translated, so a binary search per superblock is cheap enough.
 * Addresses are not cached, so nothing must be invalidated when an object is unloaded.
 */
#include "aprof/valgrind_core.h"

#include "aprof/symbols.h"
#include "aprof/jit_code.h"
#include "aprof/options.h"
#include "aprof/perf_map.h"
#include "ground/record_schema.h"
#include "aprof/sources.h"

/* A routine in the table of all routines. The key combines object and offset. */
struct routine_node {
    VgHashNode hash;
    struct named_routine named;
};

static VgHashTable *routine_table;
static XArray *routines; /* array of struct routine_node * by id */
static XArray *objects;  /* array of struct code_object * */

/* The debug information about an address. */
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

/* Returns whether the file's name is the name of an interpreter or virtual machine, perhaps with a
 * version. */
static Bool path_is_runtime(const HChar *path)
{
    static const HChar *const names[] = {"python",  "libpython", "node",   "libnode", "libv8",
                                         "libjvm",  "beam",      "lua",    "liblua",  "perl",
                                         "libperl", "ruby",      "libruby"};
    const HChar *base = path ? VG_(strrchr)(path, '/') : NULL;

    base = base ? base + 1 : path;
    for (UInt i = 0; base && i < sizeof names / sizeof names[0]; i++) {
        SizeT length = VG_(strlen)(names[i]);

        if (VG_(strncmp)(base, names[i], length) == 0 && base[length] < 'A')
            return True;
    }
    return False;
}

/* Returns whether the file is one of aprof's own hooks, which report functions of scripts. */
static Bool path_is_hook(const HChar *path)
{
    static const HChar name[] = "_aprof.";
    const HChar *base = path ? VG_(strrchr)(path, '/') : NULL;

    base = base ? base + 1 : path;
    return base && VG_(strncmp)(base, name, sizeof name - 1) == 0;
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
    object->is_hook = path_is_hook(path);
    object->is_runtime = object->is_hook || (clo_fold_runtime && path_is_runtime(path));
    VG_(addToXA)(objects, &object);
    return object;
}

/* VG_(find_DebugInfo) covers .text only. Code in other sections, such as .init and .fini, is found
 * through the name of the file that is mapped at the address. */
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

/* Returns whether the name is `name.cold` or `name.cold.N`: the compiler has split off this code
 * because the code is expected to run rarely. */
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

/* If a symbol lies in a larger symbol, Valgrind 3.24 returns the name of the larger symbol, for
 * example `name` instead of `name.cold`. */
static const HChar *name_prefer_cold(const HChar *name, const HChar **others)
{
    for (; others && *others; others++) {
        if (name_is_cold(*others))
            return *others;
    }
    return name;
}

static struct symbol symbol_at(const DebugInfo *di, Int index, Bool *is_text)
{
    struct symbol_address at[4]; /* space for further registers on other platforms */
    struct symbol symbol;
    const HChar **others;
    Bool is_ifunc, is_global;

    VG_(DebugInfo_syms_getidx)
    (di, index, at, &symbol.size, &symbol.name, &others, is_text, &is_ifunc, &is_global);
    symbol.start = at[0].main;
    symbol.name = name_prefer_cold(symbol.name, others);
    return symbol;
}

/* Finds the text symbol that covers `address`. */
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

/* Warns that a program compiled by aprof-cc is profiled twice. Such a program is recognised by the
 * first routine of the compiled-in runtime. */
static void warn_compiled_in(const struct named_routine *named)
{
    static Bool is_reported;

    if (is_reported || named->name == NULL || VG_(strcmp)(named->name, "native_signals_init") != 0)
        return;
    is_reported = True;
    if (VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: %s: compiled by aprof-cc, so it is profiled twice, and this report also "
                  "contains its profiler\n",
                  named->object->path ? named->object->path : "a program");
}

static UWord routine_key(const struct named_routine *named)
{
    return named->offset ^ ((UWord)named->object->number << 20);
}

/* Adds a new routine with the key's object, offset and name. */
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

/* Returns the routine that starts at `start`; creates it if it is new. `name` is NULL for code
 * without a symbol. */
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
    node->named.routine.is_runtime = object->is_runtime;
    node->named.routine.is_hook = object->is_hook;
    node->named.file = sources_line(start, &node->named.line);
    routine_set_toggle(&node->named, start);
    warn_compiled_in(&node->named);
    return &node->named;
}

/*------------------------------------------------------------*/
/*--- Routines without an address in a file                ---*/
/*------------------------------------------------------------*/

static UWord text_hash(UWord hash, const HChar *text)
{
    for (; text && *text; text++)
        hash = (UInt)((hash ^ (UChar)*text) * 16777619);
    return hash;
}

/* Returns the routine with this name, and with this position in the source if `file` is known. The
 * routine's offset is a hash of name and position. The hash is the same in every run, so that
 * reports of several processes can be added. */
static struct routine_node *routine_by_name(const HChar *object, const HChar *name,
                                            const HChar *file, UInt line, Bool *is_new)
{
    struct routine_node key = {.named.name = (HChar *)name}, *node;

    key.named.object = object_get(object);
    key.named.offset = (UInt)(text_hash(text_hash(2166136261u, name), file) + line);
    for (;; key.named.offset++) {
        key.hash.key = routine_key(&key.named);
        node = VG_(HT_gen_lookup)(routine_table, &key, routine_compare);
        if (node == NULL ||
            (same_text(node->named.name, name) &&
             (file == NULL || (node->named.line == line && same_text(node->named.file, file)))))
            break;
    }
    *is_new = node == NULL;
    return node ? node : routine_add(&key);
}

struct routine *symbols_region(const HChar *name, Addr where)
{
    struct named_routine *named;
    Bool is_new;

    if (routine_table == NULL)
        tables_init();
    named = &routine_by_name(REGIONS_OBJECT, name, NULL, 0, &is_new)->named;
    if (is_new) {
        named->routine.is_region = True;
        named->routine.toggles = options_is_toggle(name);
        named->file = sources_line(where, &named->line);
    }
    return &named->routine;
}

/* Returns a copy of one text, or of two texts in sequence; the caller frees the copy. */
static HChar *text_copy(const struct perf_text *a, const struct perf_text *b)
{
    HChar *copy = VG_(calloc)("aprof.symbols.text", 1, (SizeT)a->n + b->n + 1);

    VG_(memcpy)(copy, a->at, a->n);
    VG_(memcpy)(copy + a->n, b->at, b->n);
    return copy;
}

/* If `name` contains a source line, this line is used instead of `line`. */
static struct named_routine *routine_of_generated(const HChar *name, UInt line, Bool *is_prologue)
{
    static const struct perf_text empty = {"", 0};
    struct perf_function function = perf_function_of(name);
    HChar *symbol = text_copy(&function.name, function.place.n ? &function.place : &empty);
    HChar *file = function.file.n ? text_copy(&function.file, &empty) : NULL;
    struct named_routine *named;
    Bool is_new;

    *is_prologue = function.is_prologue;
    if (function.line == 0)
        function.line = line;
    named = &routine_by_name(JIT_OBJECT, symbol, file, function.line, &is_new)->named;
    if (is_new) {
        named->routine.is_script = !function.is_runtime;
        named->routine.is_runtime = function.is_runtime && clo_fold_runtime;
        named->routine.toggles = options_is_toggle(symbol);
        named->file = file ? sources_file(file) : NULL;
        named->line = function.line;
    }
    VG_(free)(symbol);
    VG_(free)(file);
    return named;
}

/* Sets the source line of a routine with a name that does not contain a file. `entry` is the first
 * address of the routine's generated code. */
static void routine_set_generated_line(struct named_routine *named, Addr entry)
{
    const HChar *file;
    UInt line;

    if (named->file)
        return;
    file = jit_code_line(entry, &line);
    if (file) {
        named->file = sources_file(file);
        named->line = line;
    }
}

void symbols_name_late(void)
{
    struct jit_code code;
    Bool is_prologue;

    for (UInt id = 0; id < symbols_count(); id++) {
        struct named_routine *named = &(*(struct routine_node **)VG_(indexXA)(routines, id))->named;

        if (named->object->path == NULL && named->name == NULL &&
            jit_code_find(named->offset, &code)) {
            named->late = routine_of_generated(code.name, 0, &is_prologue);
            routine_set_generated_line(named->late, code.entry);
        }
    }
}

struct routine *symbols_identify(struct routine *routine)
{
    struct named_routine *late =
        (*(struct routine_node **)VG_(indexXA)(routines, routine->id))->named.late;

    return late ? &late->routine : routine;
}

struct routine *symbols_script(const HChar *name, UInt line)
{
    Bool unused;

    if (routine_table == NULL)
        tables_init();
    return &routine_of_generated(name, line, &unused)->routine;
}

/*------------------------------------------------------------*/
/*--- Addresses                                            ---*/
/*------------------------------------------------------------*/

static struct code_place place_in_file(const DebugInfo *di, Addr address)
{
    PtrdiffT bias = VG_(DebugInfo_get_text_bias)(di);
    struct code_place place = {.is_mapped = True, .bias = bias};
    struct symbol symbol;

    place.is_named = symbol_find(di, address, &symbol);
    place.is_stub = VG_(DebugInfo_sect_kind)(NULL, address) == Vg_SectPLT;
    if (!place.is_named)
        symbol = (struct symbol){address, 0, NULL};
    place.is_entry = address == symbol.start;
    place.routine = &routine_get(object_get(VG_(DebugInfo_get_filename)(di)), symbol.start, bias,
                                 symbol.size, symbol.name)
                         ->routine;
    return place;
}

static struct code_place place_in_no_file(Addr address)
{
    struct code_place place = {.is_mapped = True, .is_entry = True};
    struct named_routine *named;
    struct jit_code code;
    Bool is_prologue;

    if (jit_code_find(address, &code)) {
        named = routine_of_generated(code.name, 0, &is_prologue);
        routine_set_generated_line(named, code.entry);
        place.is_mapped = False;
        place.is_named = True;
        place.routine = &named->routine;
        place.is_entry = code.entry == address || is_prologue;
        return place;
    }
    place.routine = &routine_get(object_get(NULL), address, 0, 0, NULL)->routine;
    return place;
}

/* This function is called once per translated superblock. Each call of symbols_find takes a binary
 * search among the object's symbols and a look-up in a hash table. */
struct code_place symbols_find(Addr address)
{
    const DebugInfo *di = debuginfo_find(address);

    if (routine_table == NULL)
        tables_init();
    return di ? place_in_file(di, address) : place_in_no_file(address);
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
