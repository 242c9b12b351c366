/* The data of a page about one report; see page_data.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/page/page_data.h"

#include "lib/page/page_code.h"
#include "lib/report/report_contexts.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"
#include "lib/growth/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Fitting the power law takes as long as fitting all growth classes together. Therefore the power
 * law is fitted only for routines with at least this share of self cost, in percent. */
#define POWER_SHARE 0.1

/* The growth of a routine is not computed if both its self cost and its total cost are below these
 * shares, in percent. Most routines are below these shares, and computing the growth takes most of
 * the time. */
#define OWN_NEGLIGIBLE   0.05
#define TOTAL_NEGLIGIBLE 0.5

#define CONTEXT_SHARE   0.1
#define CONTEXT_CALLERS 12 /* maximum number of callers in a context's text */

/* Maximum bytes of a routine's displayed name: in a wide table and in sentences, in a table with
 * all columns, and on a phone. */
static const size_t name_bytes[] = {60, 29, 17};

#define BLOCK_BYTES 3 /* base64 converts three bytes into four letters */

enum curve_kind { CURVE_WORST, CURVE_AVERAGE, CURVE_DEARER, CURVE_CHEAPER };

typedef VECTOR(unsigned char) byte_list;

/* Points --------------------------------------------------------------------------------------- */

static void pack_number(byte_list *bytes, u128 number)
{
    for (; number > 0x7f; number >>= 7)
        vector_push(bytes, (unsigned char)(number | 0x80));
    vector_push(bytes, (unsigned char)number);
}

static void pack_point(byte_list *bytes, const struct report_point *p, uint64_t input_before)
{
    pack_number(bytes, p->input - input_before);
    pack_number(bytes, p->calls);
    pack_number(bytes, p->cost_min);
    pack_number(bytes, p->cost_max);
    pack_number(bytes, p->cost_sum);
    pack_number(bytes, p->self_sum);
    pack_number(bytes, p->induced_thread);
    pack_number(bytes, p->induced_external);
}

static void append_base64(struct page_points *points, enum report_metric metric, byte_list *bytes)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (bytes->count % BLOCK_BYTES)
        vector_push(bytes, 0); /* padding; ignored, because the page knows the number of points */
    for (size_t i = 0; i < bytes->count; i += BLOCK_BYTES) {
        const unsigned char *b = &bytes->at[i];
        unsigned group = (unsigned)b[0] << 16 | (unsigned)b[1] << 8 | b[2];
        for (int shift = 18; shift >= 0; shift -= 6)
            vector_push(&points->text[metric], letters[group >> shift & 0x3f]);
    }
}

/* Appends the points of a profile to the packed text; returns their position in this text. */
static size_t append_points(struct page_points *points, const struct report *r,
                            const struct report_profile *profile, enum report_metric metric)
{
    const struct report_point *p = profile_points(r, profile, metric);
    size_t begin = points->text[metric].count;
    byte_list bytes = {0};
    for (size_t i = 0; i < profile->count[metric]; i++)
        pack_point(&bytes, &p[i], i > 0 ? p[i - 1].input : 0);
    append_base64(points, metric, &bytes);
    vector_free(&bytes);
    return begin;
}

void page_points_free(struct page_points *points)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        vector_free(&points->text[m]);
}

/* Curves --------------------------------------------------------------------------------------- */

/* Writes NAN instead of R^2 for a constant curve, because R^2 is meaningless for constants. */
static void write_fit(struct json *json, const struct growth_curve *fit, double n_max)
{
    char *formula = growth_formula(fit, n_max);
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, fit->class);
    json_real(json, NULL, fit->a);
    json_real(json, NULL, fit->b);
    json_real(json, NULL, fit->c);
    json_real(json, NULL, fit->class == GROWTH_CONSTANT ? NAN : fit->r_squared);
    json_real(json, NULL, fit->sigma);
    json_text(json, NULL, formula);
    json_close(json);
    free(formula);
}

static void write_power(struct json *json, const struct growth_fit *g)
{
    if (!g->power.usable) {
        json_number(json, NULL, 0);
        return;
    }
    json_open_compact(json, NULL, '[');
    json_real(json, NULL, g->power.c);
    json_real(json, NULL, g->c_low);
    json_real(json, NULL, g->c_high);
    json_close(json);
}

