/* Flame graphs of reports; see report_flame.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/export/report_flame.h"

/* The cost of a frame minus the costs of its children: its self cost, and the cost of omitted callees. */
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

/* The frames as a tree of contexts: frame i is context i + 1. */
static void make_tree(const struct report *r, const struct report_frames *frames,
                      struct context_profile *profile)
{
    struct context root = {.parent = CONTEXTS_NONE,
                           .routine = CONTEXTS_NONE,
                           .site = CONTEXTS_NONE,
                           .monitored = true};
    uint64_t *own = own_costs(frames, &root.count);
    vector_push(&profile->contexts, root);
    for (size_t i = 0; i < frames->list.count; i++) {
        const struct report_frame *frame = &frames->list.at[i];
        struct context context = {.count = own[i],
                                  .parent =
                                      frame->caller == CONTEXT_NO_CALLER ? 0 : frame->caller + 1,
                                  .routine = frame->routine,
                                  .site = CONTEXTS_NONE,
                                  .monitored = true};
        vector_push(&profile->contexts, context);
    }
    for (size_t i = 0; i < r->routines.count; i++)
        vector_push(&profile->routines, r->routines.at[i]);
    for (size_t i = 0; i < r->command.count; i++)
        vector_push(&profile->command, r->command.at[i]);
    struct contexts_tree tree = {.total = frames->whole, .count = profile->contexts.count};
    vector_push(&profile->trees, tree);
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

void report_flame_write(const struct report *r, struct contexts_flame *flame, FILE *to)
{
    struct report_frames frames = {0};
    struct context_profile profile = {.weight = "calls", .technique = "cct"};
    report_frames_make(r, flame->least, &frames);
    make_tree(r, &frames, &profile);
    char *title = title_words(r, &frames, contexts_program(&profile));
    flame->unit = report_cost_words(r);
    if (!flame->title)
        flame->title = title;
    contexts_flame_write(&profile, flame, to);
    free(title);
    vector_free(&profile.contexts);
    vector_free(&profile.routines);
    vector_free(&profile.command);
    vector_free(&profile.trees);
    report_frames_free(&frames);
}
