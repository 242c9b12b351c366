/* The calling contexts of a report: trees of routines in which each node has its own points.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A context consists of a routine and the context that called the routine. The contexts of a tree
 * are contiguous, with callers before callees.
 */
#ifndef LIB_REPORT_REPORT_CONTEXTS_H
#define LIB_REPORT_REPORT_CONTEXTS_H

#include "lib/report/report.h"

static inline bool report_has_contexts(const struct report *report)
{
    return report->contexts.kind != NULL;
}

/* The kind of contexts as text: "hot 0.0001 2e-05 calls unfolded"; "none" if there are none. The
 * caller frees the text. */
char *report_contexts_words(const struct report *report);

/* The maximum number of routines in a context's line. Without this limit, the lines of a deep
 * recursion would take quadratic space. */
#define CONTEXT_ROUTINES_MOST 100

/* The path of a context, from the outermost routine to the routine of the context:
 * "main;parse;insert". A separator inside a name is replaced by ':'. If there are more than `most`
 * routines, the path is "...;parse;insert"; 0 means no limit. The caller frees the text. */
char *context_path(const struct report *report, const struct report_context *context, char divider,
                   unsigned most);

/* The path of a context, from its routine outwards: "insert < parse < main". The text names at most
 * `callers` callers; if there are more, it ends with an ellipsis. The caller frees the text. */
char *context_words(const struct report *report, const struct report_context *context,
                    unsigned callers);

/* Adds up all trees into a tree of thread 0, in which each path of routines is one context. The
 * error bounds of equal contexts are added, too. Siblings are sorted by routine, so the result does
 * not depend on the order of the trees. */
void report_contexts_merge(struct report *report);

/* Copies the trees of `from` to `to`. Routine i of `from` is routine `number[i]` of `to`. */
void report_contexts_append(struct report *to, const struct report *from, const uint32_t *number);

#endif
