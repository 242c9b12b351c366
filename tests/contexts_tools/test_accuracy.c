/* Checks that random trees are compared, added and inverted as defined.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The brute force uses no hash tables and no ids. A context is the text of its chain of routines,
 * and every formula of section 5.2 is evaluated by comparing all such texts.
 */
#include "lib/contexts/contexts_accuracy.h"
#include "lib/contexts/contexts_invert.h"
#include "lib/contexts/contexts_reader.h"
#include "lib/contexts/contexts_sum.h"
#include "lib/contexts/contexts_writer.h"
#include "tests/unit/cmocka_all.h"
#include "tests/contexts_tools/random_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 150

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("round %u: %s", round_number, #condition);                                    \
    } while (0)

static unsigned round_number;

/* Contexts as texts ---------------------------------------------------------------------------- */

struct entry {
    char *chain; /* "/main@site/work@site" */
    uint64_t count;
    bool monitored;
};

typedef VECTOR(struct entry) entry_list;

static struct entry *find(const entry_list *list, const char *chain)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->at[i].chain, chain) == 0)
            return &list->at[i];
    }
    return NULL;
}

static char *chain_of(const struct context_profile *p, const struct context *contexts, uint32_t id,
                      bool sites)
{
    if (id == 0)
        return memory_copy_string("");
    const struct context *c = &contexts[id];
    char *caller = chain_of(p, contexts, c->parent, sites);
    char *site = sites && c->site != CONTEXTS_NONE
                     ? memory_format("%" PRIx64, p->sites.at[c->site].offset)
                     : memory_copy_string("");
    char *chain = memory_format("%s/%s@%s", caller, p->routines.at[c->routine].symbol, site);
    free(caller);
    free(site);
    return chain;
}

/* All trees of a profile, added up. */
static entry_list entries_of(const struct context_profile *p, bool sites)
{
    entry_list list = {0};
    for (size_t t = 0; t < p->trees.count; t++) {
        const struct context *contexts = p->contexts.at + p->trees.at[t].first;
        for (uint32_t i = 1; i < p->trees.at[t].count; i++) {
            char *chain = chain_of(p, contexts, i, sites);
            struct entry *known = find(&list, chain);
            struct entry new = {chain, 0, false};
            if (known)
                free(chain);
            else
                vector_push(&list, new);
            known = known ? known : &list.at[list.count - 1];
            known->count += context_count(&contexts[i]);
            known->monitored |= contexts[i].monitored;
        }
    }
    return list;
}

static void free_entries(entry_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].chain);
    vector_free(list);
}

static bool is_caller(const char *caller, const char *chain)
{
    size_t bytes = strlen(caller);
    return strncmp(caller, chain, bytes) == 0 && chain[bytes] == '/';
}

static uint64_t total_of(const struct context_profile *p)
{
    uint64_t total = 0;
    for (size_t t = 0; t < p->trees.count; t++)
        total += p->trees.at[t].total;
    return total;
}

/* Definitions ---------------------------------------------------------------------------------- */

static uint64_t threshold(uint64_t total, double phi)
{
    uint64_t least = (uint64_t)floor(phi * (double)total * (1 + 1e-12));
    return least ? least : 1;
}

static bool is_hot(const struct entry *e, uint64_t least)
{
    return e->monitored && e->count >= least;
}

/* Whether the context is hot, or an ancestor of a hot context. */
static bool in_hcct(const entry_list *measured, const char *chain, uint64_t least)
{
    const struct entry *e = find(measured, chain);
    if (e && is_hot(e, least))
        return true;
    for (size_t i = 0; i < measured->count; i++) {
        if (is_hot(&measured->at[i], least) && is_caller(chain, measured->at[i].chain))
            return true;
    }
    return false;
}

struct definition {
    entry_list reference, measured;
    uint64_t true_total, total;
    double largest;
};

static uint64_t truth_of(const struct definition *d, const char *chain)
{
    const struct entry *e = find(&d->reference, chain);
    return e ? e->count : 0;
}

