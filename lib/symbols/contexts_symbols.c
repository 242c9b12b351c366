/* Resolves addresses in objects to names, files and lines; see contexts_symbols.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "lib/symbols/contexts_symbols.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define DEBUG_FOLDER  "/usr/lib/debug"
#define ROOM_LEAST    ((size_t)8 << 20)
#define ROOM_PER_BYTE 4  /* multiple of a file's bytes that libdw may allocate */
#define BUILD_ID_MAX  64 /* maximum bytes of a build id */
#define ANOTHER_BUILD "is not the build that was profiled"
#define BUILD_ID_HEAD 2 /* first digits of a build id: the name of a folder in .build-id */

struct object_file {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias; /* difference between libdwfl's addresses and the object's addresses */
};

/* By object ------------------------------------------------------------------------------------ */

/* Members of an array, grouped by object. A report may name many objects, and a search for each
 * object would be slow. The indices of the members of object i are list[first[i]] up to
 * list[first[i + 1]], ascending. */
struct grouped {
    size_t *first, *list;
};

/* The array has `count` structs of `bytes` bytes each; `objects` points to the object member of the
 * first struct. */
static struct grouped group(const uint32_t *objects, size_t bytes, size_t count,
                            size_t object_count)
{
    struct grouped g = {memory_get_zeroed(object_count + 2, sizeof *g.first),
                        memory_get_zeroed(count + 1, sizeof *g.list)};
    for (size_t i = 0; i < count; i++)
        g.first[*(const uint32_t *)((const char *)objects + i * bytes) + 2]++;
    for (size_t i = 2; i < object_count + 2; i++)
        g.first[i] += g.first[i - 1];
    for (size_t i = 0; i < count; i++)
        g.list[g.first[*(const uint32_t *)((const char *)objects + i * bytes) + 1]++] = i;
    return g;
}

/* Groups an array of structs that have a member `object`. */
#define GROUP(array, count, object_count)                                                          \
    ((count) ? group(&(array)->object, sizeof *(array), count, object_count)                       \
             : group(NULL, 0, 0, object_count))

static void group_free(struct grouped *g)
{
    free(g->first);
    free(g->list);
}

/* The members to resolve, grouped by object. */
struct task {
    const struct symbol_tables *t;
    struct grouped routines, places, sites;
};

static struct task task_begin(const struct symbol_tables *t)
{
    return (struct task){
        .t = t,
        .routines = GROUP(t->routines, t->routine_count, t->object_count),
        .places = GROUP(t->places, t->place_count, t->object_count),
        .sites = GROUP(t->sites, t->site_count, t->object_count),
    };
}

static void task_end(struct task *task)
{
    group_free(&task->routines);
    group_free(&task->places);
    group_free(&task->sites);
}

/* Opening -------------------------------------------------------------------------------------- */

/* The search path of libdwfl for debug data: next to the file, in .debug, and under the debug
 * path. */
static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
};

static void object_close(struct object_file *file)
{
    if (file->dwfl)
        dwfl_end(file->dwfl);
    *file = (struct object_file){0};
}

/* The build id in hexadecimal; empty if the file has no build id. */
static void build_id_of(const struct object_file *file, char hex[2 * BUILD_ID_MAX + 1])
{
    const unsigned char *bits;
    GElf_Addr address;
    int bytes = dwfl_module_build_id(file->module, &bits, &address);
    *hex = 0;
    for (int i = 0; i < bytes && i < BUILD_ID_MAX; i++)
        sprintf(hex + 2 * i, "%02x", bits[i]);
}

/* Reports may name any file, and opening a FIFO would block. If memory runs out, libdw would
 * dereference a null pointer, or end the program by an assertion. */
static bool object_open(struct object_file *file, const char *path)
{
    Elf *elf = NULL;
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        !memory_has_room(ROOM_LEAST + ROOM_PER_BYTE * (size_t)status.st_size))
        return false;
    file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl)
        file->module = dwfl_report_elf(file->dwfl, path, path, -1, 0, false);
    if (file->module && dwfl_report_end(file->dwfl, NULL, NULL) == 0)
        elf = dwfl_module_getelf(file->module, &file->bias);
    if (elf)
        return true;
    object_close(file);
    return false;
}

