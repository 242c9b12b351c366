/* `aprof html`: an interactive page for reports, in one file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "tools/html_page.h"
#include "lib/base/short_name.h"
#include "lib/load/report_set.h"

struct settings {
    struct html_settings page;
    const char *output;
};

static const struct option_entry html_options[] = {
    {'o', "output", "FILE", "writes the page to a file [standard output]",
     OPTION_INTO(struct settings, output)},
    {0, "title", "TEXT", "the page's title [the command that was profiled]",
     OPTION_INTO(struct settings, page.title)},
    {0, "embed-source", NULL, "embeds source files, to show the costs of their lines",
     OPTION_INTO(struct settings, page.embed_source)},
    {0, "source-path", "FROM=TO", "replaces FROM at the beginning of source paths with TO",
     OPTION_INTO(struct settings, page.source_path)},
    COMMON_ENTRY_MINE(OPTION_INTO(struct settings, page.mine), 0),
    {'t', "threads", NULL, "shows each thread separately",
     OPTION_INTO(struct settings, page.threads)},
    {0},
};

/* If no report is named, makes a page of the newest report in the current folder. */
static bool make_of_newest(const struct settings *settings, struct failure *why)
{
    char *newest = report_set_newest(why);
    if (!newest)
        return false;
    string_list paths = {0};
    vector_push(&paths, newest);
    bool good = html_page_save(&paths, &settings->page, settings->output, why);
    if (good)
        message_error("html: reads %s, the newest report in the current folder",
                      short_path(newest));
    vector_free(&paths);
    free(newest);
    return good;
}

static int run(const struct command *command, char **argv)
{
    struct settings settings = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = options.operands.count > 0
                    ? html_page_save(&options.operands, &settings.page, settings.output, &why)
                    : make_of_newest(&settings, &why);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command command_html = {
    .name = "html",
    .summary = "makes a page to explore reports in a browser",
    .usage = "[options] [REPORT|FOLDER...]",
    .details =
        "Writes one HTML file that needs no network: a table of routines, and the points of\n"
        "each routine with the fitted curves. If there are several reports, any two reports\n"
        "can be compared. For a folder, the sum of its reports is used. If no report is given,\n"
        "the newest report in the current folder is used.",
    .options = html_options,
    .operands_most = OPERANDS_ANY,
    .verb = VERB_OF_POINTS,
    .run = run,
};
