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

/* The length of the part of the name before the declared size; 0 if the name has no size. */
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

/* The FNV-1a hash of the name: a region's offset in reports of the Valgrind tool. */
static uint64_t offset_of(const char *name)
{
    uint32_t hash = 2166136261U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619;
    return hash;
}

/* A region with a declared size. */
struct sized_region {
    struct report_profile *profile;
    const char *name;
    size_t length; /* length of the name before the size */
    uint64_t size;
};

typedef VECTOR(struct sized_region) sized_list;

static int compare_regions(const void *a, const void *b)
{
    const struct sized_region *left = a, *right = b;
    size_t common = left->length < right->length ? left->length : right->length;
    int order = memcmp(left->name, right->name, common);
    if (order == 0 && left->length != right->length)
        return left->length < right->length ? -1 : 1;
    if (order == 0 && left->profile != right->profile)
        return left->profile < right->profile ? -1 : 1;
    return order;
}

static bool has_same_name(const struct sized_region *a, const struct sized_region *b)
{
    return a->length == b->length && memcmp(a->name, b->name, a->length) == 0;
}

/* Gives a routine the region's name without the size. */
static void rename_routine(struct report *r, uint32_t routine, const struct sized_region *region)
{
    struct report_routine *first = &r->routines.at[routine];
    first->symbol = arena_copy(&r->strings, region->name, region->length);
    first->offset = offset_of(first->symbol);
    free((char *)(uintptr_t)first->name); /* the report owns each name */
    first->name = memory_copy_string(first->symbol);
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

/* The regions with declared sizes, sorted by name. */
static void find_sized(struct report *r, sized_list *found)
{
    for (size_t i = 0; i < r->profiles.count; i++) {
        struct sized_region region = {.profile = &r->profiles.at[i]};
        region.name = r->routines.at[region.profile->routine].symbol;
        if (report_is_region(r, region.profile->routine))
            region.length = parse_size(region.name, &region.size);
        if (region.length > 0)
            vector_push(found, region);
    }
    if (found->count > 0)
        qsort(found->at, found->count, sizeof *found->at, compare_regions);
}

/* Merges all regions that have the same name into the first of these regions. */
void report_join_sizes(struct report *r)
{
    sized_list found = {0};
    uint32_t *number = memory_get_zeroed(r->routines.count + 1, sizeof *number), first = 0;
    for (uint32_t i = 0; i < r->routines.count; i++)
        number[i] = i;
    find_sized(r, &found);
    for (size_t i = 0; i < found.count; i++) {
        struct sized_region *region = &found.at[i];
        uint32_t routine = region->profile->routine;
        if (i == 0 || !has_same_name(region, region - 1)) {
            first = routine;
            rename_routine(r, first, region);
        }
        declare_size(r, region->profile, region->size);
        number[routine] = region->profile->routine = first;
    }
    if (found.count > 0) {
        renumber_code(r, number);
        report_merge_profiles(r);
    }
    vector_free(&found);
    free(number);
}