static void define_sizes(const struct definition *d, double phi, struct contexts_accuracy *r)
{
    uint64_t least = threshold(d->true_total, phi), measured_least = threshold(d->total, phi);
    for (size_t i = 0; i < d->reference.count; i++) {
        const struct entry *e = &d->reference.at[i], *m = find(&d->measured, e->chain);
        bool hot = m && is_hot(m, measured_least);
        r->reference_nodes++;
        r->common_nodes += m != NULL;
        r->true_hot += e->count >= least;
        r->missed += e->count >= least && !hot;
        r->missed_twice += e->count >= 2 * least && !hot;
    }
    for (size_t i = 0; i < d->measured.count; i++) {
        const struct entry *m = &d->measured.at[i];
        uint64_t truth = truth_of(d, m->chain);
        r->measured_nodes++;
        r->reported += is_hot(m, measured_least);
        r->false_positives += is_hot(m, measured_least) && truth < least;
        if (in_hcct(&d->measured, m->chain, measured_least)) {
            r->hcct_nodes++;
            r->foreign += truth == 0;
        }
    }
}

static void define_errors(const struct definition *d, double phi, struct contexts_accuracy *r)
{
    uint64_t least = threshold(d->total, phi);
    size_t errors = 0, hot_errors = 0;
    for (size_t i = 0; i < d->measured.count; i++) {
        const struct entry *m = &d->measured.at[i];
        double truth = (double)truth_of(d, m->chain);
        if (!in_hcct(&d->measured, m->chain, least))
            continue;
        r->overlap += 100 * truth / (double)d->true_total;
        if (truth == 0 || !m->monitored)
            continue;
        double error = 100 * fabs(truth - (double)m->count) / truth;
        errors++;
        r->error_average += error;
        r->error_max = fmax(r->error_max, error);
        if (is_hot(m, least)) {
            hot_errors++;
            r->hot_error_average += error;
            r->hot_error_max = fmax(r->hot_error_max, error);
        }
    }
    r->error_average /= errors ? (double)errors : 1;
    r->hot_error_average /= hot_errors ? (double)hot_errors : 1;
}

static void define_uncovered(const struct definition *d, double phi, struct contexts_accuracy *r)
{
    size_t uncovered = 0;
    for (size_t i = 0; i < d->reference.count; i++) {
        const struct entry *e = &d->reference.at[i];
        if (in_hcct(&d->measured, e->chain, threshold(d->total, phi)))
            continue;
        double hotness = 100 * (double)e->count / d->largest;
        uncovered++;
        r->uncovered_average += hotness;
        r->uncovered_max = fmax(r->uncovered_max, hotness);
    }
    r->uncovered_average /= uncovered ? (double)uncovered : 1;
}

static double define_coverage(const struct definition *d, double phi, double tau)
{
    size_t hot = 0, covered = 0;
    for (size_t i = 0; i < d->reference.count; i++) {
        const struct entry *e = &d->reference.at[i];
        if ((double)e->count < tau * d->largest)
            continue;
        hot++;
        covered += in_hcct(&d->measured, e->chain, threshold(d->total, phi));
    }
    return hot ? 100 * (double)covered / (double)hot : 100;
}

/* Comparing ------------------------------------------------------------------------------------ */

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-7 * fmax(1, fabs(a));
}

static void check_accuracy(const struct contexts_accuracy *a, const struct contexts_accuracy *b)
{
    CHECK(a->reference_nodes == b->reference_nodes && a->measured_nodes == b->measured_nodes);
    CHECK(a->common_nodes == b->common_nodes && a->true_hot == b->true_hot);
    CHECK(a->reported == b->reported && a->hcct_nodes == b->hcct_nodes);
    CHECK(a->false_positives == b->false_positives && a->missed == b->missed);
    CHECK(a->missed_twice == b->missed_twice && a->foreign == b->foreign);
    CHECK(close_to(a->overlap, b->overlap));
    CHECK(close_to(a->uncovered_max, b->uncovered_max));
    CHECK(close_to(a->uncovered_average, b->uncovered_average));
    CHECK(close_to(a->error_max, b->error_max) && close_to(a->error_average, b->error_average));
    CHECK(close_to(a->hot_error_max, b->hot_error_max));
    CHECK(close_to(a->hot_error_average, b->hot_error_average));
}