static void write_curve(struct json *json, enum curve_kind kind, const struct growth_fit *g)
{
    char *words = growth_words(g);
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, kind);
    json_number(json, NULL, g->verdict);
    json_number(json, NULL, g->sizes);
    json_real(json, NULL, g->n_min);
    json_real(json, NULL, g->n_max);
    json_text(json, NULL, words);
    json_number(json, NULL, g->class);
    if (growth_is_known(g)) {
        write_fit(json, growth_best(g), g->n_max);
        write_fit(json, growth_rival(g), g->n_max);
        json_real(json, NULL, growth_rival(g)->aicc - growth_best(g)->aicc);
        json_number(json, NULL, g->pattern != GROWTH_PATTERN_RANDOM);
        write_power(json, g);
    }
    json_close(json);
    free(words);
}

static void write_curves(struct json *json, const struct routine_growth *g)
{
    size_t branches = g->branches.count;
    json_open_compact(json, NULL, '[');
    write_curve(json, CURVE_AVERAGE, &g->average);
    for (size_t i = branches; branches > 1 && i-- > 0;)
        write_curve(json, i + 1 == branches ? CURVE_DEARER : CURVE_CHEAPER,
                    &g->branches.branch[i].fit);
    if (branches < 2)
        write_curve(json, CURVE_WORST, &g->worst);
    json_close(json);
}

/* A number as text: "3.1", "13". The caller frees the text. */
static char *times_words(double times)
{
    return memory_format("%.*f", times < 9.95 ? 1 : 0, times);
}

/* The claim in words, as in "n: 8 n; 10 x the input costs 10 x (8 to 13); validated up to 1657", or
 * the reason for no claim. The caller frees the text. */
static char *claim_answer(const struct growth_claim *claim)
{
    char *words = growth_claim_or_trend_brief(claim), *answer;
    if (growth_is_claimed(claim)) {
        char *formula = growth_terms_words(&claim->terms, claim->n_max);
        bool validated = claim->basis == GROWTH_BASIS_VALIDATED;
        char *times = times_words(claim->times), *low = times_words(claim->times_low),
             *high = times_words(claim->times_high);
        char *later = claim->times > 0 ? memory_format("; %g x the input costs %s x (%s to %s)",
                                                       GROWTH_TIMES, times, low, high)
                                       : memory_copy_string("");
        answer = memory_format("%s: %s%s; %s up to %.0f", words, formula, later,
                               validated ? "validated" : "little scatter", claim->n_max);
        free(formula);
        free(later);
        free(times);
        free(low);
        free(high);
    } else {
        char *reason = growth_claim_reason(claim);
        answer = memory_format("%s: %s", words, reason);
        free(reason);
    }
    free(words);
    return answer;
}

/* Writes the claimed curve, and the sizes that support the claim. */
static void write_claimed_curve(struct json *json, const struct growth_claim *claim)
{
    json_open_compact(json, NULL, '[');
    if (growth_is_claimed(claim)) {
        json_number(json, NULL, claim->terms.f);
        json_number(json, NULL, claim->terms.g);
        json_real(json, NULL, claim->terms.a);
        json_real(json, NULL, claim->terms.b);
        json_real(json, NULL, claim->terms.c);
        json_real(json, NULL, claim->n_min);
        json_real(json, NULL, claim->n_max);
    }
    json_close(json);
}

/* Writes the claim, its position in a sorted list, its evidence, the complete answer, and the
 * curve. */
static void write_claim(struct json *json, const struct growth_claim *claim)
{
    char *words = growth_claim_or_trend_brief(claim), *reason = growth_claim_reason(claim);
    char *answer = claim_answer(claim);
    int rank =
        growth_is_claimed(claim) ? (int)claim->last : (int)claim->basis - GROWTH_BASIS_NARROW;
    json_open_compact(json, NULL, '[');
    json_text(json, NULL, words);
    json_real(json, NULL, rank);
    json_text(json, NULL, reason);
    json_text(json, NULL, answer);
    write_claimed_curve(json, claim);
    json_close(json);
    free(words);
    free(reason);
    free(answer);
}

/* Writes a substitute for the claims and curves of a routine with negligible cost; the page lists
 * such routines last. */
static void write_negligible(struct json *json)
{
    for (int claim = 0; claim < 2; claim++) {
        json_open_compact(json, NULL, '[');
        json_text(json, NULL, "negligible");
        json_real(json, NULL, (int)GROWTH_BASIS_FEW - GROWTH_BASIS_NARROW - 1);
        json_text(json, NULL, "the routine's share of the cost is too small to analyse its growth");
        json_text(json, NULL,
                  "negligible: the routine's share of the cost is too small to analyse its growth");
        json_open_compact(json, NULL, '[');
        json_close(json);
        json_close(json);
    }
    json_open_compact(json, NULL, '[');
    json_close(json);
}

