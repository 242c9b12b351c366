/* `aprof contexts`: the model (model.h) of reports of contexts, and commands only for such reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "tools/model.h"
#include "lib/contexts/contexts_export.h"
#include "lib/contexts/contexts_writer.h"

static bool read_sum(void *report, const char *path, const struct common_options *settings,
                     struct failure *why)
{
    return contexts_load_sum(report, path, settings, why);
}

static void free_sum(void *report)
{
    contexts_free(report);
}

/* Sums ----------------------------------------------------------------------------------------- */

static bool add_files(void *sum, const path_list *paths, const struct common_options *settings,
                      struct failure *why)
{
    struct context_profile *all = memory_get_zeroed(paths->count, sizeof *all);
    const struct context_profile **list = memory_get_zeroed(paths->count, sizeof *list);
    bool good = true;
    for (size_t i = 0; good && i < paths->count; i++) {
        list[i] = &all[i];
        good = contexts_load(&all[i], paths->at[i], settings, why);
    }
    good = good && contexts_sum(list, paths->count, CONTEXTS_MERGED, true, sum, why);
    for (size_t i = 0; i < paths->count; i++)
        contexts_free(&all[i]);
    free(list);
    free(all);
    return good;
}

static void write_sum(const void *sum, FILE *to)
{
    contexts_write(sum, to);
}

/* Pictures and other formats ------------------------------------------------------------------- */

static void write_frames(void *report, void *base, struct contexts_flame *flame, FILE *to)
{
    const struct context_profile *p = report;
    if (!flame->title)
        flame->title = contexts_program(p);
    flame->base = base;
    contexts_flame_write(p, flame, to);
}

/* Removes contexts below phi, except the ancestors of kept contexts. */
static void keep_hot(struct context_profile *p, double phi)
{
    if (phi <= 0)
        return;
    unsigned char *marks = memory_get_zeroed(p->contexts.count + 1, 1);
    contexts_mark_hot(p->contexts.at, p->contexts.count,
                      contexts_threshold(p, &p->trees.at[0], phi), marks);
    contexts_remove_unkept(p, marks);
    free(marks);
}

static bool write_export(const struct export_settings *s, const string_list *paths,
                         struct output *output, struct failure *why)
{
    const struct contexts_format *format = &contexts_formats[s->format];
    struct context_profile sum;
    if (!contexts_load_sum(&sum, paths->at[0], &s->common, why))
        return false;
    keep_hot(&sum, s->common.phi >= 0 ? s->common.phi : format->phi);
    format->write(&sum, s->frames, output->stream);
    contexts_free(&sum);
    return true;
}

/* The commands --------------------------------------------------------------------------------- */

#define ONE_FILE                                                                                   \
    .kinds = FOR_CONTEXTS, .operands_least = 1, .operands_most = 1,                                \
    .operands = "one file of calling contexts"

static const struct command contexts_merge = {
    .name = "merge",
    .summary = "adds threads and files to one tree",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds the trees of all threads of all files to one tree. A folder means all files in\n"
        "the folder. The order of the files does not matter. The sum contains the names of\n"
        "routines. Two contexts are equal if their routines and call sites are equal.",
    .options = merge_options,
    .kinds = FOR_CONTEXTS,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = merge_run,
};

static const struct command contexts_export = {
    .name = "export",
    .summary = "writes folded stacks, speedscope, Graphviz or CSV",
    .usage = "[options] FILE",
    .details = "Writes the context tree as folded stacks (program;main;work 12), as a file for\n"
               "https://www.speedscope.app or Graphviz, or as a table with a row for each context.",
    .options = export_options,
    ONE_FILE,
    .run = export_run,
};

static const struct command contexts_flamegraph = {
    .name = "flamegraph",
    .summary = "draws a flame graph as an SVG file",
    .usage = "[options] FILE",
    .details =
        "Draws the context tree as one self-contained SVG file. The width of a frame is the\n"
        "count of its context including all callees. In a browser, a click enlarges a frame,\n"
        "and Search marks routines.",
    .options = flamegraph_options,
    ONE_FILE,
    .run = flamegraph_run,
};

static const struct command contexts_report = {
    .name = "report",
    .summary = "shows the hottest contexts",
    .usage = "[options] FILE",
    .details =
        "Shows the hottest calling contexts: the count of each context (calls or time), the\n"
        "largest error of the count, and the share including callees. By default, contexts are\n"
        "shown as a tree with the callers above. --flat shows one context per line, and\n"
        "--inverted shows routines, with the callers of each routine below it.",
    .options = report_options,
    ONE_FILE,
    .wrong = contexts_report_wrong,
    .run = report_run,
};

static const struct command contexts_compare_step = {
    .name = "compare",
    .summary = "compares two trees: accuracy or changes",
    .usage = "[options] REFERENCE NEW",
    .details =
        "Compares the contexts of two files: how accurately NEW (such as a tree of hot\n"
        "contexts) represents REFERENCE (such as the full tree of the run), and which counts\n"
        "differ most. The exit status is 0 if all given limits are kept, 1 if a limit is\n"
        "broken, and 2 on errors.",
    .options = diff_options,
    .kinds = FOR_CONTEXTS,
    .operands_least = 2,
    .operands_most = 2,
    .operands = "two files of calling contexts",
    .run = diff_run,
};

const struct report_model model_contexts = {
    .kind = REPORT_CONTEXTS,
    .report_bytes = sizeof(struct context_profile),
    .read = read_sum,
    .free = free_sum,
    .add = add_files,
    .write = write_sum,
    .rows = contexts_rows,
    .compare = contexts_compare,
    .gate = contexts_gate,
    .frames = write_frames,
    .export = write_export,
    .commands[VERB_REPORT] = &contexts_report,
    .commands[VERB_MERGE] = &contexts_merge,
    .commands[VERB_DIFF] = &contexts_compare_step,
    .commands[VERB_FLAMEGRAPH] = &contexts_flamegraph,
    .commands[VERB_EXPORT] = &contexts_export,
    .commands[VERB_GATE] = &gate_contexts,
};

static const struct command *const steps[] = {
    &contexts_report, &contexts_compare_step, &contexts_prune,      &contexts_merge,
    &contexts_stats,  &contexts_export,       &contexts_flamegraph, NULL,
};

const struct command command_contexts = {
    .name = "contexts",
    .summary = "shows, compares and draws calling contexts",
    .usage = "report|compare|prune|merge|stats|export|flamegraph ...",
    .details =
        "Reads the files of programs that were built with aprof-cc --aprof=contexts. The files\n"
        "contain the number of calls, or the time, of each calling context. A calling context\n"
        "is a chain of calls from the program's start.",
    .steps = steps,
};