char *symbols_build_id(const char *path)
{
    struct object_file file = {0};
    char hex[2 * BUILD_ID_MAX + 1] = "";
    if (object_open(&file, path))
        build_id_of(&file, hex);
    object_close(&file);
    return memory_copy_string(hex);
}

/* The path DIR/.build-id/12/34....debug in the first folder of the debug path that has this
 * file. */
static bool open_by_build_id(struct object_file *file, const char *build_id, const char *folders)
{
    char *list = memory_copy_string(folders), *rest = list, *folder;
    bool found = false;
    while (!found && strlen(build_id) > BUILD_ID_HEAD && (folder = strsep(&rest, ":"))) {
        char *path = memory_format("%s/.build-id/%.*s/%s.debug", folder, BUILD_ID_HEAD, build_id,
                                   build_id + BUILD_ID_HEAD);
        found = object_open(file, path);
        free(path);
    }
    free(list);
    return found;
}

static void add_note(struct contexts_symbols *symbols, const struct context_object *object,
                     const char *what)
{
    const char *loss = symbols->loss ? symbols->loss : "its routines have no names";
    vector_push(&symbols->notes, memory_format("%s: %s: %s", object->path, what, loss));
}

static bool open_matching(struct object_file *file, const struct context_object *object,
                          struct contexts_symbols *symbols)
{
    char found[2 * BUILD_ID_MAX + 1];
    const char *folders = symbols->debug_path ? symbols->debug_path : DEBUG_FOLDER;
    const char *what = "cannot be read";
    if (object_open(file, object->path)) {
        build_id_of(file, found);
        if (!*object->build_id || strcmp(found, object->build_id) == 0)
            return true;
        what = ANOTHER_BUILD;
        object_close(file);
    }
    if (open_by_build_id(file, object->build_id, folders))
        return true;
    add_note(symbols, object, what);
    return false;
}

/* Looking up ----------------------------------------------------------------------------------- */

/* The line of one address, from debug data. */
struct source_line {
    const char *source, *folder; /* path of the file, or NULL; folder of a relative path */
    int number;
};

/* Finds the line by the index of addresses that debug data of gcc have. */
static bool look_up_line(const struct object_file *file, GElf_Addr address,
                         struct source_line *line)
{
    Dwfl_Line *at = dwfl_module_getsrc(file->module, address);
    if (!at)
        return false;
    line->source = dwfl_lineinfo(at, NULL, &line->number, NULL, NULL, NULL);
    line->folder = dwfl_line_comp_dir(at);
    return true;
}

/* Finds the line in debug data of clang, which have no index. Searches the units, because each unit
 * lists its addresses. */
static void search_line(const struct object_file *file, GElf_Addr address, struct source_line *line)
{
    Dwarf_Addr bias;
    Dwarf_Attribute folder;
    for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(file->module, unit, &bias));) {
        if (dwarf_haspc(unit, address - bias) <= 0)
            continue;
        Dwarf_Line *at = dwarf_getsrc_die(unit, address - bias);
        if (!at || dwarf_lineno(at, &line->number) != 0)
            return;
        line->source = dwarf_linesrc(at, NULL, NULL);
        line->folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder));
        return;
    }
}

static void find_line(const struct symbol_tables *t, const struct object_file *file,
                      uint64_t offset, const char **name, uint32_t *number)
{
    struct source_line line = {0};
    if (!look_up_line(file, offset + file->bias, &line))
        search_line(file, offset + file->bias, &line);
    if (!line.source || line.number <= 0)
        return;
    const char *folder = *line.source == '/' ? NULL : line.folder;
    char *full = memory_format("%s%s%s", folder ? folder : "", folder ? "/" : "", line.source);
    *name = arena_copy(t->strings, full, strlen(full));
    *number = (uint32_t)line.number;
    free(full);
}

/* A symbol that has a size is the name of an address only if the symbol's range contains the
 * address. */
static void find_routine(const struct symbol_tables *t, const struct object_file *file,
                         struct report_routine *routine)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(file->module, routine->offset + file->bias, &offset,
                                            &symbol, NULL, NULL, NULL);
    if (name && *name && (symbol.st_size == 0 || offset < symbol.st_size)) {
        routine->symbol = arena_copy(t->strings, name, strlen(name));
        routine->size_bytes = symbol.st_size;
    }
    find_line(t, file, routine->offset, &routine->file, &routine->line);
}

