/* `aprof events merge`: adds the reports of several processes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "lib/events_reader.h"
#include "lib/events_writer.h"
#include "lib/output.h"
#include "lib/report_set.h"

static const struct option_entry merge_options[] = {
    EVENTS_ENTRY_OUT,
    {0},
};

static bool take_option(void *settings, int key, const struct options *options)
{
    return events_take_option(settings, key, options);
}

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

static int run(char **argv)
{
    struct events_settings settings = {0};
    struct options options;
    struct failure why;
    int status = STATUS_OK;
    if (!options_parse(&options, merge_options, argv, take_option, &settings))
        status = STATUS_USAGE;
    else if (options.operands.count == 0)
        status = options_usage_error(&options, "wants at least one file", NULL);
    else if (!merge(&options.operands, &settings, &why))
        status = message_failure(&why);
    vector_free(&options.operands);
    return status;
}

const struct command events_merge_step = {
    .name = "merge",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds reports of one analysis, say those of all processes of a run; a folder stands for\n"
        "the files in it. Order does not matter. Routines are the same when the object's path\n"
        "and build id and the offset in it are.",
    .options = merge_options,
    .run = run,
};
