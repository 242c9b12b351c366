/* An analysis: a state, a function that consumes events, and a function that prints results.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Section 5.2 of paper 001 (CAB) describes the analyses. An analysis can run in two modes. In
 * inline mode, the thread that emits events passes small batches of events to its own state. In
 * concurrent mode, an analysis thread processes the events of the emitting thread's ring. Each
 * thread that emits events has one state; at the end all states are merged into one state and
 * printed. docs/analyses.md shows how to add another analysis.
 *
 *     void *state = pages(analysis->state_bytes);          zeroed
 *     analysis->init(state, &options);
 *     analysis->consume(state, events, count);              any number of times, any count
 *     analysis->gap(state);                                 where sampling lost events
 *     analysis->finish(state);                              the thread has ended
 *     analysis->merge(total, state);                        total: another state of this analysis
 *     analysis_report_write(analysis, total, &head, &places, &writer);   see analysis_report.h
 *     analysis->release(state);                             gives its tables back
 *
 * A state is used by one thread at a time. Analyses call the system only through ground/host.h, so
 * they run inside profiled programs, on threads without a C library.
 */
#ifndef ANALYSES_ANALYSIS_H
#define ANALYSES_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyses/event_words.h"

struct analysis_report;

struct analysis_options {
    /* Returns the routine that a code in an EVENT_CALL identifies. If this function pointer is
     * NULL, a code is the routine's address. */
    uint64_t (*routine_of_code)(void *context, uint32_t code);
    void *context;

    /* The slice of this state, if an analysis is divided among several threads; each of these
     * threads receives all events. This state processes slice number `slice` of `slices` (a power
     * of two up to 64; 0 means 1). The sum of the results of all slices is exact. Only analyses
     * with `sliced` = 1 use `slice`. */
    unsigned slice, slices;
};

/* The layout of the rows of a report. A row has a key, which names the counted thing, and one or
 * several counts. Runtimes use this description to write rows, and the command uses it to read
 * rows. */
struct analysis_rows {
    const char *tag;  /* first field of a row */
    const char *unit; /* unit of the counts, as shown to users; NULL: rows have different units */
    bool routines;    /* whether the words of a key are routines, not plain numbers */
    size_t key_least, key_most;
    /* index of the first word in the key that belongs to the set; the words of the set ascend */
    size_t set_from;
    /* number of counts in a row, at most ANALYSIS_COUNTS_MAX. It is 1 or even; an even number of
     * counts forms pairs, and the second count of a pair is a part of the pair's first count */
    size_t count_count;
#define ANALYSIS_COUNTS_MAX 4
    /* names of the words of a key: `key_most` names; if a key has more words, they all have the
     * last name. The word `caller` may be missing in a key */
    const char *const *key_names;
    const char *const *count_names;
};

#define ANALYSIS_NAMES(...) ((const char *const[]){__VA_ARGS__})

struct analysis {
    const char *name; /* name of the analysis in options */
    const char *what; /* description in one line for help texts */
    /* mask of EVENT_BIT: the events that the analysis needs; other events are ignored */
    unsigned events;
    unsigned sliced;    /* 1: uses options->slice */
    size_t state_bytes; /* size of the state, which the caller provides and zeroes */
    struct analysis_rows rows;

    void (*init)(void *state, const struct analysis_options *options);
    void (*consume)(void *state, const uint64_t *events, size_t count);
    /* called where events were lost; it is then unknown which activations are pending */
    void (*gap)(void *state);
    void (*finish)(void *state); /* called when the thread has ended; ends its pending
                                  * activations */
    /* adds `other` to `state`; both states are finished */
    void (*merge)(void *state, const void *other);
    void (*print)(const void *state, struct analysis_report *report);
    void (*release)(void *state);
};

static inline uint64_t analysis_routine_of(const struct analysis_options *options, uint32_t code)
{
    return options->routine_of_code ? options->routine_of_code(options->context, code) : code;
}

/* All analyses, NULL-terminated, in the order of help texts. */
extern const struct analysis *const analyses[];

/* Returns NULL if no analysis has this name. */
const struct analysis *analysis_find(const char *name);

#endif
