/* `aprof contexts compare`: how well one tree approximates another, and where the trees differ.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/contexts_command.h"
#include "lib/base/json.h"
#include "lib/compare/gate.h"
#include "lib/contexts/contexts_accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PHI_DEFAULT    1e-4
#define FRAMES_DEFAULT 6
/* The results of the comparison for one value of phi. */
struct result {
    struct contexts_accuracy accuracy;
    double coverage[DIFF_SHARES_MAX]; /* hot edge coverage, by tau */
};

struct tree_comparison {
    const struct diff_settings *settings;
    struct context_pair pair;
    struct diff_shares phis;
    struct result results[DIFF_SHARES_MAX];
};

/* Metrics -------------------------------------------------------------------------------------- */

#define METRIC(name) offsetof(struct contexts_accuracy, name)
enum kind { KIND_SIZE, KIND_PERCENT, KIND_SHARE };

/* The rows of the table: first the sizes of the trees, then the metrics in the order of the paper's
 * section 5.2. Hot edge coverage has its own rows. */
static const struct measure {
    const char *key, *title;
    enum kind kind;
    size_t offset;
} metrics[] = {
    {"phi", "phi", KIND_SHARE, METRIC(phi)},
    {"reference_nodes", "contexts in the reference", KIND_SIZE, METRIC(reference_nodes)},
    {"measured_nodes", "contexts in the new tree", KIND_SIZE, METRIC(measured_nodes)},
    {"common_nodes", "contexts in both", KIND_SIZE, METRIC(common_nodes)},
    {"true_hot", "hot in the reference", KIND_SIZE, METRIC(true_hot)},
    {"reported", "hot in the new tree", KIND_SIZE, METRIC(reported)},
    {"hcct_nodes", "hot contexts and callers (HCCT)", KIND_SIZE, METRIC(hcct_nodes)},
    {"foreign", "HCCT, not in the reference", KIND_SIZE, METRIC(foreign)},
    {"overlap", "degree of overlap, %", KIND_PERCENT, METRIC(overlap)},
    {"uncovered_max", "largest count outside HCCT, % of hottest", KIND_PERCENT,
     METRIC(uncovered_max)},
    {"uncovered_average", "average count outside HCCT, % of hottest", KIND_PERCENT,
     METRIC(uncovered_average)},
    {"false_positives", "false positives", KIND_SIZE, METRIC(false_positives)},
    {"missed", "missed (false negatives)", KIND_SIZE, METRIC(missed)},
    {"missed_twice", "missed above 2 phi", KIND_SIZE, METRIC(missed_twice)},
    {"error_max", "largest counter error, %", KIND_PERCENT, METRIC(error_max)},
    {"error_average", "average counter error, %", KIND_PERCENT, METRIC(error_average)},
    {"hot_error_max", "largest error of hot contexts, %", KIND_PERCENT, METRIC(hot_error_max)},
    {"hot_error_average", "average error of hot contexts, %", KIND_PERCENT,
     METRIC(hot_error_average)},
};
#define METRICS (sizeof metrics / sizeof *metrics)

static char *metric_cell(const struct measure *metric, const struct contexts_accuracy *accuracy)
{
    const char *at = (const char *)accuracy + metric->offset;
    if (metric->kind == KIND_SIZE)
        return memory_format("%zu", *(const size_t *)at);
    return memory_format(metric->kind == KIND_SHARE ? "%g" : "%.4f", *(const double *)at);
}

/* Comparing ------------------------------------------------------------------------------------ */

static void measure(struct tree_comparison *c)
{
    const struct diff_settings *s = c->settings;
    unsigned char *marks = memory_get_zeroed(c->pair.common.contexts.count + 1, 1);
    for (size_t i = 0; i < c->phis.count; i++) {
        struct result *r = &c->results[i];
        contexts_measure(&c->pair, c->phis.at[i], marks, &r->accuracy);
        for (size_t t = 0; t < s->taus.count; t++)
            r->coverage[t] = contexts_coverage(&c->pair, marks, s->taus.at[t]);
    }
    free(marks);
}

static bool compare(struct tree_comparison *c, const char *reference_path, const char *path,
                    struct failure *why)
{
    const struct diff_settings *s = c->settings;
    struct context_profile reference = {0}, measured = {0};
    struct common_options common = s->common;
    common.sites = !s->ignore_sites;
    bool good = contexts_load(&reference, reference_path, &common, why) &&
                contexts_load(&measured, path, &common, why) &&
                contexts_pair(&reference, &measured, (uint32_t)common.thread, common.sites,
                              s->scale, &c->pair, why);
    if (good) {
        c->phis = s->phis;
        if (c->phis.count == 0)
            c->phis.at[c->phis.count++] = contexts_phi(&measured, &s->common, PHI_DEFAULT);
        measure(c);
    }
    contexts_free(&reference);
    contexts_free(&measured);
    return good;
}