static bool wants_line(const struct symbol_tables *t, const struct report_routine *routine)
{
    return t->lines && *routine->symbol && !*routine->file;
}

/* Several symbols may have one address. So a routine is also in place if its address has a symbol
 * with another name but the routine's size. */
static bool is_in_place(const struct object_file *file, const struct report_routine *routine)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(file->module, routine->offset + file->bias, &offset,
                                            &symbol, NULL, NULL, NULL);
    if (!name || offset != 0)
        return false;
    return strcmp(name, routine->symbol) == 0 ||
           (symbol.st_size == routine->size_bytes && routine->size_bytes);
}

/* Whether the routines are at their recorded addresses; in another build, they would not be. If the
 * report has the object's build id, this id was already compared with the file's, and no routine is
 * checked. */
static bool are_in_place(const struct task *task, uint32_t object, const struct object_file *file)
{
    if (*task->t->objects[object].build_id)
        return true;
    const struct grouped *g = &task->routines;
    for (size_t i = g->first[object]; i < g->first[object + 1]; i++) {
        const struct report_routine *routine = &task->t->routines[g->list[i]];
        if (*routine->symbol && !is_in_place(file, routine))
            return false;
    }
    return true;
}

typedef VECTOR(struct symbol_place *) place_list;

static int by_offset(const void *a, const void *b)
{
    uint64_t x = (*(struct symbol_place *const *)a)->offset;
    uint64_t y = (*(struct symbol_place *const *)b)->offset;
    return x < y ? -1 : x > y;
}

/* Returns false if the debug data are damaged. */
static bool find_places(const struct task *task, uint32_t object, const struct object_file *file)
{
    const struct grouped *g = &task->places;
    place_list list = {0};
    bool whole = true;
    for (size_t i = g->first[object]; i < g->first[object + 1]; i++)
        vector_push(&list, &task->t->places[g->list[i]]);
    if (list.count) {
        qsort(list.at, list.count, sizeof(*list.at), by_offset);
        whole = inlined_calls_find(file->module, file->bias, task->t->strings, list.at, list.count);
    }
    vector_free(&list);
    return whole;
}

static bool has_debug_data(const struct object_file *file)
{
    Dwarf_Addr bias;
    return dwfl_module_getdwarf(file->module, &bias) != NULL;
}

static void find_lines(const struct task *task, uint32_t object, const struct object_file *file,
                       struct contexts_symbols *symbols)
{
    const struct symbol_tables *t = task->t;
    const struct grouped *g = &task->routines;
    if (!are_in_place(task, object, file)) {
        add_note(symbols, &t->objects[object], ANOTHER_BUILD);
        return;
    }
    if (!has_debug_data(file)) {
        add_note(symbols, &t->objects[object], "has no debug data on this machine");
        return;
    }
    if (t->found)
        t->found[object] = true;
    if (!find_places(task, object, file))
        add_note(symbols, &t->objects[object], "has damaged debug data");
    for (size_t i = g->first[object]; i < g->first[object + 1]; i++) {
        struct report_routine *routine = &t->routines[g->list[i]];
        if (wants_line(t, routine))
            find_line(t, file, routine->offset, &routine->file, &routine->line);
    }
}

static void resolve_object(const struct task *task, uint32_t object, const struct object_file *file,
                           struct contexts_symbols *symbols)
{
    const struct symbol_tables *t = task->t;
    const struct grouped *routines = &task->routines, *sites = &task->sites;
    if (t->lines)
        find_lines(task, object, file, symbols);
    for (size_t i = routines->first[object]; !t->keeps_names && i < routines->first[object + 1];
         i++) {
        struct report_routine *routine = &t->routines[routines->list[i]];
        if (!*routine->symbol)
            find_routine(t, file, routine);
    }
    for (size_t i = sites->first[object]; symbols->sites && i < sites->first[object + 1]; i++) {
        struct context_site *site = &t->sites[sites->list[i]];
        find_line(t, file, site->offset, &site->file, &site->line);
    }
}

