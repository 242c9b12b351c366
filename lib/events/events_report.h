/* The report of an analysis in memory: results about a program that emits events.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables mirror the file (docs/analyses.md), and the report owns all its data. A row has a key,
 * which names the counted thing, and one or several counts. The key's words are indices into the
 * routines, or plain numbers, depending on the analysis. Rows are sorted by their keys, and no key
 * occurs twice.
 */
#ifndef LIB_EVENTS_EVENTS_REPORT_H
#define LIB_EVENTS_EVENTS_REPORT_H

#include "analyses/analysis.h"
#include "lib/contexts/contexts_profile.h"

/* In a key, this value replaces ANALYSIS_NO_ID, the caller of a thread's first routine. It sorts
 * before all routines.
 */
#define EVENTS_NO_ROUTINE UINT64_MAX

struct events_row {
    uint64_t counts[ANALYSIS_COUNTS_MAX];
    size_t key; /* index in `words` of the key's first word */
    uint32_t key_words;
};

struct events_report {
    char *path; /* path of the file, for error messages */
    struct arena strings;
    RECORD_EVENT_HEAD(RECORD_HEAD_MEMBERS)
    const struct analysis_rows *kind; /* layout of the analysis's rows */
    VECTOR(struct context_object) objects;
    VECTOR(struct report_routine) routines;
    VECTOR(uint64_t) words;
    VECTOR(struct events_row) rows;
};

/* Frees the data of the report; the report is empty afterwards. */
void events_free(struct events_report *report);

/* Gives every routine its readable name. */
void events_name_routines(struct events_report *report);

/* The name of a routine in a key, or "(start)" for the missing caller. */
const char *events_routine_name(const struct events_report *report, uint64_t routine);

static inline const uint64_t *events_key(const struct events_report *report,
                                         const struct events_row *row)
{
    return report->words.at + row->key;
}

/* Compares two rows by the words of their keys; a key sorts after its own prefixes. */
int events_compare_keys(const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words);

/* The total to which shares refer: the sum of the first counts of all rows. */
double events_total(const struct events_report *report);

/* The value of an option of the profiler; NULL if the report does not have this option. */
const char *events_option(const struct events_report *report, const char *name);

/* The analysed share of all events (0 to 1), from the option `sampling`. The share is 0 if the
 * value of `sampling` is invalid, or if the rate was chosen during the run. */
double events_sampling_rate(const struct events_report *report);

#endif