static void check_pair(const struct context_profile *reference,
                       const struct context_profile *measured, bool sites)
{
    static const double phis[] = {0.3, 0.05, 0.01, 0.001, 0}, taus[] = {0.5, 0.1, 0.01, 0};
    struct context_pair pair;
    struct failure why;
    struct definition d = {entries_of(reference, sites), entries_of(measured, sites),
                           total_of(reference), total_of(measured), 0};
    for (size_t i = 0; i < d.reference.count; i++)
        d.largest = fmax(d.largest, (double)d.reference.at[i].count);
    CHECK(contexts_pair(reference, measured, CONTEXTS_MERGED, sites, false, &pair, &why));
    unsigned char *marks = memory_get_zeroed(pair.common.contexts.count, 1);
    for (size_t i = 0; i < sizeof phis / sizeof *phis; i++) {
        struct contexts_accuracy fast, slow = {.phi = phis[i]};
        contexts_measure(&pair, phis[i], marks, &fast);
        define_sizes(&d, phis[i], &slow);
        define_errors(&d, phis[i], &slow);
        define_uncovered(&d, phis[i], &slow);
        check_accuracy(&fast, &slow);
        for (size_t t = 0; t < sizeof taus / sizeof *taus; t++)
            CHECK(close_to(contexts_coverage(&pair, marks, taus[t]),
                           define_coverage(&d, phis[i], taus[t])));
    }
    free(marks);
    contexts_pair_free(&pair);
    free_entries(&d.reference);
    free_entries(&d.measured);
}

/* Makes another profile of the same program: with other ids, removed contexts, changed counts, and
 * unmonitored contexts. */
static void disturb(struct rng *rng, struct context_profile *p, bool same_addresses)
{
    unsigned char *marks = memory_get_zeroed(p->contexts.count, 1);
    uint32_t shift = rng_below(rng, (uint32_t)p->routines.count);
    struct report_routine *old = memory_get_zeroed(p->routines.count, sizeof *old);
    memcpy(old, p->routines.at, p->routines.count * sizeof *old);
    for (size_t i = 0; i < p->routines.count; i++) {
        p->routines.at[(i + shift) % p->routines.count] = old[i];
        if (!same_addresses)
            p->routines.at[i].offset = 0x100 + i;
    }
    for (size_t i = 0; i < p->contexts.count; i++) {
        struct context *c = &p->contexts.at[i];
        if (c->routine != CONTEXTS_NONE)
            c->routine = (uint32_t)((c->routine + shift) % p->routines.count);
        c->monitored = c->monitored && !rng_once_in(rng, 5);
        c->count += rng_once_in(rng, 2) ? rng_below(rng, 20) : 0;
        marks[i] = rng_once_in(rng, 3) ? 0 : CONTEXT_KEPT;
    }
    for (size_t t = 0; t < p->trees.count; t++)
        contexts_keep_ancestors(p->contexts.at + p->trees.at[t].first, p->trees.at[t].count,
                                marks + p->trees.at[t].first);
    contexts_remove_unkept(p, marks);
    free(old);
    free(marks);
}

static struct random_tree random_shape(struct rng *rng)
{
    static const char *const build_ids[] = {"", "abcd"};
    return (struct random_tree){.routines = 1 + rng_below(rng, 12),
                                .contexts = rng_below(rng, 120),
                                .threads = 1 + rng_below(rng, 3),
                                .sites = rng_once_in(rng, 2),
                                .build_id = build_ids[rng_below(rng, 2)]};
}

static void test_compare(struct rng *rng)
{
    struct random_tree shape = random_shape(rng);
    struct rng again = *rng;
    struct context_profile reference, measured;
    bool exact = *shape.build_id != 0;
    random_profile(rng, &shape, &reference);
    random_profile(rng_once_in(rng, 4) ? rng : &again, &shape, &measured);
    disturb(rng, &measured, exact);
    check_pair(&reference, &measured, shape.sites && exact);
    check_pair(&reference, &reference, false);
    contexts_free(&reference);
    contexts_free(&measured);
}

/* Adding --------------------------------------------------------------------------------------- */

static char *bytes_of(const struct context_profile *p)
{
    char *bytes = NULL;
    size_t count;
    FILE *to = open_memstream(&bytes, &count);
    contexts_write(p, to);
    fclose(to);
    return bytes;
}

/* The sum has the counts of all profiles together, and reading the written sum gives an equal
 * sum. */
