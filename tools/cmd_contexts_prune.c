/* `aprof contexts prune`: keeps only the hot contexts and their callers.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/contexts/contexts_writer.h"
#include "lib/base/output.h"

#define PHI_DEFAULT 1e-4

/* Sets the error bounds in the header. All contexts with a share of at least `phi` are present; the
 * share of a missing context is smaller. */
static void set_head(struct context_profile *p, double phi)
{
    char *words = memory_format("%g", phi);
    char *option = memory_format(CONTEXTS_PRUNED "%s", words);
    vector_push(&p->options, contexts_keep(p, option));
    free(option);
    if (!contexts_is_hot_tree(p)) {
        p->technique = "hcct";
        p->summary = "";
        p->epsilon = "0";
        p->phi = contexts_keep(p, words);
    } else if (phi > strtod(p->phi, NULL)) {
        p->phi = contexts_keep(p, words);
    }
    free(words);
}

static void prune(struct context_profile *p, double phi)
{
    unsigned char *marks = memory_get_zeroed(p->contexts.count + 1, 1);
    for (size_t i = 0; i < p->trees.count; i++) {
        const struct contexts_tree *tree = &p->trees.at[i];
        contexts_mark_hot(p->contexts.at + tree->first, tree->count,
                          contexts_threshold(p, tree, phi), marks + tree->first);
    }
    contexts_remove_unkept(p, marks);
    set_head(p, phi);
    free(marks);
}

static bool write_file(const struct context_profile *p, const char *path, struct failure *why)
{
    struct output output;
    if (!output_open(&output, path, why))
        return false;
    contexts_write(p, output.stream);
    return output_close(&output, why);
}

static const struct option_entry prune_options[] = {
    COMMON_ENTRY_PHI("smallest share that makes a context hot [as in FILE, or 1e-4]"),
    COMMON_ENTRY_DEBUG(FOR_CONTEXTS),
    COMMON_ENTRY_OUT,
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct common_options settings = COMMON_OPTIONS;
    struct context_profile profile;
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!contexts_load(&profile, options.operands.at[0], &settings, &why))
        return message_failure(&why);
    prune(&profile, contexts_phi(&profile, &settings, PHI_DEFAULT));
    bool good = write_file(&profile, settings.output, &why);
    contexts_free(&profile);
    return good ? STATUS_OK : message_failure(&why);
}

const struct command contexts_prune = {
    .name = "prune",
    .summary = "keeps only the hot contexts and their callers",
    .usage = "[options] FILE",
    .details =
        "Writes a file that contains only the hot contexts and their callers. A context is hot\n"
        "if its count is at least the share phi of the total of its tree. The written file\n"
        "contains the names of routines.",
    .options = prune_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "one file of calling contexts",
    .run = run,
};