static bool is_negligible(const struct report *r, const struct report_profile *profile)
{
    return summary_percent(profile->cost_self, r->totals.cost) < OWN_NEGLIGIBLE &&
           summary_percent(profile->cost_total, r->totals.cost) < TOTAL_NEGLIGIBLE;
}

/* Rows ----------------------------------------------------------------------------------------- */

static void add_growth(const struct report *r, enum report_metric metric, struct summary *s)
{
    summary_add_growth(r, metric, s);
    if (summary_percent(s->profile->cost_self, r->totals.cost) >= POWER_SHARE)
        routine_growth_add_powers(r, s->profile, metric, &s->growth);
}

static bool same_points(const struct report *r, const struct report_profile *profile)
{
    size_t count = profile->count[METRIC_TRMS];
    return count > 0 && count == profile->count[METRIC_RMS] &&
           memcmp(profile_points(r, profile, METRIC_TRMS), profile_points(r, profile, METRIC_RMS),
                  count * sizeof(struct report_point)) == 0;
}

/* `other` is the growth by the other metric, or NULL. Most routines have no induced input, so their
 * growth by both metrics is equal; `other` is then copied, not computed again. */
static void write_growth(struct json *json, const struct report *r, enum report_metric metric,
                         struct summary *s, const struct summary *other)
{
    if (is_negligible(r, s->profile)) {
        write_negligible(json);
        return;
    }
    if (other && same_points(r, s->profile))
        s->growth = other->growth;
    else
        add_growth(r, metric, s);
    write_claim(json, &s->growth.worst_claim);
    write_claim(json, &s->growth.average_claim);
    write_curves(json, &s->growth);
}

static void write_metric_row(struct json *json, const struct report *r, enum report_metric metric,
                             struct summary *s, const struct summary *other, size_t block)
{
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, s->input);
    json_number(json, NULL, s->input_max);
    json_number(json, NULL, s->cost_worst);
    json_number(json, NULL, s->trms_input);
    json_number(json, NULL, s->induced_thread);
    json_number(json, NULL, s->induced_external);
    json_number(json, NULL, s->points);
    json_number(json, NULL, block);
    write_growth(json, r, metric, s, other);
    json_close(json);
}

/* Contexts with less than CONTEXT_SHARE percent of the cost are omitted, because a report may have
 * millions of contexts. */
static bool context_is_shown(const struct report *r, const struct report_context *context)
{
    return context->profile.calls > 0 &&
           summary_percent(context->profile.cost_total, r->totals.cost) >= CONTEXT_SHARE;
}

/* Writes the values of contexts, in the order of write_contexts(). */
static void write_metric_contexts(struct json *json, const struct report *r,
                                  enum report_metric metric, struct page_points *points)
{
    json_open(json, "contexts", '[');
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (!context_is_shown(r, context))
            continue;
        struct summary s = summary_of(r, &context->profile, metric);
        size_t block = append_points(points, r, &context->profile, metric);
        write_metric_row(json, r, metric, &s, NULL, block);
    }
    json_close(json);
}

/* Fills `list`, which is empty before the call, with the metric's summaries. `other` has the
 * summaries by the metric that was written before; NULL if this metric is the first. */
static void write_metric(struct json *json, const struct report *r, enum report_metric metric,
                         struct page_points *points, summary_list *list, const summary_list *other)
{
    summary_make(r, metric, list);
    json_open(json, metric_names[metric], '{');
    json_number(json, "totalInput", summary_total_input(list));
    json_open(json, "rows", '[');
    for (size_t i = 0; i < list->count; i++) {
        size_t block = append_points(points, r, list->at[i].profile, metric);
        write_metric_row(json, r, metric, &list->at[i], other ? &other->at[i] : NULL, block);
    }
    json_close(json);
    write_metric_contexts(json, r, metric, points);
    json_close(json);
}

static void write_metrics(struct json *json, const struct report *r, struct page_points *points)
{
    summary_list lists[METRIC_COUNT] = {0};
    json_open(json, "metrics", '{');
    for (int m = 0; m < METRIC_COUNT; m++) {
        bool has_other = m > 0 && lists[m - 1].count > 0;
        if (r->has_metric[m])
            write_metric(json, r, (enum report_metric)m, points, &lists[m],
                         has_other ? &lists[m - 1] : NULL);
    }
    json_close(json);
    for (int m = 0; m < METRIC_COUNT; m++)
        vector_free(&lists[m]);
}

