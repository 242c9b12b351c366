/* Names of code that a program generates at run time; see perf_map.h.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A new entry forms a level with one range. Two levels of equal rank are merged, like carries in a
 * binary counter; newer codes replace older ones where the ranges overlap. Example with ranges
 * [start, end):
 *
 *     older  [100,200) f                newer  [120,140) g
 *     merged [100,120) f  [120,140) g  [140,200) f
 *
 * A look-up is a binary search in each level, the newest first. Each entry adds at most two ranges,
 * so all levels together have at most twice as many ranges as there are entries.
 */
#include "aprof/perf_map.h"
#include "ground/array.h"
#include "ground/host.h"

#define CODES_SITE "aprof.perf_map.codes"
#define NAMES_SITE "aprof.perf_map.names"

/* ---------------------------------------------------------------- levels */

/* Finds the first range with an end above `address`, and returns its index in the level. */
static uint32_t level_search(const struct perf_level *level, uintptr_t address)
{
    uint32_t low = 0, high = level->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (level->codes[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void level_push(struct perf_level *level, const struct perf_code *code, uintptr_t start,
                       uintptr_t end)
{
    struct perf_code *last = level->n ? &level->codes[level->n - 1] : NULL;
    if (start >= end)
        return;
    if (last && last->end == start && last->name == code->name && last->entry == code->entry) {
        last->end = end;
        return;
    }
    level->codes[level->n++] = (struct perf_code){start, end, code->entry, code->name};
}

/* Merges two levels and frees both. */
static struct perf_level level_merge(struct perf_level newer, struct perf_level older)
{
    struct perf_level merged = {0};
    uintptr_t covered = 0; /* end of the newer codes that were merged so far */
    uint32_t i = 0;
    merged.codes = host_alloc(CODES_SITE, (2 * (size_t)newer.n + older.n) * sizeof *merged.codes);
    for (uint32_t k = 0; k < older.n; k++) {
        const struct perf_code *code = &older.codes[k];
        uintptr_t start = code->start > covered ? code->start : covered;
        for (; i < newer.n && newer.codes[i].start < code->end; i++) {
            level_push(&merged, code, start, newer.codes[i].start);
            level_push(&merged, &newer.codes[i], newer.codes[i].start, newer.codes[i].end);
            covered = newer.codes[i].end;
            start = start > covered ? start : covered;
        }
        level_push(&merged, code, start, code->end);
    }
    for (; i < newer.n; i++)
        level_push(&merged, &newer.codes[i], newer.codes[i].start, newer.codes[i].end);
    host_free(newer.codes);
    host_free(older.codes);
    return merged;
}

void perf_map_put(struct perf_map *map, const struct perf_code *code)
{
    struct perf_level carry = {host_alloc(CODES_SITE, sizeof *code), 1};
    uint32_t k = 0;
    carry.codes[0] = *code;
    for (; map->levels[k].codes; k++) {
        carry = level_merge(carry, map->levels[k]);
        map->levels[k] = (struct perf_level){NULL, 0};
    }
    map->levels[k] = carry;
}

const struct perf_code *perf_map_find(const struct perf_map *map, uintptr_t address)
{
    for (uint32_t k = 0; k < PERF_MAP_LEVELS_MAX; k++) {
        const struct perf_level *level = &map->levels[k];
        uint32_t at = level_search(level, address);
        if (at < level->n && level->codes[at].start <= address)
            return &level->codes[at];
    }
    return NULL;
}

/* ---------------------------------------------------------------- lines */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static int digit_of(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

/* Parses a hexadecimal number and the blanks after it, and advances `*at` past them. */
static bool parse_number(const char **at, const char *end, uintptr_t *number)
{
    const char *begin;
    *number = 0;
    if (end - *at > 2 && (*at)[0] == '0' && (*at)[1] == 'x')
        *at += 2;
    for (begin = *at; *at < end && digit_of(**at) >= 0; ++*at) {
        if (*number >> (8 * sizeof *number - 4))
            return false;
        *number = *number << 4 | (uintptr_t)digit_of(**at);
    }
    if (*at == begin || *at == end || !is_blank(**at))
        return false;
    while (*at < end && is_blank(**at))
        ++*at;
    return *at < end;
}

const char *perf_map_keep(struct perf_map *map, const char *at, const char *end)
{
    size_t n = (size_t)(end - at);
    char *name = host_alloc(NAMES_SITE, n + 1);
    for (size_t i = 0; i < n; i++)
        name[i] = (unsigned char)at[i] < ' ' || at[i] == 0x7f ? '?' : at[i];
    map->names = array_grow("aprof.perf_map.list", map->names, &map->names_capacity,
                            map->n_names + 1, sizeof *map->names);
    map->names[map->n_names++] = name;
    return name;
}

static void line_add(struct perf_map *map)
{
    const char *at = map->line, *end = at + map->n_line;
    struct perf_code code;
    uintptr_t bytes;
    if (end > at && end[-1] == '\r')
        end--;
    if (!parse_number(&at, end, &code.start) || !parse_number(&at, end, &bytes))
        return;
    code.entry = code.start;
    code.end = code.start + bytes;
    if (code.end <= code.start || map->n_names == PERF_MAP_RANGES_MAX)
        return;
    code.name = perf_map_keep(map, at, end);
    perf_map_put(map, &code);
}

void perf_map_add(struct perf_map *map, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n') {
            line_add(map);
            map->n_line = 0;
        } else if (map->n_line < PERF_MAP_LINE_MAX) {
            map->line[map->n_line++] = text[i];
        }
    }
}

void perf_map_free(struct perf_map *map)
{
    for (uint32_t k = 0; k < PERF_MAP_LEVELS_MAX; k++) {
        host_free(map->levels[k].codes);
        map->levels[k] = (struct perf_level){NULL, 0};
    }
    for (uint32_t i = 0; i < map->n_names; i++)
        host_free(map->names[i]);
    host_free(map->names);
    map->names = NULL;
    map->n_names = map->names_capacity = map->n_line = 0;
}

/* ---------------------------------------------------------------- names */

static struct perf_text text_of(const char *at, const char *end)
{
    return (struct perf_text){at, (uint32_t)(end - at)};
}

static const char *text_end(const char *at)
{
    while (*at)
        at++;
    return at;
}

/* Returns the rest of `text` after `prefix`; NULL if the text does not begin with `prefix`. */
static const char *skip_prefix(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix) {
        text++;
        prefix++;
    }
    return *prefix ? NULL : text;
}

static bool parse_python(const char *name, struct perf_function *function)
{
    const char *begin = skip_prefix(name, "py::"), *colon = begin;
    if (!begin)
        return false;
    while (*colon && *colon != ':')
        colon++;
    if (!*colon || colon == begin)
        return false;
    function->name = text_of(begin, colon);
    function->file = text_of(colon + 1, text_end(colon));
    return true;
}

/* aprof's own hooks of interpreters separate name and file by a newline, which never occurs in a
 * perf map. */
static bool parse_hook(const char *name, struct perf_function *function)
{
    const char *begin = skip_prefix(name, "hook:"), *end = begin;
    if (!begin)
        return false;
    while (*end && *end != '\n')
        end++;
    if (!*end || end == begin)
        return false;
    function->name = text_of(begin, end);
    function->file = text_of(end + 1, text_end(end));
    return true;
}

/* Parses a colon and a decimal number that ends at `end`. Returns the position of the colon; NULL
 * if no number ends at `end`. */
static const char *number_before(const char *begin, const char *end, uint32_t *value)
{
    const char *at = end;
    while (at > begin && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at == end || end - at > 9 || at == begin || at[-1] != ':')
        return NULL;
    *value = 0;
    for (const char *digit = at; digit < end; digit++)
        *value = *value * 10 + (uint32_t)(*digit - '0');
    return at - 1;
}

static const char *skip_tag(const char *name)
{
    static const char *const tags[] = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        const char *rest = skip_prefix(name, tags[i]);
        if (rest)
            return rest;
    }
    return NULL;
}

