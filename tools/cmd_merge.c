/* `aprof merge`: adds reports of processes, runs and hosts to one, whatever kind they are of.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "tools/events_command.h"
#include "tools/report_load.h"
#include "lib/contexts/contexts_writer.h"
#include "lib/events/events_reader.h"
#include "lib/events/events_writer.h"
#include "lib/base/output.h"
#include "lib/load/report_kind.h"
#include "lib/load/report_set.h"
#include "lib/symbols/report_symbols.h"
#include "lib/report/report_writer.h"

#include <string.h>

union sum {
    struct report points;
    struct context_profile contexts;
    struct events_report events;
};

struct merger {
    bool (*add)(union sum *, const path_list *, const struct common_options *, struct failure *);
    void (*write)(const union sum *, FILE *);
    void (*free)(union sum *);
};

/* Points --------------------------------------------------------------------------------------- */

static bool add_points(union sum *sum, const path_list *paths,
                       const struct common_options *settings, struct failure *why)
{
    (void)settings;
    if (!report_set_sum(paths, &sum->points, why))
        return false;
    report_find_unread(&sum->points);
    report_load_notes(&sum->points);
    return true;
}

static void write_points(const union sum *sum, FILE *to)
{
    report_write(&sum->points, to);
}

static void free_points(union sum *sum)
{
    report_free(&sum->points);
}

static const struct merger points_merger = {add_points, write_points, free_points};

/* Calling contexts ----------------------------------------------------------------------------- */

static bool add_contexts(union sum *sum, const path_list *paths,
                         const struct common_options *settings, struct failure *why)
{
    struct context_profile *all = memory_get_zeroed(paths->count, sizeof *all);
    const struct context_profile **list = memory_get_zeroed(paths->count, sizeof *list);
    bool good = true;
    for (size_t i = 0; good && i < paths->count; i++) {
        list[i] = &all[i];
        good = contexts_load(&all[i], paths->at[i], settings, why);
    }
    good = good && contexts_sum(list, paths->count, CONTEXTS_MERGED, true, &sum->contexts, why);
    for (size_t i = 0; i < paths->count; i++)
        contexts_free(&all[i]);
    free(list);
    free(all);
    return good;
}

static void write_contexts(const union sum *sum, FILE *to)
{
    contexts_write(&sum->contexts, to);
}

static void free_contexts(union sum *sum)
{
    contexts_free(&sum->contexts);
}

static const struct merger contexts_merger = {add_contexts, write_contexts, free_contexts};

/* Events --------------------------------------------------------------------------------------- */

static bool add_events(union sum *sum, const path_list *paths,
                       const struct common_options *settings, struct failure *why)
{
    struct events_report *all = memory_get_zeroed(paths->count, sizeof *all);
    const struct events_report **list = memory_get_zeroed(paths->count, sizeof *list);
    bool good = true;
    (void)settings;
    for (size_t i = 0; good && i < paths->count; i++) {
        list[i] = &all[i];
        good = events_read_file(&all[i], paths->at[i], why);
    }
    good = good && events_sum(list, paths->count, &sum->events, why);
    for (size_t i = 0; i < paths->count; i++)
        events_free(&all[i]);
    free(list);
    free(all);
    return good;
}

static void write_events(const union sum *sum, FILE *to)
{
    events_write(&sum->events, to);
}

static void free_events(union sum *sum)
{
    events_free(&sum->events);
}

static const struct merger events_merger = {add_events, write_events, free_events};

/* The commands --------------------------------------------------------------------------------- */

static bool write_sum(const struct merger *merger, const union sum *sum, const char *path,
                      struct failure *why)
{
    struct output output;
    if (!output_open(&output, path, why))
        return false;
    merger->write(sum, output.stream);
    return output_close(&output, why);
}

static int merge(char **argv, const struct command *command, const struct merger *merger)
{
    struct common_options settings = COMMON_OPTIONS;
    union sum sum;
    path_list paths = {0};
    struct options options;
    struct failure why;
    memset(&sum, 0, sizeof sum);
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    bool good = report_set_expand(&options.operands, &paths, &why) &&
                merger->add(&sum, &paths, &settings, &why) &&
                write_sum(merger, &sum, settings.output, &why);
    const char *repeated = good ? report_set_repeated(&paths) : NULL;
    if (repeated)
        message_error("merge: %s: named twice, and added twice", repeated);
    merger->free(&sum);
    report_set_free(&paths);
    return good ? STATUS_OK : message_failure(&why);
}

static int run_points(char **argv)
{
    return merge(argv, &command_merge, &points_merger);
}

static int run_contexts(char **argv)
{
    return merge(argv, &contexts_merge, &contexts_merger);
}

static int run_events(char **argv)
{
    return merge(argv, &events_merge_step, &events_merger);
}

static const struct option_entry merge_options[] = {
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS),
    COMMON_ENTRY_OUT,
    {0},
};

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_merge,
    [REPORT_CONTEXTS] = &contexts_merge,
    [REPORT_EVENTS] = &events_merge_step,
};

const struct command command_merge = {
    .name = "merge",
    .summary = "adds reports of processes, runs and hosts",
    .usage = "[options] REPORT|FOLDER...",
    .details =
        "Adds reports of the same program, measured in the same way. A folder stands for its\n"
        "reports. Order and grouping do not matter: sums can be added again.",
    .options = merge_options,
    .kinds = FOR_POINTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one report",
    .of_kind = of_kind,
    .run = run_points,
};

const struct command contexts_merge = {
    .name = "merge",
    .summary = "adds threads and files to one tree",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds the trees of all threads of all files to one tree. A folder stands for its\n"
        "files. The order does not matter. The sum contains the names of routines; contexts\n"
        "are equal if their routines and call sites are.",
    .options = merge_options,
    .kinds = FOR_CONTEXTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = run_contexts,
};

const struct command events_merge_step = {
    .name = "merge",
    .summary = "adds the reports of several processes",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds reports of one analysis, for example of all processes of a run. A folder stands\n"
        "for its files. The order does not matter. Routines are equal if the path and build\n"
        "id of their object and their offset in it are.",
    .options = merge_options,
    .kinds = FOR_EVENTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = run_events,
};
