/* Writes gnuplot's data for each kind of picture; see plot.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The data are blocks of columns for the scripts in scripts/. Each block begins with its name in
 * quotes.
 */
#include "lib/export/plot.h"
#include "lib/report/select.h"
#include "lib/base/control.h"
#include "lib/growth/routine_growth.h"
#include "lib/base/short_name.h"
#include "lib/growth/summary.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Number of points of a fitted curve; enough for a smooth line at any width. */
#define CURVE_STEPS    200
#define BAR_NAME_BYTES 28

/* A growth function is not drawn if its ratio to the costs varies by more than this factor. Such a
 * function would compress the others into one line. For example, if n^2 fits, the ratio for 2^n can
 * vary by a factor of 10^250. */
#define RATIO_MOST 1e6

/* Blocks --------------------------------------------------------------------------------------- */

/* gnuplot reads a quoted name in one line, so quotes and line breaks in it are replaced. */
static void write_name(FILE *to, const char *name)
{
    putc('"', to);
    while (*name) {
        if (*name == '"') {
            putc('\'', to);
            name++;
        } else {
            control_put(&name, ' ', to);
        }
    }
    putc('"', to);
}

void plot_start_block(FILE *to, const char *name, bool first)
{
    fputs(first ? "" : "\n\n", to);
    write_name(to, name);
    putc('\n', to);
}

/* The name of a report in the picture's key: its program, and its file if several reports are of
 * one program. The caller frees the name. */
static char *report_label(const struct plot_request *q, size_t index)
{
    const struct report *r = &q->reports[index];
    const char *program = short_path(r->command.at[0]);
    for (size_t i = 0; i < q->report_count; i++) {
        if (i != index && strcmp(short_path(q->reports[i].command.at[0]), program) == 0)
            return memory_format("%s (%s)", program, short_path(r->path));
    }
    return memory_copy_string(program);
}

/* Points of one routine ------------------------------------------------------------------------ */

typedef VECTOR(struct report_point) point_vector;

static const struct report_profile *find_profile(const struct report *r, uint32_t routine)
{
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (r->profiles.at[i].routine == routine)
            return &r->profiles.at[i];
    }
    return NULL;
}

/* The number of the group that an input size belongs to. */
static unsigned long group_of(const struct plot_request *q, double n, double n_min, double n_max)
{
    double part = q->log_x ? log(fmax(n, 1) / fmax(n_min, 1)) / log(fmax(n_max, 2) / fmax(n_min, 1))
                           : (n - n_min) / (n_max - n_min);
    unsigned long group = (unsigned long)(fmax(part, 0) * (double)q->groups);
    return group < q->groups ? group : q->groups - 1;
}

/* Merges the points of each group into one point. The input size of this point is the mean over the
 * group's activations. */
static void group_points(const struct plot_request *q, point_vector *points)
{
    size_t kept = 0;
    double n_min = (double)points->at[0].input;
    double n_max = (double)points->at[points->count - 1].input;
    for (size_t i = 0, next; i < points->count; i = next) {
        struct report_point sum = points->at[i];
        double inputs = (double)sum.input * (double)sum.calls;
        unsigned long group = group_of(q, (double)sum.input, n_min, n_max);
        for (next = i + 1; next < points->count; next++) {
            const struct report_point *p = &points->at[next];
            if (group_of(q, (double)p->input, n_min, n_max) != group)
                break;
            inputs += (double)p->input * (double)p->calls;
            point_add(&sum, p);
        }
        sum.input = (uint64_t)llround(inputs / (double)sum.calls);
        points->at[kept++] = sum;
    }
    points->count = kept;
}

static void routine_points(const struct plot_request *q, enum report_metric metric,
                           point_vector *points)
{
    const struct report *r = q->reports;
    const struct report_profile *profile = find_profile(r, q->routine);
    for (size_t i = 0; profile && i < profile->count[metric]; i++)
        vector_push(points, profile_points(r, profile, metric)[i]);
    if (q->groups > 0 && points->count > 1 &&
        points->at[0].input < points->at[points->count - 1].input)
        group_points(q, points);
}

static double worst_of(const struct report_point *p)
{
    return (double)p->cost_max;
}

static double best_of(const struct report_point *p)
{
    return (double)p->cost_min;
}

static double mean_of(const struct report_point *p)
{
    return (double)p->cost_sum / (double)p->calls;
}

