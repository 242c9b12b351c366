/* Shares against the size of the run; see scale_plot.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each column of gnuplot's data is one size: those of the runs, and the predicted one.
 *
 *     "append"          "parse"           "others"
 *     1000  0  1.5      1000  1.5  31     ...            size, and the share's lower and upper edge
 *     2000  0  4.5      2000  4.5  50
 */
#include "lib/export/scale_plot.h"
#include "lib/base/gnuplot.h"
#include "lib/export/plot.h"
#include "lib/base/short_name.h"

#include <math.h>

#define ROUTINES_DRAWN 7 /* as many colours as style.gp has; the others are grey */
#define NAME_BYTES     28

/* The share of a routine in a run, or, after the last run, in the predicted one. */
static double share_at(const struct scale *s, const struct scale_routine *r, size_t run)
{
    if (run == s->runs)
        return r->share_later;
    return s->total[run] > 0 ? 100 * r->cost[run] / s->total[run] : 0;
}

static double size_at(const struct scale *s, size_t run)
{
    return run < s->runs ? s->size[run] : s->size[s->runs - 1] * SCALE_TIMES;
}

/* Writes one layer upon `edge`, and moves that up. */
static void write_layer(const struct scale *s, const struct scale_routine *r, double *edge,
                        FILE *to)
{
    for (size_t run = 0; run <= s->runs; run++) {
        double above = r ? edge[run] + share_at(s, r, run) : 100;
        fprintf(to, "%.10g\t%.6g\t%.6g\n", size_at(s, run), edge[run], fmin(above, 100));
        edge[run] = fmin(above, 100);
    }
}

/* The routines with the highest predicted cost, the first at the bottom. */
static void write_layers(const struct scale *s, FILE *to)
{
    double edge[SCALE_RUNS + 1] = {0};
    size_t drawn = s->list.count < ROUTINES_DRAWN ? s->list.count : ROUTINES_DRAWN;
    for (size_t i = 0; i < drawn; i++) {
        const struct scale_routine *r = &s->list.at[i];
        char *brief = short_name(r->inlined ? r->inlined : scale_routine_name(r), NAME_BYTES);
        plot_start_block(to, brief, i == 0);
        write_layer(s, &s->list.at[i], edge, to);
        free(brief);
    }
    if (drawn == s->list.count)
        return;
    plot_start_block(to, "others", false);
    write_layer(s, NULL, edge, to);
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
    const char *arguments[] = {data.path, picture, title, label, "share of self cost (%)",
                               last,      NULL};
    write_layers(s, data.stream);
    bool good = gnuplot_data_finish(&data, why) && gnuplot_run("shares.gp", arguments, why) &&
                gnuplot_has_drawn(picture, why);
    gnuplot_data_remove(&data);
    free(title);
    free(label);
    free(last);
    return good;
}
