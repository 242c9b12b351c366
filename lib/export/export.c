/* Functions that the formats of `aprof export` share; see export.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/export/export.h"

bool export_wanted(const struct export_job *job, const struct report_profile *profile)
{
    for (size_t i = 0; i < job->routines.count; i++) {
        if (job->routines.at[i] == profile->routine)
            return true;
    }
    return !job->chosen;
}

bool export_nothing(struct export_writer *writer, struct failure *why)
{
    (void)writer;
    (void)why;
    return true;
}