static void check_sum(const struct context_profile *sum, const struct context_profile profiles[3],
                      bool sites)
{
    struct context_profile again;
    struct failure why;
    char *bytes = bytes_of(sum);
    CHECK(contexts_read_memory(&again, bytes, strlen(bytes), "sum", &why));
    entry_list entries = entries_of(&again, sites);
    size_t found = 0;
    for (size_t e = 0; e < entries.count; e++) {
        uint64_t count = 0;
        for (size_t i = 0; i < 3; i++) {
            entry_list parts = entries_of(&profiles[i], sites);
            const struct entry *part = find(&parts, entries.at[e].chain);
            count += part ? part->count : 0;
            free_entries(&parts);
        }
        CHECK(count == entries.at[e].count);
        found += count > 0;
    }
    CHECK(found == entries.count && entries.count + 1 == sum->contexts.count);
    CHECK(sum->trees.at[0].total ==
          total_of(&profiles[0]) + total_of(&profiles[1]) + total_of(&profiles[2]));
    free_entries(&entries);
    contexts_free(&again);
    free(bytes);
}

static void test_sum(struct rng *rng)
{
    struct random_tree shape = random_shape(rng);
    struct context_profile profiles[3], sum;
    struct failure why;
    char *bytes[2];
    bool sites = shape.sites && *shape.build_id;
    shape.contexts %= 50;
    for (size_t i = 0; i < 3; i++)
        random_profile(rng, &shape, &profiles[i]);
    const struct context_profile *const orders[2][3] = {
        {&profiles[0], &profiles[1], &profiles[2]},
        {&profiles[2], &profiles[0], &profiles[1]},
    };
    for (size_t i = 0; i < 2; i++) {
        CHECK(contexts_sum(orders[i], 3, CONTEXTS_MERGED, true, &sum, &why));
        if (i == 0 && shape.contexts > 0)
            check_sum(&sum, profiles, sites);
        bytes[i] = bytes_of(&sum);
        contexts_free(&sum);
    }
    CHECK(strcmp(bytes[0], bytes[1]) == 0);
    for (size_t i = 0; i < 3; i++)
        contexts_free(&profiles[i]);
    free(bytes[0]);
    free(bytes[1]);
}

/* Inverting ------------------------------------------------------------------------------------ */

/* Whether context `id` ends with the chain of the inverted node `node`. */
static bool ends_with(const struct context *contexts, uint32_t id, const struct context *inverted,
                      uint32_t node)
{
    uint32_t chain[256];
    size_t length = 0;
    for (; node != 0; node = inverted[node].parent)
        chain[length++] = inverted[node].routine;
    for (; length > 0; id = contexts[id].parent) {
        if (id == 0 || contexts[id].routine != chain[--length])
            return false;
    }
    return true;
}

static void test_invert(struct rng *rng)
{
    struct random_tree shape = random_shape(rng);
    struct context_profile p;
    shape.threads = 1;
    random_profile(rng, &shape, &p);
    context_list inverted = contexts_invert(p.contexts.at, p.contexts.count, 1, 200);
    uint64_t *sums = contexts_sum_subtrees(inverted.at, inverted.count);
    for (uint32_t node = 1; node < inverted.count; node++) {
        uint64_t count = 0;
        for (uint32_t i = 1; i < p.contexts.count; i++) {
            if (ends_with(p.contexts.at, i, inverted.at, node))
                count += p.contexts.at[i].count;
        }
        CHECK(count == sums[node]);
    }
    CHECK(sums[0] == p.trees.at[0].total);
    vector_free(&inverted);
    uint64_t least = 1 + p.trees.at[0].total / 20;
    inverted = contexts_invert(p.contexts.at, p.contexts.count, least, 4);
    size_t light = 0, deep = 0;
    free(sums);
    sums = contexts_sum_subtrees(inverted.at, inverted.count);
    uint32_t *depths = contexts_depths(inverted.at, inverted.count);
    for (uint32_t node = 1; node < inverted.count; node++) {
        light += sums[node] < least;
        deep += depths[node] > 4;
    }
    CHECK(light == 0 && deep == 0 && sums[0] == p.trees.at[0].total);
    vector_free(&inverted);
    free(sums);
    free(depths);
    contexts_free(&p);
}

static void comparing_adding_and_inverting_are_as_defined(void **state)
{
    struct rng rng = {20150000};

    (void)state;
    for (round_number = 0; round_number < ROUNDS; round_number++) {
        test_compare(&rng);
        test_sum(&rng);
        test_invert(&rng);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparing_adding_and_inverting_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
