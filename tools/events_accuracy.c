/* Measures how well one report of an analysis approximates another; see events_accuracy.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The error rate is computed by the same function as in the tests of the analyses. This function
 * compares two tables of counts with keys; here, the key of a count is the index of its pair.
 */
#include "tools/events_accuracy.h"

#include "analyses/counts.h"

#include <math.h>
#include <string.h>

/* Appends a pair of counts for each column of one key. If a report has no row for the key, its
 * count is 0. */
static void add_pairs(struct events_comparison *c, size_t first, size_t end)
{
    for (size_t column = 0; column < c->joined.tables.kind->count_count; column++) {
        struct events_pair pair = {.row = first, .column = column};
        for (size_t i = first; i < end; i++) {
            const struct events_joined_row *row = &c->joined.rows.at[i];
            *(row->report == 0 ? &pair.actual : &pair.sampled) += row->row.counts[column];
        }
        c->actual_total += (double)pair.actual;
        c->sampled_total += (double)pair.sampled;
        vector_push(&c->pairs, pair);
    }
}

bool events_comparison_start(struct events_comparison *c, const struct events_report *actual,
                             const struct events_report *sampled, struct failure *why)
{
    const struct events_report *const reports[] = {actual, sampled};
    memset(c, 0, sizeof *c);
    if (!events_join(reports, 2, &c->joined, why))
        return false;
    for (size_t i = 0; i < c->joined.rows.count;) {
        size_t end = events_joined_group(&c->joined, i);
        add_pairs(c, i, end);
        i = end;
    }
    return true;
}

void events_comparison_free(struct events_comparison *c)
{
    events_joined_free(&c->joined);
    vector_free(&c->pairs);
}

double events_pair_error(const struct events_pair *pair, double rate)
{
    double actual = (double)pair->actual;
    return pair->actual ? 100 * fabs(actual - (double)pair->sampled / rate) / actual : INFINITY;
}

static double error_rate(const struct events_comparison *c, double rate)
{
    struct counts actual = {0}, sampled = {0};
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct events_pair *pair = &c->pairs.at[i];
        if (pair->actual)
            counts_add(&actual, i, 0, pair->actual);
        if (pair->sampled)
            counts_add(&sampled, i, 0, pair->sampled);
    }
    double error = counts_sampling_error(&actual, &sampled, rate);
    counts_release(&actual);
    counts_release(&sampled);
    return error;
}

static double share(uint64_t count, double total)
{
    return total > 0 ? (double)count / total : 0;
}

void events_measure(const struct events_comparison *c, double rate, struct events_accuracy *a)
{
    *a = (struct events_accuracy){.rate = rate, .error_average = 100 * error_rate(c, rate)};
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct events_pair *pair = &c->pairs.at[i];
        a->actual_count += pair->actual > 0;
        a->sampled_count += pair->sampled > 0;
        a->missed += pair->actual > 0 && pair->sampled == 0;
        a->foreign += pair->actual == 0 && pair->sampled > 0;
        a->overlap += 100 * fmin(share(pair->actual, c->actual_total),
                                 share(pair->sampled, c->sampled_total));
        if (pair->actual)
            a->error_most = fmax(a->error_most, events_pair_error(pair, rate));
    }
    if (c->actual_total <= 0 && c->sampled_total <= 0)
        a->overlap = 100;
}