/* Whether the object has addresses or routines to resolve. */
static bool has_work(const struct task *task, uint32_t object, bool sites)
{
    const struct grouped *g = &task->routines;
    if (task->places.first[object] < task->places.first[object + 1] ||
        (sites && task->sites.first[object] < task->sites.first[object + 1]))
        return true;
    for (size_t i = g->first[object]; i < g->first[object + 1]; i++) {
        const struct report_routine *routine = &task->t->routines[g->list[i]];
        if (!*routine->symbol || wants_line(task->t, routine))
            return true;
    }
    return false;
}

bool contexts_symbols_available(void)
{
    return true;
}

/* Sets libdwfl's search path; debug_path_end must follow. */
static void debug_path_begin(const struct contexts_symbols *symbols)
{
    debuginfo_path =
        memory_format("+:.debug:%s", symbols->debug_path ? symbols->debug_path : DEBUG_FOLDER);
}

static void debug_path_end(void)
{
    free(debuginfo_path);
    debuginfo_path = NULL;
}

static void list_of_object(const struct task *task, uint32_t object, const struct object_file *file,
                           struct symbol_routine *routines, const struct grouped *wanted)
{
    if (!are_in_place(task, object, file))
        return;
    for (size_t i = wanted->first[object]; i < wanted->first[object + 1]; i++) {
        struct symbol_routine *routine = &routines[wanted->list[i]];
        inlined_calls_list(file->module, routine->offset + file->bias, task->t->strings,
                           &routine->inlined);
    }
}

void symbols_list_inlined(const struct symbol_tables *t, struct symbol_routine *routines,
                          size_t count, struct contexts_symbols *symbols)
{
    struct task task = task_begin(t);
    struct grouped wanted = GROUP(routines, count, t->object_count);
    debug_path_begin(symbols);
    for (uint32_t i = 0; i < t->object_count; i++) {
        struct object_file file = {0};
        if (wanted.first[i] == wanted.first[i + 1] || *t->objects[i].path != '/' ||
            !open_matching(&file, &t->objects[i], symbols))
            continue;
        list_of_object(&task, i, &file, routines, &wanted);
        object_close(&file);
    }
    debug_path_end();
    group_free(&wanted);
    task_end(&task);
}

void symbols_resolve(const struct symbol_tables *t, struct contexts_symbols *symbols)
{
    struct task task = task_begin(t);
    debug_path_begin(symbols);
    for (uint32_t i = 0; i < t->object_count; i++) {
        struct object_file file = {0};
        const struct context_object *object = &t->objects[i];
        if (*object->path != '/' || !has_work(&task, i, symbols->sites) ||
            !open_matching(&file, object, symbols))
            continue;
        resolve_object(&task, i, &file, symbols);
        object_close(&file);
    }
    debug_path_end();
    task_end(&task);
}
#else
bool contexts_symbols_available(void)
{
    return false;
}

void symbols_list_inlined(const struct symbol_tables *t, struct symbol_routine *routines,
                          size_t count, struct contexts_symbols *symbols)
{
    (void)t, (void)routines, (void)count, (void)symbols;
}

static void add_losses(const struct symbol_tables *t, struct contexts_symbols *symbols)
{
    for (size_t i = 0; i < t->object_count; i++) {
        if (*t->objects[i].path == '/')
            vector_push(&symbols->notes, memory_format("%s: this aprof was built without libdw: %s",
                                                       t->objects[i].path, symbols->loss));
    }
}

void symbols_resolve(const struct symbol_tables *t, struct contexts_symbols *symbols)
{
    if (symbols->loss)
        add_losses(t, symbols);
    for (size_t i = 0; i < t->routine_count && !t->keeps_names; i++) {
        if (*t->routines[i].symbol)
            continue;
        vector_push(&symbols->notes,
                    memory_copy_string("this aprof was built without libdw: routines without "
                                       "a name in the file are shown as addresses"));
        return;
    }
}

char *symbols_build_id(const char *path)
{
    (void)path;
    return memory_copy_string("");
}
#endif

void contexts_symbols_resolve(struct context_profile *p, struct contexts_symbols *symbols)
{
    struct symbol_tables tables = {
        .strings = &p->strings,
        .objects = p->objects.at,
        .object_count = p->objects.count,
        .routines = p->routines.at,
        .routine_count = p->routines.count,
        .sites = p->sites.at,
        .site_count = p->sites.count,
    };
    symbols_resolve(&tables, symbols);
    contexts_name_routines(p);
}
