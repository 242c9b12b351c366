/* Pairs the routines of two reports; see pairing.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/pairing.h"
#include "lib/base/demangle.h"
#include "lib/base/short_name.h"

#include <stdlib.h>
#include <string.h>

int pairing_compare(const struct pairing_entry *a, const struct pairing_entry *b)
{
    int order = strcmp(a->object, b->object);
    if (order == 0)
        order = strcmp(a->routine->symbol, b->routine->symbol);
    if (order == 0 && !*a->routine->symbol && a->routine->offset != b->routine->offset)
        order = a->routine->offset < b->routine->offset ? -1 : 1;
    return order ? order : strcmp(short_path(a->routine->file), short_path(b->routine->file));
}

static int by_entry(const void *a, const void *b)
{
    return pairing_compare(a, b);
}

struct pairing_entry *pairing_sort(const struct report *r)
{
    struct pairing_entry *entries = memory_get_zeroed(r->profiles.count, sizeof *entries);
    for (size_t i = 0; i < r->profiles.count; i++) {
        const struct report_profile *profile = &r->profiles.at[i];
        const struct report_routine *routine = &r->routines.at[profile->routine];
        const char *object = short_path(r->objects.at[routine->object]);
        entries[i] = (struct pairing_entry){r, profile, routine, object};
    }
    qsort(entries, r->profiles.count, sizeof *entries, by_entry);
    return entries;
}

/* Copies --------------------------------------------------------------------------------------- */

/* An entry without a counterpart in the other report. */
struct left_over {
    const struct pairing_entry *entry;
    char *whole; /* symbol of the routine, without a suffix such as `.constprop.0` that compilers
                  * add to copies */
};
typedef VECTOR(struct left_over) left_over_list;

static void leave(left_over_list *list, const struct pairing_entry *entry)
{
    struct left_over left = {entry, demangle_whole(entry->routine->symbol)};
    vector_push(list, left);
}

/* A routine without a symbol is never a copy. */
static int compare_whole(const struct left_over *a, const struct left_over *b)
{
    int order = strcmp(a->entry->object, b->entry->object);
    if (order == 0)
        order = strcmp(a->whole, b->whole);
    if (order == 0)
        order = strcmp(short_path(a->entry->routine->file), short_path(b->entry->routine->file));
    return order == 0 && !*a->whole ? pairing_compare(a->entry, b->entry) : order;
}

/* If a routine has several copies, they are paired in order of their symbols. */
static int by_whole(const void *a, const void *b)
{
    const struct left_over *left = a, *right = b;
    int order = compare_whole(left, right);
    return order ? order : pairing_compare(left->entry, right->entry);
}

static void left_over_sort(left_over_list *list)
{
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_whole);
}

static void left_over_free(left_over_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].whole);
    vector_free(list);
}

/* Pairs copies. Unpaired entries are appended to `only_base` and `only_new`, in sorted order. */
static void pair_copies(left_over_list *base, left_over_list *new, left_over_list *only_base,
                        left_over_list *only_new, pairing_list *list)
{
    left_over_sort(base);
    left_over_sort(new);
    for (size_t i = 0, k = 0; i < base->count || k < new->count;) {
        int order = i == base->count  ? 1
                    : k == new->count ? -1
                                      : compare_whole(&base->at[i], &new->at[k]);
        if (order < 0) {
            vector_push(only_base, base->at[i++]);
        } else if (order > 0) {
            vector_push(only_new, new->at[k++]);
        } else {
            struct pairing pair = {base->at[i++].entry, new->at[k++].entry};
            vector_push(list, pair);
        }
    }
}

/* Moved ---------------------------------------------------------------------------------------- */

/* Compares only names, because the source files of the two routines may differ. */
static int compare_name(const struct left_over *a, const struct left_over *b)
{
    int order = strcmp(a->entry->object, b->entry->object);
    return order ? order : strcmp(a->whole, b->whole);
}

/* Entry `from` is the first of one or more entries with the same name; returns their number. */
static size_t count_name(const left_over_list *list, size_t from)
{
    size_t end = from;
    while (end < list->count && compare_name(&list->at[from], &list->at[end]) == 0)
        end++;
    return end - from;
}

static void pair_moved(const left_over_list *base, const left_over_list *new, pairing_list *list)
{
    for (size_t i = 0, k = 0; i < base->count || k < new->count;) {
        int order = i == base->count  ? 1
                    : k == new->count ? -1
                                      : compare_name(&base->at[i], &new->at[k]);
        size_t a = order <= 0 ? count_name(base, i) : 0, b = order >= 0 ? count_name(new, k) : 0;
        if (a == 1 && b == 1 && *base->at[i].whole) {
            struct pairing pair = {base->at[i++].entry, new->at[k++].entry};
            vector_push(list, pair);
            continue;
        }
        while (a-- > 0) {
            struct pairing gone = {base->at[i++].entry, NULL};
            vector_push(list, gone);
        }
        while (b-- > 0) {
            struct pairing came = {NULL, new->at[k++].entry};
            vector_push(list, came);
        }
    }
}

void pairing_make(const struct pairing_entry *base, size_t base_count,
                  const struct pairing_entry *new, size_t new_count, pairing_list *list)
{
    left_over_list left_base = {0}, left_new = {0}, only_base = {0}, only_new = {0};
    for (size_t i = 0, k = 0; i < base_count || k < new_count;) {
        int order = i == base_count ? 1 : k == new_count ? -1 : pairing_compare(&base[i], &new[k]);
        if (order < 0) {
            leave(&left_base, &base[i++]);
        } else if (order > 0) {
            leave(&left_new, &new[k++]);
        } else {
            struct pairing pair = {&base[i++], &new[k++]};
            vector_push(list, pair);
        }
    }
    pair_copies(&left_base, &left_new, &only_base, &only_new, list);
    pair_moved(&only_base, &only_new, list);
    vector_free(&only_base);
    vector_free(&only_new);
    left_over_free(&left_base);
    left_over_free(&left_new);
}
