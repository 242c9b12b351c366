/* An analysis of events: a state, a function that consumes events, and one that prints.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paper 001 (CAB), section 5.2. The source of an analysis runs in two ways. Inline: the thread that
 * emits events passes small batches of them to its own state. Concurrently: an analysis thread
 * processes the events of the thread's ring. Each thread that emits events has one state; at the
 * end all states are merged into one, which is printed. docs/analyses.md adds a sixth analysis.
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
    /* The routine for a code in EVENT_CALL; NULL: the code is its address. */
    uint64_t (*routine_of_code)(void *context, uint32_t code);
    void *context;

    /* Divides one analysis among several threads, each of which receives all events. This state
     * processes slice number `slice` of `slices` (a power of two up to 64; 0 means 1). The sum over
     * all slices is exact. Only analyses with `sliced` use `slice`. */
    unsigned slice, slices;
};

/* The layout of the rows of a report. A row has a key, which names the counted thing, and one or
 * several counts. Runtimes write rows by this description, and the command reads them by it. */
struct analysis_rows {
    const char *tag;  /* the first field of a row */
    const char *unit; /* the counted things, as shown to users; NULL: rows have different units */
    bool routines;    /* the words of a key are routines, and not plain numbers */
    size_t key_least, key_most;
    size_t set_from;    /* words of a key from this index on are a set, in ascending order */
    size_t count_count; /* 1, or pairs in which the second count is a part of the first; at most
                         * ANALYSIS_COUNTS_MAX */
#define ANALYSIS_COUNTS_MAX 4
    const char *const *key_names; /* key_most names; the last one is also for all further words. A
                                   * `caller` may be missing */
    const char *const *count_names;
};

#define ANALYSIS_NAMES(...) ((const char *const[]){__VA_ARGS__})

struct analysis {
    const char *name;   /* as in options */
    const char *what;   /* one line for help texts */
    unsigned events;    /* mask of EVENT_BIT: the events that the analysis needs; other events are
                         * ignored */
    unsigned sliced;    /* 1: uses options->slice */
    size_t state_bytes; /* of the state, which the caller provides, zeroed */
    struct analysis_rows rows;

    void (*init)(void *state, const struct analysis_options *options);
    void (*consume)(void *state, const uint64_t *events, size_t count);
    void (*gap)(void *state);    /* pending activations are unknown from here on */
    void (*finish)(void *state); /* activations that are still pending end here */
    void (*merge)(void *state, const void *other); /* both states are finished */
    void (*print)(const void *state, struct analysis_report *report);
    void (*release)(void *state);
};

static inline uint64_t analysis_routine_of(const struct analysis_options *options, uint32_t code)
{
    return options->routine_of_code ? options->routine_of_code(options->context, code) : code;
}

/* All analyses, NULL-terminated, in the order of help texts. */
extern const struct analysis *const analyses[];

/* NULL if no analysis has this name. */
const struct analysis *analysis_find(const char *name);

#endif
