/* Runs an analysis on events in a test, and keeps the analysis's report as text.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_ANALYSES_HARNESS_H
#define TESTS_ANALYSES_HARNESS_H

#include <stdlib.h>
#include <string.h>

#include "analyses/analysis_report.h"

struct text {
    char *bytes;
    size_t used, capacity;
};

static inline void text_write(void *context, const char *bytes, size_t count)
{
    struct text *text = context;

    if (text->used + count + 1 > text->capacity) {
        text->capacity = 2 * (text->used + count + 1);
        text->bytes = realloc(text->bytes, text->capacity);
    }
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    text->bytes[text->used] = 0;
}

static inline void *state_new(const struct analysis *analysis)
{
    void *state = calloc(1, analysis->state_bytes);

    analysis->init(state, &(struct analysis_options){0});
    return state;
}

static inline void state_free(const struct analysis *analysis, void *state)
{
    analysis->release(state);
    free(state);
}

/* The caller frees the text. */
static inline char *report_of(const struct analysis *analysis, const void *state)
{
    static const char *const none[] = {NULL};
    const struct analysis_head head = {.command = none, .process = none, .options = none};
    struct text text = {NULL, 0, 0};
    struct record_writer writer;

    record_writer_start(&writer, (struct record_sink){text_write, &text});
    analysis_report_write(analysis, state, &head, NULL, &writer);
    return text.bytes;
}

#endif
