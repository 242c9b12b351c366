/* `aprof events compare`: the error of a sampled report against a full report of the program.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/events_command.h"
#include "tools/events_accuracy.h"
#include "lib/base/json.h"
#include "lib/compare/gate.h"
#include "lib/events/events_reader.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct result {
    const struct diff_settings *settings;
    struct events_comparison comparison;
    struct events_accuracy accuracy;
};

/* Comparing ------------------------------------------------------------------------------------ */

/* A sampled report must not be the reference. */
static bool check_reference(const struct events_report *r, struct failure *why)
{
    if (events_sampling_rate(r) == 1)
        return true;
    return failure_set(why, "%s: is sampled (sampling %s); the reference must be a full report",
                       r->path, events_option(r, "sampling"));
}

static bool find_rate(const struct diff_settings *s, const struct events_comparison *c,
                      const struct events_report *measured, double *rate, struct failure *why)
{
    *rate = s->rate_percent > 0 ? s->rate_percent / 100 : events_sampling_rate(measured);
    if (s->scale)
        *rate = c->actual_total > 0 ? c->sampled_total / c->actual_total : 1;
    if (s->scale && *rate <= 0)
        *rate = 1; /* no event was sampled; with any sampling rate, each error is 100 % */
    return *rate > 0 ||
           failure_set(why,
                       "%s: its sampling rate is not fixed (sampling %s); give --scale or --rate",
                       measured->path, events_option(measured, "sampling"));
}

static bool measure(struct result *r, const struct events_report *reference,
                    const struct events_report *measured, struct failure *why)
{
    double rate;
    if (!check_reference(reference, why) ||
        !events_comparison_start(&r->comparison, reference, measured, why) ||
        !find_rate(r->settings, &r->comparison, measured, &rate, why))
        return false;
    events_measure(&r->comparison, rate, &r->accuracy);
    return true;
}

static bool compare(struct result *r, const char *reference_path, const char *path,
                    struct failure *why)
{
    struct events_report reference = {0}, measured = {0};
    bool good = events_read_file(&reference, reference_path, why) &&
                events_read_file(&measured, path, why) && measure(r, &reference, &measured, why);
    events_free(&reference);
    events_free(&measured);
    return good;
}

static bool is_rise(const struct result *r, const struct events_pair *pair)
{
    return diff_is_rise(r->settings, (double)pair->actual, (double)pair->sampled / r->accuracy.rate,
                        r->comparison.actual_total);
}

static size_t count_rises(const struct result *r)
{
    size_t rises = 0;
    for (size_t i = 0; i < r->comparison.pairs.count; i++)
        rises += is_rise(r, &r->comparison.pairs.at[i]);
    return rises;
}

static bool is_within(const struct result *r)
{
    const struct diff_limits *l = &r->settings->limits;
    const struct events_accuracy *a = &r->accuracy;
    return count_rises(r) == 0 && a->error_average <= l->error_most &&
           a->error_most <= l->single_error_most && (double)a->missed <= l->missed_most &&
           a->overlap >= l->overlap_least;
}

/* Writing -------------------------------------------------------------------------------------- */

#define METRIC(name) offsetof(struct events_accuracy, name)
static const struct metric_entry {
    const char *key, *title;
    bool size; /* whether the metric is a size_t; otherwise, the metric is a percentage */
    size_t offset;
} metrics[] = {
    {"reference", "counts in the reference", true, METRIC(actual_count)},
    {"new", "counts in the new report", true, METRIC(sampled_count)},
    {"missed", "missed by the new report", true, METRIC(missed)},
    {"foreign", "not in the reference", true, METRIC(foreign)},
    {"error_average", "average error, %", false, METRIC(error_average)},
    {"error_max", "largest error, %", false, METRIC(error_most)},
    {"overlap", "overlap, %", false, METRIC(overlap)},
};
#define METRICS (sizeof metrics / sizeof *metrics)

static char *metric_cell(const struct metric_entry *metric, const struct events_accuracy *a)
{
    const char *at = (const char *)a + metric->offset;
    return metric->size ? memory_format("%zu", *(const size_t *)at)
                        : memory_format("%.4f", *(const double *)at);
}

