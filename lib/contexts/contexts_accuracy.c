/* The metrics of section 5.2; see contexts_accuracy.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/contexts/contexts_accuracy.h"
#include "lib/contexts/contexts_sum.h"

#include <math.h>
#include <string.h>

/* Lining up ------------------------------------------------------------------------------------ */

static void mark_present(bool *present, const uint32_t *map, size_t count)
{
    for (size_t i = 0; i < count; i++)
        present[map[i]] = true;
}

static void scale_counts(struct context_pair *pair)
{
    struct contexts_tree *tree = &pair->common.trees.at[0];
    if (tree->total == 0)
        return;
    double ratio = (double)pair->true_total / (double)tree->total;
    for (size_t i = 0; i < tree->count; i++) {
        struct context *c = &pair->common.contexts.at[i];
        c->count = (uint64_t)llround((double)c->count * ratio);
        c->error = (uint64_t)llround((double)c->error * ratio);
    }
    tree->total = pair->true_total;
}

/* Copies the header of the measured tree, which determines the thresholds of hot contexts. */
static void take_head(struct context_pair *pair, const struct context_profile *measured)
{
    struct context_profile *common = &pair->common;
    common->technique = contexts_keep(common, measured->technique);
    for (size_t i = 0; i < measured->process.count; i++)
        vector_push(&common->process, contexts_keep(common, measured->process.at[i]));
    for (size_t i = 0; i < measured->options.count; i++)
        vector_push(&common->options, contexts_keep(common, measured->options.at[i]));
    common->weight = contexts_keep(common, measured->weight);
    common->phi = contexts_keep(common, measured->phi);
    common->epsilon = contexts_keep(common, measured->epsilon);
}

static void line_up(struct context_pair *pair, const struct context_profile sums[2], bool sites)
{
    const struct context_profile *const sides[2] = {&sums[0], &sums[1]};
    struct context_alignment a;
    struct contexts_tree total = {.thread = sums[1].trees.at[0].thread};
    contexts_align_start(&a, sides, 2, sites);
    uint32_t *reference = contexts_align_tree(&a, 0, &sums[0].trees.at[0]);
    uint32_t *measured = contexts_align_tree(&a, 1, &sums[1].trees.at[0]);
    size_t count = a.builder.contexts.count;
    pair->true_total = sums[0].trees.at[0].total;
    pair->truth = memory_get_zeroed(count, sizeof *pair->truth);
    pair->in_reference = memory_get_zeroed(count, sizeof *pair->in_reference);
    pair->in_measured = memory_get_zeroed(count, sizeof *pair->in_measured);
    mark_present(pair->in_reference, reference, sums[0].contexts.count);
    mark_present(pair->in_measured, measured, sums[1].contexts.count);
    for (size_t i = 0; i < sums[0].contexts.count; i++)
        pair->truth[reference[i]] += context_count(&sums[0].contexts.at[i]);
    contexts_add_tree(&a.builder.contexts, &total, &sums[1], &sums[1].trees.at[0], measured);
    free(reference);
    free(measured);
    contexts_align_finish(&a, &pair->common);
    total.count = count;
    vector_push(&pair->common.trees, total);
}

bool contexts_pair(const struct context_profile *reference, const struct context_profile *measured,
                   uint32_t thread, bool sites, bool scale, struct context_pair *pair,
                   struct failure *why)
{
    struct context_profile sums[2] = {{0}};
    memset(pair, 0, sizeof *pair);
    if (strcmp(reference->weight, measured->weight) != 0)
        return failure_set(why, "%s and %s cannot be combined: different weights, %s and %s",
                           reference->path, measured->path, reference->weight, measured->weight);
    bool good = contexts_sum(&reference, 1, thread, sites, &sums[0], why) &&
                contexts_sum(&measured, 1, thread, sites, &sums[1], why);
    if (good) {
        line_up(pair, sums, sites);
        take_head(pair, &sums[1]);
        if (scale)
            scale_counts(pair);
    }
    contexts_free(&sums[0]);
    contexts_free(&sums[1]);
    return good;
}

void contexts_pair_free(struct context_pair *pair)
{
    contexts_free(&pair->common);
    free(pair->truth);
    free(pair->in_reference);
    free(pair->in_measured);
    memset(pair, 0, sizeof *pair);
}