/* Writes the short names of a routine; if a short name equals the previous, longer name, writes
 * "". */
static void write_short_names(struct json *json, const char *name)
{
    char *before = memory_copy_string(name);
    for (size_t i = 0; i < sizeof name_bytes / sizeof *name_bytes; i++) {
        char *brief = short_name(name, name_bytes[i]);
        json_text(json, NULL, strcmp(brief, before) == 0 ? "" : brief);
        free(before);
        before = brief;
    }
    free(before);
}

static void write_routine(struct json *json, const struct report *r,
                          const struct report_routine *routine)
{
    char offset[24];
    snprintf(offset, sizeof offset, "0x%" PRIx64, routine->offset);
    json_open_compact(json, NULL, '[');
    json_text(json, NULL, routine->name);
    json_text(json, NULL, routine->symbol);
    json_number(json, NULL, routine->object);
    json_text(json, NULL, routine->file);
    json_number(json, NULL, routine->line);
    json_text(json, NULL, offset);
    json_number(json, NULL, select_is_startup(r, routine));
    write_short_names(json, routine->name);
    json_close(json);
}

static void write_row(struct json *json, const struct report_profile *profile)
{
    json_open_compact(json, NULL, '[');
    json_number(json, NULL, profile->routine);
    json_number(json, NULL, profile->thread);
    json_number(json, NULL, profile->calls);
    json_number(json, NULL, profile->cost_total);
    json_number(json, NULL, profile->cost_self);
    json_close(json);
}

/* Writes the contexts: for each context, the row of its routine and its call path. */
static void write_contexts(struct json *json, const struct report *r)
{
    json_open(json, "contexts", '[');
    for (size_t i = 0; i < r->contexts.all.count; i++) {
        const struct report_context *context = &r->contexts.all.at[i];
        if (!context_is_shown(r, context))
            continue;
        char *words = context_words(r, context, CONTEXT_CALLERS);
        json_open_compact(json, NULL, '[');
        write_row(json, &context->profile);
        json_text(json, NULL, words);
        json_close(json);
        free(words);
    }
    json_close(json);
}

/* The whole report ----------------------------------------------------------------------------- */

static void write_totals(struct json *json, const struct totals *totals)
{
    json_open_compact(json, "totals", '{');
    json_number(json, "cost", totals->cost);
    json_number(json, "activations", totals->activations);
    json_number(json, "reads", totals->reads);
    json_number(json, "thread", totals->induced_thread);
    json_number(json, "external", totals->induced_external);
    json_close(json);
}

/* Writes for each object whether it is part of the system. */
static void write_foreign(struct json *json, const struct report *r)
{
    json_open_compact(json, "foreign", '[');
    for (size_t i = 0; i < r->objects.count; i++)
        json_bool(json, NULL, select_is_foreign(r, (uint32_t)i));
    json_close(json);
}

static void write_heading(struct json *json, const struct report *r, const char *name)
{
    char *process = report_process_words(r);
    json_text(json, "name", name);
    json_texts(json, "command", &r->command);
    json_text(json, "process", process);
    json_text(json, "arch", r->arch);
    json_text(json, "tool", r->tool);
    json_text(json, "end", r->end_reason);
    json_text(json, "cost", report_cost_words(r));
    json_number(json, "resolution", r->resolution_bytes);
    write_totals(json, &r->totals);
    json_texts(json, "objects", &r->objects);
    write_foreign(json, r);
    free(process);
}

void page_data_write(struct json *json, const struct report *r, const char *name,
                     const string_list *findings, const string_list *advice,
                     struct page_points *points)
{
    json_open(json, NULL, '{');
    write_heading(json, r, name);
    json_texts(json, "findings", findings);
    json_texts(json, "advice", advice);
    json_open(json, "routines", '[');
    for (size_t i = 0; i < r->routines.count; i++)
        write_routine(json, r, &r->routines.at[i]);
    json_close(json);
    json_open(json, "rows", '[');
    for (size_t i = 0; i < r->profiles.count; i++)
        write_row(json, &r->profiles.at[i]);
    json_close(json);
    write_contexts(json, r);
    write_metrics(json, r, points);
    page_code_write(json, r);
    json_close(json);
}

void page_data_write_classes(struct json *json)
{
    json_open_compact(json, "classes", '[');
    for (int i = 0; i < GROWTH_CLASS_COUNT; i++)
        json_text(json, NULL, growth_class_name((enum growth_class)i));
    json_text(json, NULL, "n^c");
    json_close(json);
}