static double calls_of(const struct report_point *p)
{
    return (double)p->calls;
}

static double total_of(const struct report_point *p)
{
    return (double)p->cost_sum;
}

static double variance_of(const struct report_point *p)
{
    double mean = mean_of(p);
    return fmax((double)p->cost_squares / (double)p->calls - mean * mean, 0);
}

static int by_number(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* If the largest number is at least this many times the median, the axis is logarithmic, because
 * most points would overlap on a linear axis.
 */
#define LOG_RANGE 100.0

/* If one axis is logarithmic, this limit replaces LOG_RANGE for the other axis. */
#define LOG_RANGE_BOTH 10.0

/* Sorts the numbers and returns the largest divided by the median. The result is 0 if any number is
 * 0 or negative, because a logarithmic axis cannot show it. */
static double range_of(double *numbers, size_t count)
{
    if (count == 0)
        return 0;
    qsort(numbers, count, sizeof *numbers, by_number);
    return numbers[0] > 0 ? numbers[count - 1] / numbers[count / 2] : 0;
}

const char *plot_choose_log(const struct plot_request *q)
{
    static const char *const axes[] = {"", "x", "y", "xy"};
    if (!q->kind->of_routine || !q->kind->y_is_cost || q->kind->both_metrics)
        return "";
    point_vector points = {0};
    routine_points(q, q->metric, &points);
    double *n = memory_get_zeroed(points.count + 1, sizeof *n);
    double *cost = memory_get_zeroed(points.count + 1, sizeof *cost);
    for (size_t i = 0; i < points.count; i++) {
        n[i] = (double)points.at[i].input;
        cost[i] = points.at[i].cost_min > 0 ? worst_of(&points.at[i]) : 0;
    }
    double x_range = range_of(n, points.count), y_range = range_of(cost, points.count);
    bool any = x_range > LOG_RANGE || y_range > LOG_RANGE;
    bool x = any && x_range > LOG_RANGE_BOTH, y = any && y_range > LOG_RANGE_BOTH;
    free(n);
    free(cost);
    vector_free(&points);
    return axes[x + 2 * y];
}

static bool write_points(const struct plot_request *q, FILE *to, const char *name,
                         double (*value)(const struct report_point *))
{
    point_vector points = {0};
    routine_points(q, q->metric, &points);
    plot_start_block(to, name, true);
    for (size_t i = 0; i < points.count; i++)
        fprintf(to, "%" PRIu64 "\t%.10g\n", points.at[i].input, value(&points.at[i]));
    bool any = points.count > 0;
    vector_free(&points);
    return any;
}

/* Writes the claimed curve, over the sizes that support the claim. Curves without validation are
 * not drawn, because users would assume that they are validated. */
static void write_claim(FILE *to, const struct growth_claim *claim)
{
    if (!growth_is_claimed(claim))
        return;
    char *formula = growth_terms_words(&claim->terms, claim->n_max);
    char *name = memory_format("fit: %s", formula);
    plot_start_block(to, name, false);
    for (int step = 0; step <= CURVE_STEPS; step++) {
        double n = claim->n_min + (claim->n_max - claim->n_min) * step / CURVE_STEPS;
        fprintf(to, "%.10g\t%.10g\n", n, growth_terms_value(&claim->terms, n));
    }
    free(formula);
    free(name);
}

static void write_fit(const struct plot_request *q, FILE *to, enum growth_costs costs)
{
    struct growth_claim claim;
    const struct report_profile *profile = find_profile(q->reports, q->routine);
    struct growth_points points = routine_growth_points(q->reports, profile, q->metric, costs);
    growth_claim_make(&claim, points.n, points.cost, points.weight, points.count, NULL);
    write_claim(to, &claim);
    growth_points_free(&points);
}

static bool write_worst(const struct plot_request *q, FILE *to)
{
    if (!write_points(q, to, "worst case", worst_of))
        return false;
    write_fit(q, to, GROWTH_WORST);
    return true;
}

static bool write_average(const struct plot_request *q, FILE *to)
{
    if (!write_points(q, to, "average", mean_of))
        return false;
    write_fit(q, to, GROWTH_AVERAGE);
    return true;
}

static bool write_best(const struct plot_request *q, FILE *to)
{
    if (!write_points(q, to, "best case", best_of))
        return false;
    write_fit(q, to, GROWTH_BEST);
    return true;
}

static bool write_workload(const struct plot_request *q, FILE *to)
{
    return write_points(q, to, "activations", calls_of);
}

static bool write_total(const struct plot_request *q, FILE *to)
{
    return write_points(q, to, "total cost", total_of);
}

static bool write_variance(const struct plot_request *q, FILE *to)
{
    return write_points(q, to, "variance", variance_of);
}

/* Writes the mean cost of all activations up to each size. */
static bool write_amortized(const struct plot_request *q, FILE *to)
{
    point_vector points = {0};
    double cost = 0, calls = 0;
    routine_points(q, q->metric, &points);
    plot_start_block(to, "amortised cost", true);
    for (size_t i = 0; i < points.count; i++) {
        cost += (double)points.at[i].cost_sum;
        calls += (double)points.at[i].calls;
        fprintf(to, "%" PRIu64 "\t%.10g\n", points.at[i].input, cost / calls);
    }
    bool any = points.count > 0;
    vector_free(&points);
    return any;
}

/* The ratio of a point's cost T(n) to the growth function H(n), relative to this ratio at the
 * largest size; 0 if it is not defined. */
static double ratio_of(const point_vector *points, size_t index, enum growth_class class)
{
    const struct report_point *p = &points->at[index], *last = &points->at[points->count - 1];
    double value = growth_class_value(class, (double)p->input), t = worst_of(last);
    double part = value / growth_class_value(class, (double)last->input);
    return part > 0 && t > 0 ? worst_of(p) / t / part : 0;
}

static bool is_near(const point_vector *points, enum growth_class class)
{
    for (size_t i = 0; i < points->count; i++) {
        double ratio = ratio_of(points, i, class);
        if (ratio > RATIO_MOST || (ratio > 0 && ratio < 1 / RATIO_MOST))
            return false;
    }
    return growth_class_value(class, (double)points->at[points->count - 1].input) < DBL_MAX;
}

/* Writes the ratios of cost to growth function, for the fitted class and its neighbouring
 * classes. */
static bool write_ratio(const struct plot_request *q, FILE *to)
{
    point_vector points = {0};
    struct routine_growth growth;
    const struct report_profile *profile = find_profile(q->reports, q->routine);
    routine_points(q, q->metric, &points);
    if (points.count == 0)
        return false;
    routine_growth_analyse(q->reports, profile, q->metric, &growth);
    bool fitted = growth.worst.verdict != GROWTH_FEW_POINTS, first = true;
    int middle = fitted ? (int)growth.worst.class : (int)GROWTH_LINEAR;
    for (int c = middle > 2 ? middle - 2 : 0; c < GROWTH_CLASS_COUNT && c <= middle + 2; c++) {
        if (c != middle && !is_near(&points, (enum growth_class)c))
            continue;
        plot_start_block(to, growth_class_name((enum growth_class)c), first);
        first = false;
        for (size_t i = 0; i < points.count; i++) {
            double ratio = ratio_of(&points, i, (enum growth_class)c);
            if (ratio > 0)
                fprintf(to, "%" PRIu64 "\t%.10g\n", points.at[i].input, ratio);
        }
    }
    vector_free(&points);
    return true;
}

/* Writes the curves of figure 7 of the paper on trms: rms; trms without thread input; trms. For
 * each trms size, only the sum of the thread input is known, not the value of each activation.
 * Therefore the middle curve is drawn at the mean, which lies between the other two curves. */
static bool write_variants(const struct plot_request *q, FILE *to)
{
    point_vector rms = {0}, trms = {0};
    routine_points(q, METRIC_RMS, &rms);
    routine_points(q, METRIC_TRMS, &trms);
    plot_start_block(to, "rms", true);
    for (size_t i = 0; i < rms.count; i++)
        fprintf(to, "%" PRIu64 "\t%" PRIu64 "\n", rms.at[i].input, rms.at[i].cost_max);
    plot_start_block(to, "trms, external input only", false);
    for (size_t i = 0; i < trms.count; i++) {
        double again = (double)trms.at[i].thread_again / (double)trms.at[i].calls;
        fprintf(to, "%.10g\t%" PRIu64 "\n", (double)trms.at[i].input - again, trms.at[i].cost_max);
    }
    plot_start_block(to, "trms", false);
    for (size_t i = 0; i < trms.count; i++)
        fprintf(to, "%" PRIu64 "\t%" PRIu64 "\n", trms.at[i].input, trms.at[i].cost_max);
    bool any = rms.count > 0 && trms.count > 0;
    vector_free(&rms);
    vector_free(&trms);
    return any;
}

/* All routines of reports ---------------------------------------------------------------------- */

/* The induced input of a routine, for pictures that compare routines. */
struct routine_induced {
    const char *name;
    size_t report;
    /* thread input and external input, in percent of the routine's input */
    double thread, external;
    double thread_share; /* thread input in percent of the routine's induced input */
    double richness, volume;
};

typedef VECTOR(struct routine_induced) induced_list;

static struct routine_induced routine_induced(const struct report *r,
                                              const struct report_profile *profile)
{
    const struct report_point *points = profile_points(r, profile, METRIC_TRMS);
    u128 thread = 0, external = 0, trms = profile_input(r, profile, METRIC_TRMS);
    u128 rms = profile_input(r, profile, METRIC_RMS);
    double trms_sizes = (double)profile->count[METRIC_TRMS];
    double rms_sizes = (double)profile->count[METRIC_RMS];
    for (size_t i = 0; i < profile->count[METRIC_TRMS]; i++) {
        thread += points[i].induced_thread;
        external += points[i].induced_external;
    }
    return (struct routine_induced){
        .name = r->routines.at[profile->routine].name,
        .thread = summary_percent(thread, trms),
        .external = summary_percent(external, trms),
        .thread_share = summary_percent(thread, thread + external),
        .richness = rms_sizes > 0 ? (trms_sizes - rms_sizes) / rms_sizes : 0,
        .volume = trms > 0 && rms < trms ? 100 - summary_percent(rms, trms) : 0,
    };
}

/* Appends the routines of a report. */
static void add_induced(const struct plot_request *q, size_t report, induced_list *list)
{
    const struct report *r = &q->reports[report];
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (q->mine && select_is_foreign(r, r->routines.at[r->profiles.at[i].routine].object))
            continue;
        struct routine_induced one = routine_induced(r, &r->profiles.at[i]);
        one.report = report;
        vector_push(list, one);
    }
}

