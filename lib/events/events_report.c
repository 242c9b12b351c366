/* Reports of analyses in memory; see events_report.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/events/events_report.h"

#include <string.h>

/* Reports -------------------------------------------------------------------------------------- */

void events_free(struct events_report *r)
{
    for (size_t i = 0; i < r->routines.count; i++)
        free((char *)(uintptr_t)r->routines.at[i].name);
    free(r->path);
    arena_free(&r->strings);
    vector_free(&r->command);
    vector_free(&r->process);
    vector_free(&r->options);
    vector_free(&r->objects);
    vector_free(&r->routines);
    vector_free(&r->words);
    vector_free(&r->rows);
    memset(r, 0, sizeof *r);
}

void events_name_routines(struct events_report *r)
{
    for (size_t i = 0; i < r->routines.count; i++) {
        struct report_routine *routine = &r->routines.at[i];
        free((char *)(uintptr_t)routine->name);
        routine->name = routine_display_name(routine, r->objects.at[routine->object].path);
    }
}

const char *events_routine_name(const struct events_report *r, uint64_t routine)
{
    return routine == EVENTS_NO_ROUTINE ? "(start)" : r->routines.at[routine].name;
}

/* EVENTS_NO_ROUTINE + 1 is 0, so the missing routine sorts first. A plain number equal to
 * EVENTS_NO_ROUTINE also sorts first, which is harmless. */
int events_compare_keys(const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words)
{
    for (size_t i = 0; i < a_words && i < b_words; i++) {
        if (a[i] != b[i])
            return a[i] + 1 < b[i] + 1 ? -1 : 1;
    }
    return a_words < b_words ? -1 : a_words > b_words;
}

double events_total(const struct events_report *r)
{
    double total = 0;
    for (size_t i = 0; i < r->rows.count; i++)
        total += (double)r->rows.at[i].counts[0];
    return total;
}

const char *events_option(const struct events_report *r, const char *name)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < r->options.count; i++) {
        const char *option = r->options.at[i];
        if (strncmp(option, name, bytes) == 0 && option[bytes] == '=')
            return option + bytes + 1;
    }
    return NULL;
}

double events_sampling_rate(const struct events_report *r)
{
    const char *sampling = events_option(r, "sampling");
    if (!sampling || strcmp(sampling, "off") == 0)
        return 1;
    char *end;
    double percent = strtod(sampling, &end);
    return end != sampling && !*end && percent > 0 && percent <= 100 ? percent / 100 : 0;
}
