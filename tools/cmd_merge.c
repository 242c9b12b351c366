/* `aprof merge`: adds reports of processes, runs and hosts to one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "lib/output.h"
#include "lib/report_set.h"
#include "lib/report_writer.h"

enum { KEY_OUT = 1 };

static const struct option_entry merge_options[] = {
    {KEY_OUT, 'o', "output", "FILE", "writes the sum to a file [standard output]"},
    {0},
};

static bool take_option(void *settings, int key, const struct options *options)
{
    const char **output = settings;
    (void)key; /* there is only one */
    *output = options->value;
    return true;
}

static bool merge(const string_list *operands, const char *path, struct failure *why)
{
    struct report sum = {0};
    struct output output;
    path_list paths = {0};
    bool good = report_set_expand(operands, &paths, why) && report_set_sum(&paths, &sum, why) &&
                output_open(&output, path, why);
    if (good) {
        report_write(&sum, output.stream);
        good = output_close(&output, why);
    }
    report_free(&sum);
    report_set_free(&paths);
    return good;
}

static int run(char **argv)
{
    const char *output = NULL;
    struct options options;
    struct failure why;
    int status = STATUS_OK;
    if (!options_parse(&options, merge_options, argv, take_option, &output))
        status = STATUS_USAGE;
    else if (options.operands.count == 0)
        status = options_usage_error(&options, "wants at least one report", NULL);
    else if (!merge(&options.operands, output, &why))
        status = message_failure(&why);
    vector_free(&options.operands);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .summary = "adds reports of processes, runs and hosts",
    .usage = "[options] REPORT|FOLDER...",
    .details =
        "Adds reports of the same program, measured in the same way; a folder stands for the\n"
        "reports in it. Order and grouping do not matter: sums can be added again.",
    .options = merge_options,
    .run = run,
};
