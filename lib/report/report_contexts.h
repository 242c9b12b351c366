/* The calling contexts of a report: trees of routines, in which each node has points of its own.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A context is a routine and the context that called it. Contexts of one tree are contiguous,
 * callers before callees.
 */
#ifndef LIB_REPORT_REPORT_CONTEXTS_H
#define LIB_REPORT_REPORT_CONTEXTS_H

#include "lib/report/report.h"

static inline bool report_has_contexts(const struct report *report)
{
    return report->contexts.kind != NULL;
}

/* "hot 0.0001 2e-05 calls unfolded", or "none"; the caller frees it. */
char *report_contexts_words(const struct report *report);

/* The number of routines in a context's line: with recursion, whole paths would take quadratic
 * space. */
#define CONTEXT_ROUTINES_MOST 100

/* "main;parse;insert": the routines from the outermost to this context's own; a separator inside a
 * name is replaced by ':'. "...;parse;insert" if there are more than `most`; 0: all. The caller
 * frees it. */
char *context_path(const struct report *report, const struct report_context *context, char divider,
                   unsigned most);

/* "insert < parse < main": the routine first, then at most `callers` of its callers, and an
 * ellipsis if there are more. The caller frees it. */
char *context_words(const struct report *report, const struct report_context *context,
                    unsigned callers);

/* Adds up all trees, so that each path of routines is one context, in a tree of thread 0. Errors
 * are added, too. Siblings are in order of their routines, so the result does not depend on the
 * order of the trees. */
void report_contexts_merge(struct report *report);

/* Copies the trees of `from`, whose routine i is `number[i]` in `to`. */
void report_contexts_append(struct report *to, const struct report *from, const uint32_t *number);

#endif