static bool result_is_within(const struct tree_comparison *c, const struct result *r)
{
    const struct diff_limits *l = &c->settings->limits;
    const struct contexts_accuracy *a = &r->accuracy;
    for (size_t t = 0; t < c->settings->taus.count; t++) {
        if (r->coverage[t] < l->coverage_least)
            return false;
    }
    return a->overlap >= l->overlap_least && a->uncovered_max <= l->uncovered_most &&
           a->hot_error_max <= l->error_most && a->hot_error_average <= l->average_error_most &&
           (double)a->false_positives <= l->false_most && (double)a->missed <= l->missed_most;
}

static bool is_rise(const struct tree_comparison *c, uint32_t id)
{
    return diff_is_rise(c->settings, (double)c->pair.truth[id],
                        (double)context_count(&c->pair.common.contexts.at[id]),
                        (double)c->pair.true_total);
}

static size_t count_rises(const struct tree_comparison *c)
{
    size_t rises = 0;
    for (uint32_t i = 1; i < c->pair.common.contexts.count; i++)
        rises += is_rise(c, i);
    return rises;
}

static bool is_within(const struct tree_comparison *c)
{
    bool within = count_rises(c) == 0;
    for (size_t i = 0; i < c->phis.count; i++)
        within = within && result_is_within(c, &c->results[i]);
    return within;
}

/* Writing -------------------------------------------------------------------------------------- */

static void write_csv(const struct tree_comparison *c, FILE *to)
{
    for (size_t m = 0; m < METRICS; m++)
        fprintf(to, "%s%s", m ? "," : "", metrics[m].key);
    for (size_t t = 0; t < c->settings->taus.count; t++)
        fprintf(to, ",coverage_%g", c->settings->taus.at[t]);
    putc('\n', to);
    for (size_t i = 0; i < c->phis.count; i++) {
        const struct result *r = &c->results[i];
        for (size_t m = 0; m < METRICS; m++) {
            char *cell = metric_cell(&metrics[m], &r->accuracy);
            fprintf(to, "%s%s", m ? "," : "", cell);
            free(cell);
        }
        for (size_t t = 0; t < c->settings->taus.count; t++)
            fprintf(to, ",%.4f", r->coverage[t]);
        putc('\n', to);
    }
}

static void json_metric(struct json *json, const struct measure *metric,
                        const struct contexts_accuracy *accuracy)
{
    const char *at = (const char *)accuracy + metric->offset;
    if (metric->kind == KIND_SIZE)
        json_number(json, metric->key, *(const size_t *)at);
    else
        json_real(json, metric->key, *(const double *)at);
}

static void json_result(struct json *json, const struct tree_comparison *c, const struct result *r)
{
    json_open(json, NULL, '{');
    for (size_t m = 0; m < METRICS; m++)
        json_metric(json, &metrics[m], &r->accuracy);
    for (size_t t = 0; t < c->settings->taus.count; t++) {
        char *key = memory_format("coverage_%g", c->settings->taus.at[t]);
        json_real(json, key, r->coverage[t]);
        free(key);
    }
    json_close(json);
}

/* Writes a row for each metric and a column for each phi. */
static void write_metrics(const struct tree_comparison *c, FILE *to)
{
    struct table_column heads[DIFF_SHARES_MAX + 1] = {{"phi", "phi", true}};
    char *phis[DIFF_SHARES_MAX];
    struct table table = {.columns = heads, .column_count = c->phis.count + 1};
    for (size_t i = 0; i < c->phis.count; i++)
        heads[i + 1] = (struct table_column){
            "", phis[i] = metric_cell(&metrics[0], &c->results[i].accuracy), false};
    for (size_t m = 1; m < METRICS; m++) {
        table_add_text(&table, metrics[m].title);
        for (size_t i = 0; i < c->phis.count; i++)
            table_add(&table, metric_cell(&metrics[m], &c->results[i].accuracy));
    }
    for (size_t t = 0; t < c->settings->taus.count; t++) {
        table_add(&table, memory_format("hot edge coverage, tau %g, %%", c->settings->taus.at[t]));
        for (size_t i = 0; i < c->phis.count; i++)
            table_add(&table, memory_format("%.4f", c->results[i].coverage[t]));
    }
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
    for (size_t i = 0; i < c->phis.count; i++)
        free(phis[i]);
}

static uint64_t difference(const struct context_pair *pair, uint32_t id)
{
    uint64_t count = context_count(&pair->common.contexts.at[id]), truth = pair->truth[id];
    return count > truth ? count - truth : truth - count;
}

static int by_difference(const void *left, const void *right, void *user)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t da = difference(user, a), db = difference(user, b);
    if (da != db)
        return da > db ? -1 : 1;
    return a < b ? -1 : a > b;
}

static char *change_cell(uint64_t truth, uint64_t count)
{
    if (truth == 0)
        return memory_copy_string("new");
    if (count == 0)
        return memory_copy_string("gone");
    return memory_format("%+.2f%%", 100 * ((double)count - (double)truth) / (double)truth);
}

