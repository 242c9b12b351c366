/* Draws flame graphs of reports; see report_flame.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/export/report_flame.h"
#include "lib/report/select.h"

/* The cost of a frame minus the costs of its children: its self cost, and the cost of omitted
 * callees. */
static uint64_t *own_costs(const struct report_frames *frames, uint64_t *root)
{
    uint64_t *own = memory_get_zeroed(frames->list.count + 1, sizeof *own);
    *root = frames->whole;
    for (size_t i = 0; i < frames->list.count; i++) {
        const struct report_frame *frame = &frames->list.at[i];
        uint64_t *below = frame->caller == CONTEXT_NO_CALLER ? root : &own[frame->caller];
        own[i] = frame->cost;
        *below -= frame->cost < *below ? frame->cost : *below;
    }
    return own;
}

/* Converts the frames to a tree of contexts. If system libraries are omitted, their self cost is
 * added to their callers. */
static void make_tree(const struct report *r, const struct report_frames *frames, bool mine,
                      struct context_profile *profile)
{
    struct context root = {.parent = CONTEXTS_NONE,
                           .routine = CONTEXTS_NONE,
                           .site = CONTEXTS_NONE,
                           .monitored = true};
    uint64_t *own = own_costs(frames, &root.count);
    uint32_t *context_of = memory_get_zeroed(frames->list.count + 1, sizeof *context_of);
    vector_push(&profile->contexts, root);
    for (size_t i = 0; i < frames->list.count; i++) {
        const struct report_frame *frame = &frames->list.at[i];
        uint32_t up = frame->caller == CONTEXT_NO_CALLER ? 0 : context_of[frame->caller];
        struct context context = {.count = own[i],
                                  .parent = up,
                                  .routine = frame->routine,
                                  .site = CONTEXTS_NONE,
                                  .monitored = true};
        if (mine && select_is_foreign(r, r->routines.at[frame->routine].object)) {
            context_of[i] = up;
            profile->contexts.at[up].count += own[i];
            continue;
        }
        context_of[i] = (uint32_t)profile->contexts.count;
        vector_push(&profile->contexts, context);
    }
    for (size_t i = 0; i < r->routines.count; i++)
        vector_push(&profile->routines, r->routines.at[i]);
    for (size_t i = 0; i < r->command.count; i++)
        vector_push(&profile->command, r->command.at[i]);
    struct contexts_tree tree = {.total = frames->whole, .count = profile->contexts.count};
    vector_push(&profile->trees, tree);
    free(context_of);
    free(own);
}

static char *title_words(const struct report *r, const struct report_frames *frames,
                         const char *program)
{
    static const char *const basis[] = {
        [FRAMES_OF_CONTEXTS] = "by calling context",
        [FRAMES_OF_EDGES] = "callers approximated from call edges",
        [FRAMES_OF_ROUTINES] = "callers not recorded",
    };
    return memory_format("%s: %s, %s", program, report_cost_words(r), basis[frames->basis]);
}

/* Frees the tree, except the texts that belong to the report. */
static void free_tree(struct context_profile *profile)
{
    vector_free(&profile->contexts);
    vector_free(&profile->routines);
    vector_free(&profile->command);
    vector_free(&profile->trees);
}

void report_flame_write(const struct report *r, const struct report *base,
                        struct contexts_flame *flame, FILE *to)
{
    struct report_frames frames = {0}, base_frames = {0};
    struct context_profile profile = {.weight = "calls", .technique = "cct"}, before = profile;
    /* all frames are made, even very small ones, because the script can enlarge them */
    report_frames_make(r, 0, &frames);
    make_tree(r, &frames, flame->mine, &profile);
    if (base) {
        report_frames_make(base, 0, &base_frames);
        make_tree(base, &base_frames, flame->mine, &before);
        before.path = base->path;
        flame->base = &before;
    }
    char *title = title_words(r, &frames, contexts_program(&profile));
    flame->unit = report_cost_words(r);
    if (!flame->title)
        flame->title = title;
    contexts_flame_write(&profile, flame, to);
    flame->base = NULL;
    free(title);
    free_tree(&profile);
    free_tree(&before);
    report_frames_free(&frames);
    report_frames_free(&base_frames);
}
