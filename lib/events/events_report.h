/* The report of an analysis in memory: what a program that makes events was found to do.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tables mirror the file (docs/analyses.md), and everything belongs to the report. A row has a
 * key, which tells what was counted, and one count or several. The key's words are indices into the
 * routines, or plain numbers, as the kind of analysis says; rows are in the order of their keys,
 * and no key comes twice.
 */
#ifndef LIB_EVENTS_EVENTS_REPORT_H
#define LIB_EVENTS_EVENTS_REPORT_H

#include "analyses/analysis.h"
#include "lib/contexts/contexts_profile.h"

/* ANALYSIS_NO_ID: the caller of what a thread begins with; comes first. */
#define EVENTS_NO_ROUTINE UINT64_MAX

struct events_row {
    uint64_t counts[ANALYSIS_COUNTS_MAX];
    size_t key; /* where it starts in `words` */
    uint32_t key_words;
};

struct events_report {
    char *path; /* where it was read from, for messages */
    struct arena strings;
    const char *creator, *end_reason;
    string_list command, process, options;
    const char *analysis;             /* its name in the table of analyses */
    const struct analysis_rows *kind; /* of the analysis */
    VECTOR(struct context_object) objects;
    VECTOR(struct report_routine) routines;
    VECTOR(uint64_t) words;
    VECTOR(struct events_row) rows;
};

void events_free(struct events_report *report); /* leaves an empty report */

/* Gives every routine its readable name. */
void events_name_routines(struct events_report *report);

/* The name of a routine in a key, or "(start)". */
const char *events_routine_name(const struct events_report *report, uint64_t routine);

static inline const uint64_t *events_key(const struct events_report *report,
                                         const struct events_row *row)
{
    return report->words.at + row->key;
}

/* The order of rows: by the words of their keys; a key that goes on comes behind one that ends. */
int events_compare_keys(const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words);

/* What shares refer to: the sum over all rows of their first counts. */
double events_total(const struct events_report *report);

/* The value of an option as it was in force; NULL when the report does not tell. */
const char *events_option(const struct events_report *report, const char *name);

/* How much of all events was analysed, from 0 to 1, as the option `sampling` has it; 0 when the
 * rate was chosen while the program ran, or is not told in a way that makes sense. */
double events_sampling_rate(const struct events_report *report);

#endif
