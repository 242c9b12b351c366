/* Selects routines by name; see select.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/select.h"
#include "ground/pattern.h"
#include "lib/report/code_view.h"
#include "lib/base/demangle.h"
#include "lib/base/short_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NEAR_NAMES_MAX 3

/* Whether `end` consists of the path's last components. */
static bool path_ends_with(const char *path, const char *end, size_t end_bytes)
{
    size_t bytes = strlen(path);
    if (bytes < end_bytes || memcmp(path + bytes - end_bytes, end, end_bytes) != 0)
        return false;
    return bytes == end_bytes || path[bytes - end_bytes - 1] == '/';
}

/* The first ':' that is not part of a "::"; NULL if the text has no such ':'. */
static const char *qualifier_end(const char *name)
{
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        if (colon[1] != ':')
            return colon;
        colon++;
    }
    return NULL;
}

static bool has_short_name(const struct report_routine *routine, const char *name)
{
    if (strncmp(routine->name, name, strlen(name)) != 0 && !strchr(routine->name, ' '))
        return false;
    char *short_name = demangle_short(routine->symbol);
    bool same = strcmp(short_name, name) == 0;
    free(short_name);
    return same;
}

/* Whether a name equals the displayed name without the template arguments at the end of the
 * displayed name. */
static bool is_template_name(const char *displayed, const char *name)
{
    size_t bytes = strlen(name);
    return *name && strncmp(displayed, name, bytes) == 0 && displayed[bytes] == '<' &&
           !strstr(displayed + bytes, "::");
}

/* Whether a table, page or picture of some width displays the routine under this name. */
static bool has_displayed_name(const struct report_routine *routine, const char *name)
{
    bool same = false;
    for (size_t most = SHORT_NAME_SENTENCE; !same && most >= SHORT_NAME_LEAST;) {
        char *displayed = short_name(routine->name, most);
        same = strcmp(displayed, name) == 0 || is_template_name(displayed, name);
        size_t bytes = strlen(displayed);
        most = bytes > 0 ? bytes - 1 : 0;
        free(displayed);
    }
    return same;
}

static bool has_full_name(const struct report_routine *routine, const char *name)
{
    return strcmp(routine->name, name) == 0 || (*name && strcmp(routine->symbol, name) == 0);
}

/* Appends the routines for which `accepts` returns true to `found`. If `place` is not NULL, appends
 * only routines of this file or object. */
static void collect(const struct report *r,
                    bool (*accepts)(const struct report_routine *, const char *), const char *name,
                    const char *place, size_t place_bytes, routine_list *found)
{
    for (size_t i = 0; i < r->routines.count; i++) {
        const struct report_routine *routine = &r->routines.at[i];
        if (place && !path_ends_with(routine->file, place, place_bytes) &&
            !path_ends_with(r->objects.at[routine->object], place, place_bytes))
            continue;
        if (accepts(routine, name))
            vector_push(found, (uint32_t)i);
    }
}

/* Similar names ------------------------------------------------------------------------------- */

#define DISTANCE_BYTES_MAX 128 /* maximum bytes of a name that are compared */

/* The least number of bytes to insert, delete or change to get from one name to the other. */
static size_t name_distance(const char *a, const char *b)
{
    size_t row[DISTANCE_BYTES_MAX + 1];
    size_t a_bytes = strnlen(a, DISTANCE_BYTES_MAX), b_bytes = strnlen(b, DISTANCE_BYTES_MAX);
    for (size_t j = 0; j <= b_bytes; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_bytes; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_bytes; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t shift = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < shift ? change : shift;
        }
    }
    return row[b_bytes];
}

/* The difference between a name and the wanted name: 0 if the name contains the wanted name, or
 * else name_distance(). Names that are not similar have the difference SIZE_MAX. */
static size_t name_strangeness(const char *wanted, const char *name)
{
    if (*wanted && strcasestr(name, wanted))
        return 0;
    size_t distance = name_distance(wanted, name);
    return distance <= strlen(wanted) / 3 + 1 && distance < strlen(wanted) ? distance : SIZE_MAX;
}

static void append_name(struct failure *why, const char *before, const char *name)
{
    size_t length = strlen(why->text);
    snprintf(why->text + length, sizeof why->text - length, "%s%s", before, name);
}

