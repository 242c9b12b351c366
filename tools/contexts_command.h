/* Functions that the sub-commands of `aprof contexts` share: reading files with names, and texts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_CONTEXTS_COMMAND_H
#define TOOLS_CONTEXTS_COMMAND_H

#include "tools/diff_command.h"
#include "tools/report_view.h"
#include "lib/contexts/contexts_sum.h"
#include "lib/base/table.h"

struct gate;

extern const struct command contexts_prune, contexts_stats;

/* Functions for `aprof report`, `aprof diff` and `aprof gate`; see tools/model.h. */
bool contexts_rows(void *report, const struct report_settings *settings, FILE *to,
                   struct failure *why);
const char *contexts_report_wrong(const void *settings);
int contexts_compare(const struct diff_settings *settings, const char *base, const char *now,
                     FILE *to, struct failure *why);
bool contexts_gate(struct gate *gate, const struct diff_settings *settings, const char *base,
                   const char *now, struct failure *why);

/* The keys of `aprof report --sort`; the list ends with NULL. */
extern const char *const contexts_sort_names[];

/* Reading -------------------------------------------------------------------------------------- */

/* Reads a file and names its routines; prints which names could not be found. Adds source lines of
 * call sites if requested. */
bool contexts_load(struct context_profile *profile, const char *path,
                   const struct common_options *settings, struct failure *why);

/* Like contexts_load, but then merges all threads into one tree, or keeps only the requested
 * thread. */
bool contexts_load_sum(struct context_profile *sum, const char *path,
                       const struct common_options *settings, struct failure *why);

/* The value of phi from the options; if they have none, the value in the file; if the file has
 * none, `otherwise`. */
double contexts_phi(const struct context_profile *profile, const struct common_options *settings,
                    double otherwise);

/* Words ---------------------------------------------------------------------------------------- */

/* Returns the context `id` and its callers as text, such as "work < parse (app.c:33) < main". The
 * text has at most `frames` routines (0: all), with names of at most `name_bytes` (0: unlimited),
 * and the source positions of calls if known. The caller frees the text. */
char *contexts_chain_words(const struct context_profile *profile, const struct context *contexts,
                           uint32_t id, size_t frames, size_t name_bytes);

char *contexts_number_cell(uint64_t number);

/* The profiled program and the options, as lines of text. The caller frees the text. */
char *contexts_heading(const struct context_profile *profile);

#endif
