/* Regions of a report; see report_regions.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/report_regions.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"
#include "lib/report/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

static const char object_name[] = "[regions]";
static const char bound_mark[] = "expect ";
static const char size_mark[] = " n=";

static bool is_of_regions(const struct report *r, uint32_t routine)
{
    return strcmp(r->objects.at[r->routines.at[routine].object], object_name) == 0;
}

const char *report_region_bound(const struct report *r, uint32_t routine)
{
    const char *name = r->routines.at[routine].symbol;
    size_t length = strlen(bound_mark);
    return is_of_regions(r, routine) && strncmp(name, bound_mark, length) == 0 ? name + length
                                                                               : NULL;
}

bool report_is_region(const struct report *r, uint32_t routine)
{
    return is_of_regions(r, routine) && !report_region_bound(r, routine);
}

/* Declared sizes ------------------------------------------------------------------------------- */

/* The length of the name before the declared size; 0: the name has no size. */
static size_t parse_size(const char *name, uint64_t *size)
{
    const char *mark = NULL;
    for (const char *at = strstr(name, size_mark); at; at = strstr(at + 1, size_mark))
        mark = at;
    if (!mark || mark == name || !isdigit((unsigned char)mark[strlen(size_mark)]))
        return 0;
    char *end;
    errno = 0;
    *size = strtoull(mark + strlen(size_mark), &end, 10);
    return *end || errno ? 0 : (size_t)(mark - name);
}

/* FNV-1a of the name, as the offset of a region is in the tool's reports. */
static uint64_t offset_of(const char *name)
{
    uint32_t hash = 2166136261U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619;
    return hash;
}

/* The routine that the regions of this name become: the first of them, which gets the name without
 * the size. */
static uint32_t joined_routine(struct report *r, routine_list *joined, uint32_t routine,
                               size_t length)
{
    const char *name = r->routines.at[routine].symbol;
    for (size_t i = 0; i < joined->count; i++) {
        const char *known = r->routines.at[joined->at[i]].symbol;
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return joined->at[i];
    }
    struct report_routine *first = &r->routines.at[routine];
    first->symbol = arena_copy(&r->strings, name, length);
    first->offset = offset_of(first->symbol);
    free((char *)(uintptr_t)first->name); /* the report owns each name */
    first->name = memory_copy_string(first->symbol);
    vector_push(joined, routine);
    return routine;
}

static void declare_size(struct report *r, const struct report_profile *profile, uint64_t size)
{
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        for (uint32_t i = 0; i < profile->count[metric]; i++)
            r->points[metric].at[profile->first[metric] + i].input = size;
    }
}

static void renumber_code(struct report *r, const uint32_t *number)
{
    for (size_t i = 0; i < r->code.edges.count; i++) {
        r->code.edges.at[i].caller = number[r->code.edges.at[i].caller];
        r->code.edges.at[i].callee = number[r->code.edges.at[i].callee];
    }
    for (size_t i = 0; i < r->code.lines.count; i++)
        r->code.lines.at[i].routine = number[r->code.lines.at[i].routine];
    for (size_t i = 0; i < r->contexts.all.count; i++)
        r->contexts.all.at[i].profile.routine = number[r->contexts.all.at[i].profile.routine];
    report_code_merge(r);
    report_contexts_merge(r);
}

void report_join_sizes(struct report *r)
{
    routine_list joined = {0};
    uint32_t *number = memory_get_zeroed(r->routines.count + 1, sizeof *number);
    for (uint32_t i = 0; i < r->routines.count; i++)
        number[i] = i;
    for (size_t i = 0; i < r->profiles.count; i++) {
        struct report_profile *profile = &r->profiles.at[i];
        uint32_t routine = profile->routine;
        uint64_t size;
        size_t length =
            report_is_region(r, routine) ? parse_size(r->routines.at[routine].symbol, &size) : 0;
        if (length == 0)
            continue;
        declare_size(r, profile, size);
        number[routine] = profile->routine = joined_routine(r, &joined, routine, length);
    }
    if (joined.count > 0) {
        renumber_code(r, number);
        report_merge_profiles(r);
    }
    vector_free(&joined);
    free(number);
}
