/* `aprof contexts merge`: adds threads and files to one tree.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/report_set.h"

typedef VECTOR(struct context_profile) profile_list;

static bool load_all(const path_list *paths, const struct contexts_settings *settings,
                     profile_list *profiles, struct failure *why)
{
    for (size_t i = 0; i < paths->count; i++) {
        struct context_profile profile;
        if (!contexts_load(&profile, paths->at[i], settings, why))
            return false;
        vector_push(profiles, profile);
    }
    return true;
}

static bool sum_all(const profile_list *profiles, struct context_profile *sum, struct failure *why)
{
    const struct context_profile **list = memory_get_zeroed(profiles->count, sizeof *list);
    for (size_t i = 0; i < profiles->count; i++)
        list[i] = &profiles->at[i];
    bool good = contexts_sum(list, profiles->count, CONTEXTS_MERGED, true, sum, why);
    free(list);
    return good;
}

static bool merge(const string_list *operands, const struct contexts_settings *settings,
                  struct failure *why)
{
    path_list paths = {0};
    profile_list profiles = {0};
    struct context_profile sum = {0};
    bool good = report_set_expand(operands, &paths, why) &&
                load_all(&paths, settings, &profiles, why) && sum_all(&profiles, &sum, why) &&
                contexts_write_file(&sum, settings->output, why);
    for (size_t i = 0; i < profiles.count; i++)
        contexts_free(&profiles.at[i]);
    vector_free(&profiles);
    contexts_free(&sum);
    report_set_free(&paths);
    return good;
}

static const struct option_entry merge_options[] = {
    CONTEXTS_ENTRY_DEBUG,
    CONTEXTS_ENTRY_OUT,
    {0},
};

static int run(char **argv)
{
    struct contexts_settings settings = CONTEXTS_SETTINGS;
    struct options options;
    struct failure why;
    if (!options_parse(&options, &contexts_merge, argv, &settings))
        return options.status;
    return merge(&options.operands, &settings, &why) ? STATUS_OK : message_failure(&why);
}

const struct command contexts_merge = {
    .name = "merge",
    .summary = "adds threads and files to one tree",
    .usage = "[options] FILE|FOLDER...",
    .details =
        "Adds the trees of all threads of all files to one tree; a folder stands for the files in\n"
        "it. Order does not matter. Routines have their names in the sum, contexts are the same\n"
        "when routines and call sites are.",
    .options = merge_options,
    .operands_least = 1,
    .operands_most = OPERANDS_ANY,
    .operands = "at least one file",
    .run = run,
};
