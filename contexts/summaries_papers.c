/* All summaries that the paper compares (section 4).
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "contexts/context_summary.h"

const struct context_summary_entry context_summaries[CONTEXT_SUMMARY_KINDS] = {
    [CONTEXTS_ALL] = {"-", NULL},
    [CONTEXTS_LAZY_SPACE_SAVING] = {"lazy-space-saving", &lazy_space_saving_ops},
    [CONTEXTS_SPACE_SAVING] = {"space-saving", &space_saving_ops},
    [CONTEXTS_LOSSY_COUNTING] = {"lossy-counting", &lossy_counting_ops},
    [CONTEXTS_STICKY_SAMPLING] = {"sticky-sampling", &sticky_sampling_ops},
};

const char *const context_summary_options[] = {"lss", "ss", "lc", "sticky", NULL};
