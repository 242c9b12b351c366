/* `aprof merge`: adds reports of processes, runs and hosts to one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "lib/output.h"
#include "lib/report_set.h"
#include "lib/report_writer.h"

struct settings {
    const char *output;
};

static const struct option_entry merge_options[] = {
    {'o', "output", "FILE", "writes the sum to a file [standard output]",
     OPTION_INTO(struct settings, output)},
    {0},
};

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
    struct settings settings = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_merge, argv, &settings))
        return options.status;
    return merge(&options.operands, settings.output, &why) ? STATUS_OK : message_failure(&why);
}

const struct command command_merge = {
    .name = "merge",
    .summary = "adds reports of processes, runs and hosts",
    .usage = "[options] REPORT|FOLDER...",
    .details =
        "Adds reports of the same program, measured in the same way; a folder stands for the\n"
        "reports in it. Order and grouping do not matter: sums can be added again.",
    .options = merge_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one report",
    .run = run,
};
