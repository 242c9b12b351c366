/* `aprof lsp`: a language server, which shows reports in editors.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "aprof-config.h"

#include "tools/command.h"
#include "tools/history_command.h"
#include "tools/lsp_options.h"

static const struct option_entry lsp_options[] = {
    {'r', "report", "FILE", "report to show [the newest report in the workspace's folder]",
     OPTION_INTO(struct lsp_options, report)},
    {'b', "bounds", "FILE", "file of bounds, as for `aprof check` [" LSP_BOUNDS "]",
     OPTION_INTO(struct lsp_options, bounds)},
    {0, "base", "FILE", "base report, as for `aprof gate`", OPTION_INTO(struct lsp_options, base)},
    {'d', "database", "FILE", "database of the history in hovers [" HISTORY_DATABASE "]",
     OPTION_INTO(struct lsp_options, database)},
    {0, "source-path", "FROM=TO", "replaces FROM at the beginning of source paths with TO",
     OPTION_INTO(struct lsp_options, source_path)},
    {0},
};

#ifndef HAVE_JSON_C
int lsp_serve(const struct lsp_options *options)
{
    (void)options;
    message_error("lsp: this aprof was built without json-c; install libjson-c-dev and rebuild "
                  "aprof");
    return STATUS_FAILED;
}
#endif

static int run(const struct command *command, char **argv)
{
    struct lsp_options settings = {.database = HISTORY_DATABASE};
    struct options options;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    return lsp_serve(&settings);
}

const struct command command_lsp = {
    .name = "lsp",
    .summary = "shows reports in editors, as a language server",
    .usage = "[options]",
    .details =
        "Serves an editor over standard input and output, by the Language Server Protocol.\n"
        "The editor shows the growth, cost and calls of each function, the share of the cost\n"
        "of each line, callers and callees, and broken bounds. A new report in the folder of\n"
        "the workspace is read when it appears. Relative paths are relative to the folder of\n"
        "the workspace.",
    .options = lsp_options,
    .run = run,
};
