/* What the sub-commands of `aprof contexts` share: reading with names, words.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_CONTEXTS_COMMAND_H
#define TOOLS_CONTEXTS_COMMAND_H

#include "tools/diff_command.h"
#include "tools/report_view.h"
#include "lib/contexts/contexts_sum.h"
#include "lib/base/table.h"

extern const struct command contexts_prune, contexts_stats;

/* For `aprof report` and `aprof diff`; see tools/model.h. */
bool contexts_rows(void *report, const struct report_settings *settings, FILE *to,
                   struct failure *why);
const char *contexts_report_wrong(const void *settings);
int contexts_compare(const struct diff_settings *settings, const char *base, const char *now,
                     FILE *to, struct failure *why);

/* The keys of `aprof report --sort`; the list ends with NULL. */
extern const char *const contexts_sort_names[];

/* Reading -------------------------------------------------------------------------------------- */

/* Reads a file and names its routines; prints what could not be named. Call sites get their lines
 * if they are wanted. */
bool contexts_load(struct context_profile *profile, const char *path,
                   const struct common_options *settings, struct failure *why);

/* The same, with all threads (or the one that is wanted) in one tree. */
bool contexts_load_sum(struct context_profile *sum, const char *path,
                       const struct common_options *settings, struct failure *why);

/* phi as given, or else as the file has it, or else `otherwise`. */
double contexts_phi(const struct context_profile *profile, const struct common_options *settings,
                    double otherwise);

/* Words ---------------------------------------------------------------------------------------- */

/* "work < parse (app.c:33) < main": the context `id` of a tree with its callers, `frames` of them
 * at most (0: all), names in `name_bytes` at most (0: as long as they are), and where each called
 * the one before it if that is known. The caller frees it. */
char *contexts_chain_words(const struct context_profile *profile, const struct context *contexts,
                           uint32_t id, size_t frames, size_t name_bytes);

char *contexts_number_cell(uint64_t number);

/* What was profiled, and how; lines for people. The caller frees them. */
char *contexts_heading(const struct context_profile *profile);

#endif
