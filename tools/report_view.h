/* The lines that `aprof report` shows, selected and sorted, and the functions that write them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * report_lines.c selects and sorts lines. report_groups.c groups routines. report_columns.c makes
 * the table. report_findings.c makes the sentences before the table, and report_advice.c the
 * sentences after it. report_explain.c and report_code.c explain one routine. cmd_report.c is the
 * command.
 */
#ifndef TOOLS_REPORT_VIEW_H
#define TOOLS_REPORT_VIEW_H

#include "tools/common_options.h"
#include "lib/growth/summary.h"
#include "lib/base/table.h"

#include <stdio.h>

#define REPORT_TOP_DEFAULT   30 /* default number of lines of text; scripts get all lines */
#define REPORT_CALLERS_SHOWN 8  /* maximum callers after a routine's name; TSV has all callers */

enum report_by { REPORT_BY_ROUTINE, REPORT_BY_CONTEXT, REPORT_BY_OBJECT, REPORT_BY_FILE };

/* Settings for all kinds of reports. */
struct report_settings {
    struct common_options common;
    int sort, format; /* indices in two tables of the kind: of sort keys and of formats */
    const char *routine, *filter;
    int by; /* the members from `by` to `all_points` are only for points */
    const char *object, *metric_name;
    bool threads, mine, all_points;
    bool tree, flat, inverted; /* the members from `tree` to `depth` are only for contexts */
    unsigned long frames, depth;
    bool lines; /* for paths only */
};

#define REPORT_DEPTH_DEFAULT    5 /* default number of levels of callers */
#define REPORT_FRAMES_NOT_GIVEN ((unsigned long)-1)
#define REPORT_SETTINGS                                                                            \
    ((struct report_settings){.common = COMMON_OPTIONS,                                            \
                              .frames = REPORT_FRAMES_NOT_GIVEN,                                   \
                              .depth = REPORT_DEPTH_DEFAULT})

/* Options for `aprof report` of any kind. */
extern const struct option_entry report_options[];

/* Several routines in one line. */
struct report_group {
    struct report_routine routine; /* routine that gives the line its name */
    /* sums over all routines of the group, without points; the member `routine` is REPORT_NONE */
    struct report_profile profile;
    struct summary summary;
};

/* A line that may be shown. The struct is small, because there may be millions of contexts. */
struct report_line {
    const struct report_profile *profile; /* profile of a routine, a context or a group */
    const struct report_routine *routine;
    double value;
};

/* The displayed lines, and the total to which the shares of these lines refer. */
struct report_view {
    const struct report_settings *settings;
    struct report *report; /* owned by the caller */
    enum report_metric metric;
    VECTOR(struct report_line) lines;
    VECTOR(struct report_group *) groups;
    size_t all;       /* number of lines before some were omitted or grouped */
    u128 total_input; /* input of all activations: the base of each routine's share of the input */
};

/* The table ends with an entry without a name; the first entry is the default. */
struct report_sort_key {
    const char *name, *words;
    double (*value)(const struct summary *);
};
extern const struct report_sort_key report_sort_keys[];

/* Makes the lines of the report that the settings select. */
bool report_view_make(struct report_view *view, struct failure *why);

void report_view_free(struct report_view *view);

/* The summary of a line, with its growth. */
struct summary report_line_summary(const struct report_view *view, size_t index);

/* The group of a line; NULL if the line is one routine. */
const struct report_group *report_line_group(const struct report_line *line);

/* The context of a line; NULL means all activations of the routine, from any caller. */
const struct report_context *report_line_context(const struct report_view *view,
                                                 const struct report_line *line);

/* Makes the line with its sort key; if lines are sorted by growth, s->growth must be known. */
struct report_line report_line_of(const struct report_view *view, const struct summary *s);

/* Replaces the lines of each object or file, or only the lines of start-up, by one line. */
void report_group_lines(struct report_view *view);
void report_fold_startup(struct report_view *view);

#define REPORT_GAINS_NAMED 3

/* The self cost of some lines, divided into parts by what is known about the growth of each line.
 * The parts are: claimed growth; a trend; many calls with small inputs; calls that cost more than
 * their input explains; too few sizes. */
struct report_known {
    double cost, claimed, trend, small, apart, few;
    /* The most expensive routines with too few sizes. */
    const struct report_routine *gains[REPORT_GAINS_NAMED];
    size_t gain_sizes[REPORT_GAINS_NAMED], gain_count;
};

/* The table's cells, and data about its lines. */
struct report_table {
    struct table table;
    struct report_known known;
    struct table_column *heads; /* table headings, owned */
    const char **legend;        /* meaning of each column for the legend, or NULL; owned */
    size_t width;               /* maximum width of a line; 0: unlimited */
};

/* Makes the cells of the first `lines` lines. Omits the least important columns and shortens names
 * until a line fits `width` (0: unlimited). */
void report_table_make(const struct report_view *view, size_t lines, size_t width,
                       struct report_table *table);
void report_table_free(struct report_table *table);

/* Writes the first lines with all columns, for scripts. */
void report_write_separated(const struct report_view *view, size_t lines, FILE *to);
void report_write_json(const struct report_view *view, size_t lines, FILE *to);

/* The name of what the lines show, for example "routines and threads". */
const char *report_things(const struct report_view *view);

typedef VECTOR(char *) text_list;

/* Adds a line and its growth to the sums. */
void report_known_add(struct report_known *known, const struct summary *s);

/* Computes the sums over the first `lines` lines. */
struct report_known report_known_of(const struct report_view *view, size_t lines);

/* Adds the sentences before the table. These sentences name the routines with the highest self
 * costs, and how much of the cost of the first `lines` lines has known growth. The list owns the
 * texts. */
void report_findings(const struct report_view *view, size_t lines, const struct report_known *known,
                     text_list *sentences);

/* Adds the sentences after the table. These sentences name what makes the report incomplete, such
 * as code without names, and how to avoid it. */
void report_advice(const struct report_view *view, const struct report_known *known,
                   text_list *sentences);

/* Explains the displayed columns and, if lines are routines, how to get details about one
 * routine. */
void report_table_write_legend(const struct report_table *table, bool of_routines, FILE *to);

/* Explains one routine: the claims about its growth, the evidence for them, and its points. */
void report_explain(const struct report_view *view, const struct summary *s, FILE *to);

/* Shows the routine's callers, callees, inlined functions and most expensive lines, if recorded. */
void report_explain_code(const struct report_view *view, const struct summary *s, FILE *to);

/* A sentence about inlined functions, for example "Inlined into main: insert (shop.cc:30), 93.1% of
 * its self cost."; NULL if their cost is negligible. The caller frees the text. */
char *report_inlined_words(const struct report *report, const struct report_profile *profile);

#endif