static void write_csv(const struct result *r, FILE *to)
{
    fputs("analysis,rate", to);
    for (size_t i = 0; i < METRICS; i++)
        fprintf(to, ",%s", metrics[i].key);
    fprintf(to, "\n%s,%g", r->comparison.joined.tables.analysis, r->accuracy.rate);
    for (size_t i = 0; i < METRICS; i++) {
        char *cell = metric_cell(&metrics[i], &r->accuracy);
        fprintf(to, ",%s", cell);
        free(cell);
    }
    putc('\n', to);
}

static void write_metrics(const struct result *r, FILE *to)
{
    static const struct table_column heads[] = {{"metric", "metric", true},
                                                {"value", "value", false}};
    struct table table = {.columns = heads, .column_count = 2};
    table_add_text(&table, "sampled, %");
    table_add(&table, memory_format("%g", 100 * r->accuracy.rate));
    for (size_t i = 0; i < METRICS; i++) {
        table_add_text(&table, metrics[i].title);
        table_add(&table, metric_cell(&metrics[i], &r->accuracy));
    }
    fprintf(to, "analysis: %s\n\n", r->comparison.joined.tables.analysis);
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

/* The error of a pair, as a number of events. */
static double difference(const struct events_pair *pair, double rate)
{
    return fabs((double)pair->actual - (double)pair->sampled / rate);
}

static int by_difference(const void *left, const void *right, void *user)
{
    const struct result *r = user;
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    double da = difference(&r->comparison.pairs.at[a], r->accuracy.rate);
    double db = difference(&r->comparison.pairs.at[b], r->accuracy.rate);
    if (da != db)
        return da > db ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void write_pair(const struct result *r, const struct events_pair *pair, struct table *table)
{
    const struct events_report *tables = &r->comparison.joined.tables;
    const struct events_row *row = &r->comparison.joined.rows.at[pair->row].row;
    double error = events_pair_error(pair, r->accuracy.rate);
    table_add_number(table, pair->actual);
    table_add(table, memory_format("%.0f", (double)pair->sampled / r->accuracy.rate));
    table_add(table, isinf(error) ? memory_copy_string("new") : memory_format("%.2f", error));
    table_add_text(table, tables->kind->count_names[pair->column]);
    for (size_t i = 0; i < events_key_cells(tables->kind); i++)
        table_add(table, events_key_cell(tables, row, i, true));
}

static void write_pairs(const struct result *r, const size_t *order, size_t count, FILE *to)
{
    const struct analysis_rows *kind = r->comparison.joined.tables.kind;
    struct table_column heads[6] = {{"reference", "reference", false},
                                    {"estimate", "estimate", false},
                                    {"error", "error, %", false},
                                    {"what", "what", true}};
    struct table table = {.columns = heads, .column_count = 4 + events_key_cells(kind)};
    for (size_t i = 0; i < events_key_cells(kind); i++)
        heads[4 + i] =
            (struct table_column){kind->key_names[i], kind->key_names[i], kind->routines};
    for (size_t i = 0; i < count; i++)
        write_pair(r, &r->comparison.pairs.at[order[i]], &table);
    table_write_text(&table, to, table_may_style(to));
    table_free(&table);
}

/* Returns the pairs that differ, the largest difference first. The caller frees the list. */
static size_t *find_differences(struct result *r, size_t *count)
{
    size_t *order = memory_get_zeroed(r->comparison.pairs.count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < r->comparison.pairs.count; i++) {
        if (difference(&r->comparison.pairs.at[i], r->accuracy.rate) > 0)
            order[(*count)++] = i;
    }
    if (*count)
        qsort_r(order, *count, sizeof *order, by_difference, r);
    return order;
}

static void write_differences(struct result *r, FILE *to)
{
    size_t count;
    size_t *order = find_differences(r, &count);
    size_t shown = common_top(&r->settings->common, DIFF_TOP_DEFAULT, count);
    fprintf(to, "\n%zu counts differ%s\n", count, count ? "; the largest differences:" : "");
    if (count)
        write_pairs(r, order, shown, to);
    free(order);
    if (isfinite(r->settings->limits.rise_most))
        fprintf(to, "\n%zu counts rose by more than %g%%\n", count_rises(r),
                r->settings->limits.rise_most);
}

static const char *count_name(const struct result *r, const struct events_pair *pair)
{
    return r->comparison.joined.tables.kind->count_names[pair->column];
}

/* The key of a pair: its cells, separated by commas. The caller frees the text. */
static char *key_words(const struct result *r, const struct events_pair *pair)
{
    const struct events_report *tables = &r->comparison.joined.tables;
    const struct events_row *row = &r->comparison.joined.rows.at[pair->row].row;
    char *key;
    size_t bytes;
    FILE *to = memory_stream(&key, &bytes);
    for (size_t i = 0; i < events_key_cells(tables->kind); i++) {
        char *cell = events_key_cell(tables, row, i, false);
        fprintf(to, "%s%s", i ? ", " : "", cell);
        free(cell);
    }
    fclose(to);
    return key;
}

static void json_difference(struct json *json, const struct result *r,
                            const struct events_pair *pair)
{
    char *key = key_words(r, pair);
    json_open_compact(json, NULL, '{');
    json_number(json, "reference", pair->actual);
    json_real(json, "new", (double)pair->sampled / r->accuracy.rate);
    json_text(json, "count", count_name(r, pair));
    json_text(json, "what", key);
    json_close(json);
    free(key);
}

static void json_metrics(struct json *json, const struct events_accuracy *a)
{
    json_open(json, "metrics", '[');
    json_open(json, NULL, '{');
    json_real(json, "rate", a->rate);
    for (size_t i = 0; i < METRICS; i++) {
        const char *at = (const char *)a + metrics[i].offset;
        if (metrics[i].size)
            json_number(json, metrics[i].key, *(const size_t *)at);
        else
            json_real(json, metrics[i].key, *(const double *)at);
    }
    json_close(json);
    json_close(json);
}

static void write_json(struct result *r, FILE *to)
{
    size_t count;
    size_t *order = find_differences(r, &count);
    size_t shown = common_top(&r->settings->common, 0, count);
    struct json json = json_open_document(to, "aprof-compare-1");
    json_text(&json, "analysis", r->comparison.joined.tables.analysis);
    json_metrics(&json, &r->accuracy);
    json_open(&json, "differences", '[');
    for (size_t i = 0; i < shown; i++)
        json_difference(&json, r, &r->comparison.pairs.at[order[i]]);
    json_close(&json);
    json_close(&json);
    free(order);
}

static void write_result(struct result *r, FILE *to)
{
    if (r->settings->format == DIFF_CSV) {
        write_csv(r, to);
        return;
    }
    events_resolve(&r->comparison.joined.tables, &r->settings->common);
    if (r->settings->format == DIFF_JSON) {
        write_json(r, to);
        return;
    }
    write_metrics(r, to);
    write_differences(r, to);
}

static void add_rise(const struct result *r, const struct events_pair *pair, struct gate *gate)
{
    char *key = key_words(r, pair);
    gate_add_rise(gate, key, count_name(r, pair), (double)pair->actual,
                  (double)pair->sampled / r->accuracy.rate);
    free(key);
}

static void add_rises(struct result *r, struct gate *gate)
{
    size_t count;
    size_t *order = find_differences(r, &count);
    events_resolve(&r->comparison.joined.tables, &r->settings->common);
    for (size_t i = 0; i < count; i++) {
        if (is_rise(r, &r->comparison.pairs.at[order[i]]))
            add_rise(r, &r->comparison.pairs.at[order[i]], gate);
    }
    gate_finish_counts(gate, r->comparison.pairs.count, r->settings->limits.rise_most);
    free(order);
}

/* For the commands ----------------------------------------------------------------------------- */

const char *events_compare_wrong(const void *settings)
{
    const struct diff_settings *s = settings;
    if (s->rate_percent != DIFF_RATE_NOT_GIVEN && !(s->rate_percent > 0 && s->rate_percent <= 100))
        return "--rate must be a percentage above 0";
    if (s->scale && s->rate_percent > 0)
        return "--scale and --rate exclude each other";
    return NULL;
}

int events_compare(const struct diff_settings *settings, const char *base, const char *now,
                   FILE *to, struct failure *why)
{
    struct result result = {.settings = settings};
    bool good = compare(&result, base, now, why);
    int status = good && is_within(&result) ? DIFF_WITHIN : good ? DIFF_BEYOND : DIFF_FAILED;
    if (good)
        write_result(&result, to);
    events_comparison_free(&result.comparison);
    return status;
}

bool events_gate(struct gate *gate, const struct diff_settings *settings, const char *base,
                 const char *now, struct failure *why)
{
    struct result result = {.settings = settings};
    bool good = compare(&result, base, now, why);
    if (good)
        add_rises(&result, gate);
    events_comparison_free(&result.comparison);
    return good;
}