static int by_induced(const void *a, const void *b)
{
    const struct routine_induced *left = a, *right = b;
    double one = left->thread + left->external, other = right->thread + right->external;
    if (one != other)
        return one > other ? -1 : 1;
    int order = strcmp(left->name, right->name);
    return order ? order : left->report < right->report ? -1 : 1;
}

/* Writes figure 9 of the paper on trms: a bar for each routine. The first bar is for the routine
 * with the largest induced part. If there are several reports, the name of a routine contains the
 * name of its report. */
static bool write_induced(const struct plot_request *q, FILE *to)
{
    induced_list list = {0};
    for (size_t i = 0; i < q->report_count; i++)
        add_induced(q, i, &list);
    if (list.count)
        qsort(list.at, list.count, sizeof *list.at, by_induced);
    for (size_t i = 0; i < list.count; i++) {
        char *brief = short_name(list.at[i].name, BAR_NAME_BYTES);
        char *label = q->report_count > 1 ? report_label(q, list.at[i].report) : NULL;
        char *both = memory_format(label ? "%s, %s" : "%s", brief, label);
        write_name(to, both);
        free(both);
        free(label);
        free(brief);
        fprintf(to, "\t%.6g\t%.6g\n", list.at[i].external, list.at[i].thread);
    }
    bool any = list.count > 0;
    vector_free(&list);
    return any;
}

