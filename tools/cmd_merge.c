/* `aprof merge`: adds up reports of one kind, from processes, runs and hosts, and writes the sum.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"

const struct option_entry merge_options[] = {
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS),
    COMMON_ENTRY_OUT,
    {0},
};

static bool write_sum(const struct report_model *model, const void *sum, const char *path,
                      struct failure *why)
{
    struct output output;
    if (!output_open(&output, path, why))
        return false;
    model->write(sum, output.stream);
    return output_close(&output, why);
}

int merge_run(const struct command *command, char **argv)
{
    struct common_options settings = COMMON_OPTIONS;
    path_list paths = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    const struct report_model *model = model_of(command);
    void *sum = model_new(model);
    bool good = report_set_expand(&options.operands, &paths, &why) &&
                model->add(sum, &paths, &settings, &why) &&
                write_sum(model, sum, settings.output, &why);
    const char *repeated = good ? report_set_repeated(&paths) : NULL;
    if (repeated)
        message_error("merge: %s: named twice, so it is added twice", repeated);
    model_free(model, sum);
    report_set_free(&paths);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_merge = {
    .name = "merge",
    .summary = "adds reports of processes, runs and hosts",
    .usage = "[options] REPORT|FOLDER...",
    .details =
        "Adds reports of one program with equal options. A folder means all reports in the\n"
        "folder. The order and grouping of the reports do not matter, and sums can be merged\n"
        "again.",
    .options = merge_options,
    .kinds = FOR_POINTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one report",
    .verb = VERB_MERGE,
    .run = merge_run,
};