static void write_rows(const struct tree_comparison *c, const uint32_t *ids, size_t count, FILE *to)
{
    static const struct table_column heads[] = {
        {"reference", "reference", false},
        {"new", "new", false},
        {"change", "change", false},
        {"context", "context", true},
    };
    const struct context_profile *common = &c->pair.common;
    struct table table = {.columns = heads, .column_count = sizeof heads / sizeof *heads};
    for (size_t i = 0; i < count; i++) {
        uint64_t measured = context_count(&common->contexts.at[ids[i]]);
        table_add_number(&table, c->pair.truth[ids[i]]);
        table_add_number(&table, measured);
        table_add(&table, change_cell(c->pair.truth[ids[i]], measured));
        table_add(&table,
                  contexts_chain_words(common, common->contexts.at, ids[i], FRAMES_DEFAULT, 0));
    }
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

/* Returns the contexts that differ, the largest difference first. The caller frees the list. */
static uint32_t *find_differences(const struct tree_comparison *c, size_t *differing)
{
    size_t count = c->pair.common.contexts.count;
    uint32_t *ids = memory_resize(NULL, count + 1, sizeof *ids);
    *differing = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (difference(&c->pair, i) > 0)
            ids[(*differing)++] = i;
    }
    if (*differing > 0)
        qsort_r(ids, *differing, sizeof *ids, by_difference, (void *)(uintptr_t)&c->pair);
    return ids;
}

static void write_differences(const struct tree_comparison *c, FILE *to)
{
    size_t differing;
    uint32_t *ids = find_differences(c, &differing);
    size_t shown = common_top(&c->settings->common, DIFF_TOP_DEFAULT, differing);
    fprintf(to, "\n%zu contexts differ", differing);
    if (differing > 0) {
        fprintf(to, "; the largest differences:\n");
        write_rows(c, ids, shown, to);
    } else {
        putc('\n', to);
    }
    free(ids);
    if (isfinite(c->settings->limits.rise_most))
        fprintf(to, "\n%zu contexts rose by more than %g%%\n", count_rises(c),
                c->settings->limits.rise_most);
}

static void json_difference(struct json *json, const struct tree_comparison *c, uint32_t id)
{
    const struct context_profile *common = &c->pair.common;
    char *chain = contexts_chain_words(common, common->contexts.at, id, 0, 0);
    json_open_compact(json, NULL, '{');
    json_number(json, "reference", c->pair.truth[id]);
    json_number(json, "new", context_count(&common->contexts.at[id]));
    json_text(json, "what", chain);
    json_close(json);
    free(chain);
}

static void write_json(const struct tree_comparison *c, FILE *to)
{
    size_t differing;
    uint32_t *ids = find_differences(c, &differing);
    size_t shown = common_top(&c->settings->common, 0, differing);
    struct json json = json_open_document(to, "aprof-compare-1");
    json_open(&json, "metrics", '[');
    for (size_t i = 0; i < c->phis.count; i++)
        json_result(&json, c, &c->results[i]);
    json_close(&json);
    json_open(&json, "differences", '[');
    for (size_t i = 0; i < shown; i++)
        json_difference(&json, c, ids[i]);
    json_close(&json);
    json_close(&json);
    free(ids);
}

/* For the commands ----------------------------------------------------------------------------- */

int contexts_compare(const struct diff_settings *settings, const char *base, const char *now,
                     FILE *to, struct failure *why)
{
    struct tree_comparison comparison = {.settings = settings};
    bool good = compare(&comparison, base, now, why);
    int status = good && is_within(&comparison) ? DIFF_WITHIN : good ? DIFF_BEYOND : DIFF_FAILED;
    if (good && settings->format == DIFF_CSV) {
        write_csv(&comparison, to);
    } else if (good && settings->format == DIFF_JSON) {
        write_json(&comparison, to);
    } else if (good) {
        write_metrics(&comparison, to);
        write_differences(&comparison, to);
    }
    contexts_pair_free(&comparison.pair);
    return status;
}

bool contexts_gate(struct gate *gate, const struct diff_settings *settings, const char *base,
                   const char *now, struct failure *why)
{
    struct tree_comparison c = {.settings = settings};
    bool good = compare(&c, base, now, why);
    size_t differing = 0;
    uint32_t *ids = good ? find_differences(&c, &differing) : NULL;
    for (size_t i = 0; i < differing; i++) {
        const struct context_profile *common = &c.pair.common;
        if (!is_rise(&c, ids[i]))
            continue;
        const struct context *context = &common->contexts.at[ids[i]];
        char *chain = contexts_chain_words(common, common->contexts.at, ids[i], FRAMES_DEFAULT, 0);
        gate_add_rise(gate, contexts_routine_name(common, context->routine), chain,
                      (double)c.pair.truth[ids[i]], (double)context_count(context));
        free(chain);
    }
    if (good)
        gate_finish_counts(gate, c.pair.common.contexts.count - 1, settings->limits.rise_most);
    free(ids);
    contexts_pair_free(&c.pair);
    return good;
}