static int descending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left > right ? -1 : left < right;
}

/* Writes figures 15, 16, 18 and 19 of the paper on trms: a point (x, y) means that x % of a
 * report's routines have at least the value y. */
static bool write_curves(const struct plot_request *q, FILE *to,
                         double (*value)(const struct routine_induced *))
{
    induced_list list = {0};
    bool first = true;
    for (size_t i = 0; i < q->report_count; i++) {
        list.count = 0;
        add_induced(q, i, &list);
        if (list.count == 0)
            continue;
        double *values = memory_resize(NULL, list.count, sizeof *values);
        for (size_t k = 0; k < list.count; k++)
            values[k] = value(&list.at[k]);
        qsort(values, list.count, sizeof *values, descending);
        char *label = report_label(q, i);
        plot_start_block(to, label, first);
        free(label);
        first = false;
        for (size_t k = 0; k < list.count; k++)
            fprintf(to, "%.6g\t%.6g\n", 100.0 * (double)k / (double)list.count, values[k]);
        fprintf(to, "100\t%.6g\n", values[list.count - 1]);
        free(values);
    }
    vector_free(&list);
    return !first;
}

static double richness_value(const struct routine_induced *i)
{
    return i->richness;
}

static double volume_value(const struct routine_induced *i)
{
    return i->volume;
}

