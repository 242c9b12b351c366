/* `aprof events merge`: adds the reports of several processes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "lib/events_reader.h"
#include "lib/events_writer.h"
#include "lib/output.h"
#include "lib/report_set.h"

typedef VECTOR(struct events_report) report_list;

static bool read_all(const path_list *paths, report_list *reports, struct failure *why)
{
    for (size_t i = 0; i < paths->count; i++) {
        struct events_report report;
        if (!events_read_file(&report, paths->at[i], why))
            return false;
        vector_push(reports, report);
    }
    return true;
}

static bool sum_all(const report_list *reports, struct events_report *sum, struct failure *why)
{
    const struct events_report **list = memory_get_zeroed(reports->count, sizeof *list);
    for (size_t i = 0; i < reports->count; i++)
        list[i] = &reports->at[i];
    bool good = events_sum(list, reports->count, sum, why);
    free(list);
    return good;
}

static bool write_sum(const struct events_report *sum, const char *path, struct failure *why)
{
    struct output output;
    if (!output_open(&output, path, why))
        return false;
    events_write(sum, output.stream);
    return output_close(&output, why);
}

static bool merge(const string_list *operands, const struct events_settings *settings,
                  struct failure *why)
{
    path_list paths = {0};
    report_list reports = {0};
    struct events_report sum = {0};
    bool good = report_set_expand(operands, &paths, why) && read_all(&paths, &reports, why) &&
                sum_all(&reports, &sum, why) && write_sum(&sum, settings->output, why);
    for (size_t i = 0; i < reports.count; i++)
        events_free(&reports.at[i]);
    vector_free(&reports);
    events_free(&sum);
    report_set_free(&paths);
    return good;
}

static const struct option_entry merge_options[] = {
    EVENTS_ENTRY_OUT,
    {0},
};

static int run(char **argv)
{
    struct events_settings settings = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &events_merge_step, argv, &settings))
        return options.status;
    return merge(&options.operands, &settings, &why) ? STATUS_OK : message_failure(&why);
}

const struct command events_merge_step = {
    .name = "merge",
    .summary = "adds the reports of several processes",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds reports of one analysis, say those of all processes of a run; a folder stands for\n"
        "the files in it. Order does not matter. Routines are the same when the object's path\n"
        "and build id and the offset in it are.",
    .options = merge_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = run,
};