/* Measuring ------------------------------------------------------------------------------------ */

static uint64_t largest_truth(const struct context_pair *pair)
{
    uint64_t largest = 0;
    for (size_t i = 1; i < pair->common.contexts.count; i++) {
        if (pair->truth[i] > largest)
            largest = pair->truth[i];
    }
    return largest;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* Collects values, to find the largest value and the mean. */
struct spread {
    double max, sum;
    size_t count;
};

static void spread_add(struct spread *s, double value)
{
    if (value > s->max)
        s->max = value;
    s->sum += value;
    s->count++;
}

static double spread_average(const struct spread *s)
{
    return s->count ? s->sum / (double)s->count : 0;
}

static double counter_error(uint64_t estimate, uint64_t truth)
{
    uint64_t distance = estimate > truth ? estimate - truth : truth - estimate;
    return percent((double)distance, (double)truth);
}

struct sums {
    struct spread uncovered, errors, hot_errors;
    double covered_weight;
};

static void measure_kept(const struct context_pair *pair, size_t i, bool hot, struct sums *sums,
                         struct contexts_accuracy *r)
{
    const struct context *c = &pair->common.contexts.at[i];
    r->hcct_nodes++;
    sums->covered_weight += (double)pair->truth[i];
    if (pair->truth[i] == 0) {
        r->foreign++;
        return;
    }
    if (c->monitored)
        spread_add(&sums->errors, counter_error(c->count, pair->truth[i]));
    if (hot)
        spread_add(&sums->hot_errors, counter_error(c->count, pair->truth[i]));
}

static void count_context(const struct context_pair *pair, size_t i, bool hot, uint64_t threshold,
                          struct contexts_accuracy *r)
{
    bool truly_hot = pair->truth[i] >= threshold;
    r->reference_nodes += pair->in_reference[i];
    r->measured_nodes += pair->in_measured[i];
    r->common_nodes += pair->in_reference[i] && pair->in_measured[i];
    r->true_hot += truly_hot;
    r->reported += hot;
    r->false_positives += hot && !truly_hot;
    r->missed += truly_hot && !hot;
    r->missed_twice += !hot && truly_hot && pair->truth[i] >= 2 * threshold;
}

void contexts_measure(const struct context_pair *pair, double phi, unsigned char *marks,
                      struct contexts_accuracy *r)
{
    const struct context_profile *common = &pair->common;
    const struct contexts_tree truth = {.thread = 1, .total = pair->true_total};
    uint64_t threshold = contexts_threshold(common, &truth, phi);
    struct sums sums = {0};
    *r = (struct contexts_accuracy){.phi = phi};
    contexts_mark_hot(common->contexts.at, common->contexts.count,
                      contexts_threshold(common, &common->trees.at[0], phi), marks);
    double largest = (double)largest_truth(pair);
    for (size_t i = 1; i < common->contexts.count; i++) {
        bool hot = marks[i] & CONTEXT_HOT;
        count_context(pair, i, hot, threshold, r);
        if (marks[i] & CONTEXT_KEPT)
            measure_kept(pair, i, hot, &sums, r);
        else if (pair->in_reference[i])
            spread_add(&sums.uncovered, percent((double)pair->truth[i], largest));
    }
    r->overlap = percent(sums.covered_weight, (double)pair->true_total);
    r->uncovered_max = sums.uncovered.max;
    r->uncovered_average = spread_average(&sums.uncovered);
    r->error_max = sums.errors.max;
    r->error_average = spread_average(&sums.errors);
    r->hot_error_max = sums.hot_errors.max;
    r->hot_error_average = spread_average(&sums.hot_errors);
}

double contexts_coverage(const struct context_pair *pair, const unsigned char *marks, double tau)
{
    double least = tau * (double)largest_truth(pair);
    size_t hot = 0, covered = 0;
    for (size_t i = 1; i < pair->common.contexts.count; i++) {
        bool counts = pair->in_reference[i] && (double)pair->truth[i] >= least;
        hot += counts;
        covered += counts && (marks[i] & CONTEXT_KEPT);
    }
    return hot ? percent((double)covered, (double)hot) : 100;
}