/* Appends the names that are most similar to the wanted name to the message, each name once. */
static void suggest_names(const struct report *r, const char *wanted, struct failure *why)
{
    const char *best[NEAR_NAMES_MAX];
    size_t strangeness[NEAR_NAMES_MAX], count = 0;
    for (size_t i = 0; i < r->routines.count; i++) {
        const char *name = r->routines.at[i].name;
        size_t value = name_strangeness(wanted, name);
        size_t place = count;
        bool known = false;
        for (size_t k = 0; k < count; k++)
            known |= strcmp(best[k], name) == 0;
        while (place > 0 && strangeness[place - 1] > value)
            place--;
        if (value == SIZE_MAX || known || place == NEAR_NAMES_MAX)
            continue;
        count += count < NEAR_NAMES_MAX;
        for (size_t k = count - 1; k > place; k--) {
            best[k] = best[k - 1];
            strangeness[k] = strangeness[k - 1];
        }
        best[place] = name;
        strangeness[place] = value;
    }
    for (size_t k = 0; k < count; k++) {
        char *brief = short_name(best[k], SHORT_NAME_SENTENCE);
        append_name(why, k ? ", " : "; similar: ", brief);
        free(brief);
    }
}

/* Selecting ------------------------------------------------------------------------------------ */

/* If a name without parameters matches several overloads, the full name is required. */
static bool all_of_one_name(const struct report *r, const routine_list *found, const char *name,
                            struct failure *why)
{
    const char *first = r->routines.at[found->at[0]].name;
    for (size_t i = 1; i < found->count; i++) {
        const char *other = r->routines.at[found->at[i]].name;
        if (strcmp(first, other) != 0)
            return failure_set(why, "%s: several routines have this name: %s, %s", name, first,
                               other);
    }
    return true;
}

bool select_routines(const struct report *r, const char *name, routine_list *found,
                     struct failure *why)
{
    const char *colon = qualifier_end(name);
    found->count = 0;
    collect(r, has_full_name, name, NULL, 0, found);
    if (found->count == 0)
        collect(r, has_short_name, name, NULL, 0, found);
    if (found->count == 0 && colon) {
        size_t bytes = (size_t)(colon - name);
        collect(r, has_full_name, colon + 1, name, bytes, found);
        if (found->count == 0)
            collect(r, has_short_name, colon + 1, name, bytes, found);
    }
    if (found->count == 0)
        collect(r, has_displayed_name, name, NULL, 0, found);
    if (found->count > 0)
        return all_of_one_name(r, found, name, why);
    if (code_explain_inlined(r, name, why))
        return false;
    failure_set(why, "%s: no such routine in %s", name, r->path);
    suggest_names(r, name, why);
    return false;
}

bool select_one_routine(const struct report *r, const char *name, uint32_t *found,
                        struct failure *why)
{
    routine_list all = {0};
    bool good = select_routines(r, name, &all, why);
    if (good && all.count > 1) {
        good = failure_set(why, "%s: %zu routines have this name", name, all.count);
        for (size_t i = 0; i < all.count && i < NEAR_NAMES_MAX; i++) {
            const struct report_routine *one = &r->routines.at[all.at[i]];
            append_name(why, i ? ", " : "; choose one: ",
                        *one->file ? one->file : r->objects.at[one->object]);
            append_name(why, ":", one->name);
        }
    } else if (good) {
        *found = all.at[0];
    }
    vector_free(&all);
    return good;
}

bool select_matches(const struct report_routine *routine, const char *pattern)
{
    if (pattern_matches(pattern, routine->name) || pattern_matches(pattern, routine->symbol))
        return true;
    if (!strchr(routine->symbol, '.') && strncmp(routine->symbol, "_Z", 2) != 0)
        return false;
    char *whole = demangle_short(routine->symbol);
    bool matches = pattern_matches(pattern, whole);
    free(whole);
    return matches;
}

bool select_is_foreign(const struct report *r, uint32_t object)
{
    static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/", "/opt/"};
    const char *path = r->objects.at[object];
    const char *program = report_program(r);
    bool below = *path != '/';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        below |= strncmp(path, folders[i], strlen(folders[i])) == 0;
    return below && strcmp(short_path(path), program) != 0;
}

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

bool select_is_startup(const struct report *r, const struct report_routine *routine)
{
    const char *object = short_path(r->objects.at[routine->object]);
    return begins_with(object, "ld-linux") || begins_with(object, "ld-musl") ||
           begins_with(object, "vgpreload_") || strcmp(routine->name, "_start") == 0 ||
           begins_with(routine->name, "__libc_start") || begins_with(routine->name, "(below main)");
}