/* Returns whether the byte means a tier of code: interpreted, baseline, mid-tier or optimised. */
static bool is_tier(char byte)
{
    return byte == '~' || byte == '^' || byte == '+' || byte == '*';
}

/* Node 18 lists a function as `Function:^insert /srv/book.js:1`; Node 20 adds a column, as in
 * `JS:^insert /srv/book.js:1:16`. */
static bool parse_v8(const char *name, struct perf_function *function)
{
    static const char anonymous[] = "(anonymous)";
    const char *begin = skip_tag(name), *end, *line, *before, *blank;
    uint32_t number;
    if (!begin)
        return false;
    begin += is_tier(*begin);
    end = text_end(begin);
    line = number_before(begin, end, &number);
    before = line ? number_before(begin, line, &number) : NULL;
    line = before ? before : line;
    for (blank = begin; line && blank < line && *blank != ' ';)
        blank++;
    if (!line || blank == line)
        return false;
    function->line = number;
    function->file = text_of(blank + 1, line);
    function->name = text_of(begin, blank);
    if (blank > begin)
        return true;
    function->name = text_of(anonymous, text_end(anonymous));
    function->place = text_of(line, end);
    return true;
}

/* Erlang lists the prologue of a function as a separate function. */
static bool parse_erlang(const char *name, struct perf_function *function)
{
    static const char prologue[] = "-CodeInfoPrologue";
    const uint32_t n = sizeof prologue - 1;
    const char *begin = skip_prefix(name, "$"), *end = text_end(name);
    if (!begin || begin == end)
        return false;
    function->is_prologue = (uint32_t)(end - begin) > n && skip_prefix(end - n, prologue) == end;
    end -= function->is_prologue ? n : 0;
    function->name = text_of(begin, end);
    return true;
}

/* The type of the function's result is omitted, as in Java's own messages. */
static bool parse_java(const char *name, struct perf_function *function)
{
    const char *begin = NULL, *end = text_end(name), *at;
    bool has_class = false;
    for (at = name; *at && *at != '('; at++) {
        if (*at == ' ' && begin)
            return false;
        if (*at == ' ')
            begin = at + 1;
        has_class |= begin && *at == '.';
    }
    if (!has_class || !*at || end[-1] != ')')
        return false;
    function->name = text_of(begin, end);
    return true;
}

static bool is_runtime(const char *name)
{
    return skip_prefix(name, "Builtin:") || skip_prefix(name, "BytecodeHandler:") ||
           skip_prefix(name, "Stub:");
}

struct perf_function perf_function_of(const char *name)
{
    struct perf_function function = {0};
    if (parse_python(name, &function) || parse_hook(name, &function) ||
        parse_erlang(name, &function) || parse_v8(name, &function) || parse_java(name, &function))
        return function;
    return (struct perf_function){
        .name = text_of(name, text_end(name)),
        .is_runtime = is_runtime(name),
    };
}
