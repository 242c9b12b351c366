/* Reads reports and completes them from debug data; see report_load.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/report_load.h"

#include "lib/report/report_reader.h"
#include "lib/symbols/report_symbols.h"

void report_load_notes(const struct report *report)
{
    for (size_t i = 0; i < report->notes.count; i++)
        message_error("%s", report->notes.at[i]);
}

void report_load_lines(struct report *report)
{
    report_find_lines(report);
    report_load_notes(report);
}

bool report_load(struct report *report, const char *path, struct failure *why)
{
    if (!report_read_file(report, path, why))
        return false;
    report_load_lines(report);
    return true;
}
