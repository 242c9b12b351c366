/* `aprof contexts export`: trees of calling contexts for other programs.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "tools/export_command.h"
#include "lib/contexts/contexts_export.h"
#include "lib/base/output.h"

/* What is below phi goes, unless it leads to what is not. */
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

static bool export(void *settings, const char *path, struct failure *why)
{
    const struct export_settings *s = settings;
    const struct contexts_format *format = &contexts_formats[s->format];
    struct context_profile sum;
    struct output output;
    if (!contexts_load_sum(&sum, path, &s->common, why))
        return false;
    keep_hot(&sum, s->common.phi >= 0 ? s->common.phi : format->phi);
    bool good = output_open(&output, s->common.output, why);
    if (good) {
        format->write(&sum, s->frames, output.stream);
        good = output_close(&output, why);
    }
    contexts_free(&sum);
    return good;
}

static int run(char **argv)
{
    struct export_settings settings = EXPORT_SETTINGS;
    return contexts_run(argv, &contexts_export, &settings, export);
}

const struct command contexts_export = {
    .name = "export",
    .summary = "writes folded stacks, speedscope, Graphviz or CSV",
    .usage = "[options] FILE",
    .details =
        "Writes the tree as folded stacks (program;main;work 12), for https://www.speedscope.app,\n"
        "for Graphviz, or as a table with a row per context.",
    .options = export_options,
    .kinds = FOR_CONTEXTS,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one file of calling contexts",
    .run = run,
};
