/* Plots costs and shares against the size of the run; see scale_plot.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each column of gnuplot's data belongs to one size: the sizes of the runs, and the predicted size.
 *
 *     "append"          "parse"           "others"
 *     1000  0  1.5  2e3     1000  1.5  31  4e4    ...    size, the share's lower and
 *                                                        upper edge, and the cost
 *     2000  0  4.5  8e3     2000  4.5  50  8e4
 */
#include "lib/export/scale_plot.h"
#include "lib/base/gnuplot.h"
#include "lib/export/plot.h"
#include "lib/base/short_name.h"

#include <math.h>

#define ROUTINES_DRAWN 7 /* number of routines with a colour in style.gp; other routines are grey */
#define NAME_BYTES     28

/* The share of a routine in run `k`; the index after the last run selects the predicted run. */
static double share_at(const struct scale *s, const struct scale_routine *r, size_t run)
{
    if (run == s->runs)
        return r->share_later;
    return s->total[run] > 0 ? 100 * r->cost[run] / s->total[run] : 0;
}

static double cost_at(const struct scale *s, const struct scale_routine *r, size_t run)
{
    return run == s->runs ? r->outlook.later : r->cost[run];
}

static double size_at(const struct scale *s, size_t run)
{
    return run < s->runs ? s->size[run] : s->size[s->runs - 1] * SCALE_TIMES;
}

/* Writes one layer of the stacked shares. The layer begins at `edge`; the function moves `edge` to
 * the layer's upper border. `cost` is the total cost minus the costs of the layers that were
 * already written. */
static void write_layer(const struct scale *s, const struct scale_routine *r, double *edge,
                        double *cost, FILE *to)
{
    for (size_t run = 0; run <= s->runs; run++) {
        double above = r ? edge[run] + share_at(s, r, run) : 100;
        double here = r ? cost_at(s, r, run) : cost[run];
        fprintf(to, "%.10g\t%.6g\t%.6g\t%.6g\n", size_at(s, run), edge[run], fmin(above, 100),
                fmax(here, 1));
        edge[run] = fmin(above, 100);
        cost[run] -= here;
    }
}

/* Writes the routines with the highest predicted cost, the most expensive routine at the bottom. */
static void write_layers(const struct scale *s, FILE *to)
{
    double edge[SCALE_RUNS + 1] = {0}, cost[SCALE_RUNS + 1];
    for (size_t run = 0; run <= s->runs; run++)
        cost[run] = run == s->runs ? s->total_later : s->total[run];
    size_t drawn = s->list.count < ROUTINES_DRAWN ? s->list.count : ROUTINES_DRAWN;
    for (size_t i = 0; i < drawn; i++) {
        const struct scale_routine *r = &s->list.at[i];
        char *brief = short_name(r->inlined ? r->inlined : scale_routine_name(r), NAME_BYTES);
        plot_start_block(to, brief, i == 0);
        write_layer(s, &s->list.at[i], edge, cost, to);
        free(brief);
    }
    if (drawn == s->list.count)
        return;
    plot_start_block(to, "others", false);
    write_layer(s, NULL, edge, cost, to);
}

bool scale_plot_draw(const struct scale *s, const char *program, const char *picture,
                     struct failure *why)
{
    struct gnuplot_data data;
    if (!gnuplot_may_write(picture, why) || !gnuplot_data_create(&data, why))
        return false;
    char *title = memory_format("%s: cost by routine, measured and predicted", program);
    char *label = memory_format("size of the run (%s)", s->axis);
    char *last = memory_format("%.10g", s->size[s->runs - 1]);
    char *unit =
        memory_format("self cost (%s)", s->list.count ? s->list.at[0].report->cost_unit : "");
    const char *arguments[] = {data.path, picture, title, label, "share of self cost (%)",
                               last,      unit,    NULL};
    write_layers(s, data.stream);
    bool good = gnuplot_data_finish(&data, why) && gnuplot_run("shares.gp", arguments, why) &&
                gnuplot_has_drawn(picture, why);
    gnuplot_data_remove(&data);
    free(title);
    free(label);
    free(last);
    free(unit);
    return good;
}
