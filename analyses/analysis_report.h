/* The report of an analysis: rows of routines and numbers, sorted, in one text file.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An analysis adds rows in any order. The report finds the routines in the rows, numbers the
 * routines by object and offset, sorts the rows and writes everything. So equal counts give equal
 * files, wherever the program was loaded. docs/analyses.md describes the format.
 */
#ifndef ANALYSES_ANALYSIS_REPORT_H
#define ANALYSES_ANALYSIS_REPORT_H

#include "analyses/analysis.h"
#include "ground/record_schema.h"

/* The value that stands for "no routine": the caller of a thread's first call. The report shows
 * this value as `-`. */
#define ANALYSIS_NO_ROUTINE UINT64_C(0)

/* The host's data about an address. The host keeps the strings until the report is written. */
struct analysis_place {
    const char *object;           /* path of the object file; NULL: the address is in no file */
    struct record_bytes build_id; /* empty string if the object has no build id */
    uint64_t offset;  /* link-time address in the object; without an object, the address itself */
    const char *name; /* name of the routine; NULL: not resolved at run time */
};

/* The function that resolves addresses. */
struct analysis_places {
    void (*find)(void *context, uint64_t address, struct analysis_place *place);
    void *context;
};

/* The lines of the file's head, except the line `analysis`, which the report writes itself. */
struct analysis_head {
    RECORD_EVENT_HEAD(RECORD_HEAD_MEMBERS)
};

/* Adds one line of the body, as described by the analysis's `rows`: the words of a key and the
 * counts. Routines are addresses or ANALYSIS_NO_ROUTINE. The function copies its arguments. */
void analysis_report_row(struct analysis_report *report, const uint64_t *key, size_t key_words,
                         const uint64_t *counts);

/* The value that is written instead of the number of an unknown routine. */
#define ANALYSIS_NO_ID UINT64_MAX

/* Writes one row, with a key in which routines are numbers. Both the runtimes and the command use
 * this function. */
void analysis_row_put(struct record_writer *to, const struct analysis_rows *rows,
                      const uint64_t *key, size_t key_words, const uint64_t *counts);

/* Writes the whole file with a started writer: the head, the rows that `analysis` prints from
 * `state`, and the line `complete`. If `places` is NULL, every address is written as an offset
 * without an object. */
void analysis_report_write(const struct analysis *analysis, const void *state,
                           const struct analysis_head *head, const struct analysis_places *places,
                           struct record_writer *to);

#endif
