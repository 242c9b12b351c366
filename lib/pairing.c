/* Which routine of one report is which of another; see pairing.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/pairing.h"
#include "lib/short_name.h"

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
