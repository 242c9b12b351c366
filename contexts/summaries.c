/* Summaries for builds without the code that only reproduces papers: only the default summary.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contexts/context_summary.h"

const struct context_summary_entry context_summaries[CONTEXT_SUMMARY_KINDS] = {
    [CONTEXTS_ALL] = {"-", NULL},
    [CONTEXTS_LAZY_SPACE_SAVING] = {"lazy-space-saving", &lazy_space_saving_ops},
};

const char *const context_summary_options[] = {"lss", NULL};
