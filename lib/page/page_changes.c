/* The data of a page about the comparison of two reports; see page_changes.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/page/page_changes.h"
#include "lib/base/short_name.h"
#include "lib/compare/compare_words.h"
#include "lib/compare/comparison.h"

#include <string.h>

#define REPORTS_MOST 4 /* six pairs; comparing two large reports takes a second */

static size_t routine_number(const struct report *report, const struct compare_side *side)
{
    return (size_t)(side->routine - report->routines.at);
}

static bool is_renamed(const struct compare_routine *r)
{
    const struct report_routine *base = r->base.routine, *new = r->new.routine;
    return base && new &&
           (strcmp(base->symbol, new->symbol) != 0 ||
            strcmp(short_path(base->file), short_path(new->file)) != 0);
}

static void write_change(struct json *json, size_t base, size_t new, const struct comparison *c,
                         const struct compare_routine *r)
{
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, base);
    json_number(json, NULL, new);
    json_number(json, NULL, routine_number(&c->base, &r->base));
    json_number(json, NULL, routine_number(&c->new, &r->new));
    if (r->inlined || r->is_divided) {
        char *name = r->inlined ? compare_name_words(r) : memory_copy_string("");
        json_text(json, NULL, name);
        json_number(json, NULL, r->base.cost_self);
        json_number(json, NULL, r->new.cost_self);
        free(name);
    }
    json_close(json);
}

/* Writes renamed routines before divided routines, because the page can divide a routine only after
 * it has paired the routine. */
static void write_changes(struct json *json, size_t base, size_t new, const struct comparison *c)
{
    for (size_t i = 0; i < c->list.count; i++) {
        struct compare_routine pair = c->list.at[i];
        pair.is_divided = false;
        if (!pair.inlined && is_renamed(&pair))
            write_change(json, base, new, c, &pair);
    }
    for (size_t i = 0; i < c->list.count; i++) {
        if (c->list.at[i].inlined || c->list.at[i].is_divided)
            write_change(json, base, new, c, &c->list.at[i]);
    }
}

static void write_pair(struct json *json, const string_list *paths, size_t base, size_t new)
{
    struct comparison_options options = COMPARISON_DEFAULTS;
    struct comparison c = {0};
    struct failure unused;
    options.limits.threshold /= 100;
    if (comparison_make(&c, paths->at[base], paths->at[new], &options, &unused))
        write_changes(json, base, new, &c);
    comparison_free(&c);
}

void page_changes_write(struct json *json, const string_list *paths)
{
    if (paths->count < 2)
        return;
    size_t count = paths->count < REPORTS_MOST ? paths->count : REPORTS_MOST;
    json_open(json, "changes", '[');
    for (size_t base = 0; base < count; base++) {
        for (size_t new = base + 1; new < count; new ++)
            write_pair(json, paths, base, new);
    }
    json_close(json);
}
