/* Random trees of calling contexts for tests; see random_tree.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/contexts_tools/random_tree.h"

#include <string.h>

#define RECENT 30 /* a context's caller is one of this many latest contexts */

static void set_head(struct context_profile *p)
{
    memset(p, 0, sizeof *p);
    p->path = memory_copy_string("random");
    p->creator = "a test";
    p->end_reason = "exit";
    p->technique = "cct";
    p->weight = "calls";
    p->summary = p->burst = p->phi = p->epsilon = "";
    vector_push(&p->command, "./random");
    vector_push(&p->process, "1");
}

static void add_routines(const struct random_tree *shape, struct context_profile *p)
{
    struct context_object object = {"/nowhere/random", shape->build_id};
    vector_push(&p->objects, object);
    for (uint32_t i = 0; i < shape->routines; i++) {
        char *name = memory_format("routine_%u", i);
        struct report_routine routine = {.offset = 0x1000 + 16 * i,
                                         .size_bytes = 16,
                                         .symbol = contexts_keep(p, name),
                                         .file = ""};
        vector_push(&p->routines, routine);
        free(name);
    }
    for (uint32_t i = 0; shape->sites && i < 4 * shape->routines; i++) {
        struct context_site site = {.offset = 0x1004 + 4 * i, .file = ""};
        vector_push(&p->sites, site);
    }
}

/* A weight that is mostly small, and sometimes very large. */
static uint64_t random_count(struct rng *rng)
{
    uint32_t count = 1 + rng_below(rng, 10);
    while (rng_once_in(rng, 4) && count < 1u << 24)
        count *= 2 + rng_below(rng, 9);
    return count;
}

static void add_tree(struct rng *rng, const struct random_tree *shape, uint32_t thread,
                     struct context_profile *p)
{
    struct contexts_tree tree = {.thread = thread, .first = p->contexts.count};
    struct context_builder builder;
    context_builder_start(&builder);
    for (uint32_t i = 0; i < shape->contexts; i++) {
        uint32_t count = (uint32_t)builder.contexts.count;
        uint32_t back = rng_below(rng, count < RECENT || rng_once_in(rng, 20) ? count : RECENT);
        uint32_t site =
            shape->sites && back + 1 < count ? rng_below(rng, 4 * shape->routines) : CONTEXTS_NONE;
        context_builder_child(&builder, count - 1 - back, rng_below(rng, shape->routines), site);
    }
    context_list list = context_builder_finish(&builder);
    for (size_t i = 1; i < list.count; i++) {
        list.at[i].count = random_count(rng);
        list.at[i].monitored = true;
        tree.total += list.at[i].count;
    }
    tree.calls = tree.total;
    tree.count = list.count;
    for (size_t i = 0; i < list.count; i++)
        vector_push(&p->contexts, list.at[i]);
    vector_free(&list);
    vector_push(&p->trees, tree);
}

void random_profile(struct rng *rng, const struct random_tree *shape,
                    struct context_profile *profile)
{
    set_head(profile);
    add_routines(shape, profile);
    for (uint32_t i = 1; i <= shape->threads; i++)
        add_tree(rng, shape, i, profile);
    contexts_name_routines(profile);
}