static double thread_value(const struct routine_induced *i)
{
    return i->thread_share;
}

static double external_value(const struct routine_induced *i)
{
    return i->thread + i->external > 0 ? 100 - i->thread_share : 0;
}

static bool write_richness(const struct plot_request *q, FILE *to)
{
    return write_curves(q, to, richness_value);
}

static bool write_volume(const struct plot_request *q, FILE *to)
{
    return write_curves(q, to, volume_value);
}

static bool write_thread_induced(const struct plot_request *q, FILE *to)
{
    return write_curves(q, to, thread_value);
}

static bool write_external(const struct plot_request *q, FILE *to)
{
    return write_curves(q, to, external_value);
}

struct program_induced {
    char *name;
    double thread;
};

static int by_thread(const void *a, const void *b)
{
    const struct program_induced *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread > right->thread ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Writes figure 17 of the paper on trms: the part of a run's induced first accesses that other
 * threads caused. */
static bool write_induced_summary(const struct plot_request *q, FILE *to)
{
    struct program_induced *all = memory_get_zeroed(q->report_count, sizeof *all);
    size_t count = 0;
    for (size_t i = 0; i < q->report_count; i++) {
        const struct totals *t = &q->reports[i].totals;
        u128 induced = (u128)t->induced_thread + t->induced_external;
        if (induced > 0)
            all[count++] = (struct program_induced){report_label(q, i),
                                                    summary_percent(t->induced_thread, induced)};
    }
    if (count)
        qsort(all, count, sizeof *all, by_thread);
    for (size_t i = 0; i < count; i++) {
        write_name(to, all[i].name);
        fprintf(to, "\t%.6g\t%.6g\n", 100 - all[i].thread, all[i].thread);
        free(all[i].name);
    }
    free(all);
    return count > 0;
}

/* The kinds ------------------------------------------------------------------------------------ */

const struct plot_kind plot_kinds[] = {
    {"worst", "cost.gp", true, false, "", NULL, "worst-case cost", true, NULL, write_worst},
    {"average", "cost.gp", true, false, "", NULL, "average cost", true, NULL, write_average},
    {"best", "cost.gp", true, false, "", NULL, "best-case cost", true, NULL, write_best},
    {"workload", "cost.gp", true, false, ": workload", NULL, "activations", false, "impulses",
     write_workload},
    {"total", "cost.gp", true, false, "", NULL, "total cost of each size", true, NULL, write_total},
    {"variance", "cost.gp", true, false, "", NULL, "variance of the cost", true, NULL,
     write_variance},
    {"amortized", "cost.gp", true, false, "", NULL, "mean cost up to each size", true, NULL,
     write_amortized},
    {"ratio", "ratio.gp", true, false, ": ratio of worst-case cost to growth functions", NULL,
     "T(n) / H(n), 1 at the largest size", false, NULL, write_ratio},
    {"variants", "variants.gp", true, true, "", NULL, "worst-case cost", true, NULL,
     write_variants},
    {"induced", "induced.gp", false, false, "Induced input of each routine",
     "routines, by decreasing induced input", "part of the input (%)", false, NULL, write_induced},
    {"richness", "curves.gp", false, true, "Profile richness of trms over rms", "routines (%)",
     "(sizes by trms - sizes by rms) / sizes by rms", false, NULL, write_richness},
    {"volume", "curves.gp", false, true, "Input volume of trms over rms", "routines (%)",
     "1 - rms / trms (%)", false, NULL, write_volume},
    {"induced-summary", "induced.gp", false, false, "Induced first accesses", "",
     "part of induced first accesses (%)", false, NULL, write_induced_summary},
    {"thread-induced", "curves.gp", false, false, "Thread-induced input", "routines (%)",
     "thread-induced part of induced input (%)", false, NULL, write_thread_induced},
    {"external", "curves.gp", false, false, "External input", "routines (%)",
     "external part of induced input (%)", false, NULL, write_external},
    {0},
};
