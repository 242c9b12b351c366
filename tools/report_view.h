/* What `aprof report` shows: lines of a report, chosen and sorted, and how they are written.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * report_lines.c chooses and sorts, report_groups.c puts routines together, report_columns.c makes
 * the table, report_findings.c has what is said before it, report_advice.c what is said behind it,
 * report_explain.c and report_code.c what is told of one routine, and cmd_report.c the command.
 */
#ifndef TOOLS_REPORT_VIEW_H
#define TOOLS_REPORT_VIEW_H

#include "tools/common_options.h"
#include "lib/growth/summary.h"
#include "lib/base/table.h"

#include <stdio.h>

#define REPORT_TOP_DEFAULT   30 /* lines for people; scripts get all */
#define REPORT_CALLERS_SHOWN 8  /* behind a routine's name; tsv has all */

enum report_format { REPORT_TEXT, REPORT_TSV };
enum report_by { REPORT_BY_ROUTINE, REPORT_BY_CONTEXT, REPORT_BY_OBJECT, REPORT_BY_FILE };

/* Of all kinds of reports. */
struct report_settings {
    struct common_options common;
    int sort, format; /* of the kind's own keys and formats */
    const char *routine, *filter;
    int by; /* points, up to all_points */
    const char *object, *metric_name;
    bool threads, mine, all_points;
    bool tree, flat, inverted; /* contexts */
    unsigned long frames, depth;
    bool lines; /* paths */
};

#define REPORT_DEPTH_DEFAULT    5 /* levels of callers */
#define REPORT_FRAMES_NOT_GIVEN ((unsigned long)-1)
#define REPORT_SETTINGS                                                                            \
    ((struct report_settings){.common = COMMON_OPTIONS,                                            \
                              .frames = REPORT_FRAMES_NOT_GIVEN,                                   \
                              .depth = REPORT_DEPTH_DEFAULT})

/* Of `aprof report`, whatever the kind. */
extern const struct option_entry report_options[];

/* Several routines in one line. */
struct report_group {
    struct report_routine routine; /* stands for them: its name is what the line says */
    struct report_profile profile; /* their sums, without points; of routine REPORT_NONE */
    struct summary summary;
};

/* What may be shown, and where it stands: small, because there may be millions of contexts. */
struct report_line {
    const struct report_profile *profile; /* of a routine, of a context, or of a group */
    const struct report_routine *routine;
    double value;
};

/* What is shown, and what the shares refer to. */
struct report_view {
    const struct report_settings *settings;
    struct report *report; /* the caller's */
    enum report_metric metric;
    VECTOR(struct report_line) lines;
    VECTOR(struct report_group *) groups;
    size_t all;       /* lines before any were left out, or put together */
    u128 total_input; /* of all activations: the base of each routine's share of the input */
};

/* Ends with an entry without a name; the first is the default. */
struct report_sort_key {
    const char *name, *words;
    double (*value)(const struct summary *);
};
extern const struct report_sort_key report_sort_keys[];

/* Fills the lines from the report that was read, as the settings want them. */
bool report_view_make(struct report_view *view, struct failure *why);

void report_view_free(struct report_view *view);

/* With its growth. */
struct summary report_line_summary(const struct report_view *view, size_t index);

/* NULL: a line of one routine. */
const struct report_group *report_line_group(const struct report_line *line);

/* NULL: all activations of the routine, however called. */
const struct report_context *report_line_context(const struct report_view *view,
                                                 const struct report_line *line);

/* What a line is sorted by; s->growth is known if that is the key. */
struct report_line report_line_of(const struct report_view *view, const struct summary *s);

/* Puts the lines of each object, or file, together; or those of start-up alone. */
void report_group_lines(struct report_view *view);
void report_fold_startup(struct report_view *view);

/* Of some lines: their self cost, how much of it has a growth that is claimed, is of calls too
 * small to grow but many, is of calls that cost more than their input explains, and has too few
 * sizes. */
struct report_known {
    double cost, claimed, small, apart, few;
};

/* The table's cells, and what is known of its lines. */
struct report_table {
    struct table table;
    struct report_known known;
    struct table_column *heads; /* of the table, owned */
    const char **legend;        /* what each column means, NULL: nothing to say; owned */
    size_t width;               /* of a line; 0: as long as it is */
};

/* Makes the first lines' cells; with a width (0: none), leaves out the columns that matter least
 * and shortens names until they fit. */
void report_table_make(const struct report_view *view, size_t lines, size_t width,
                       struct report_table *table);
void report_table_free(struct report_table *table);

/* The first lines with all columns, for scripts. */
void report_write_tsv(const struct report_view *view, size_t lines, FILE *to);

/* What there is a line for: "routines and threads", say. */
const char *report_things(const struct report_view *view);

typedef VECTOR(char *) text_list;

/* Adds a line, with its growth, to what is known. */
void report_known_add(struct report_known *known, const struct summary *s);

/* What is known of the first `lines`. */
struct report_known report_known_of(const struct report_view *view, size_t lines);

/* Adds the sentences that stand before the table: where the cost is, by self cost, and for which
 * part of the first `lines` is known how it grows. The texts are the list's. */
void report_findings(const struct report_view *view, size_t lines, const struct report_known *known,
                     text_list *sentences);

/* Adds those that stand behind it: what hides much of the cost from the reader, and what to do. */
void report_advice(const struct report_view *view, const struct report_known *known,
                   text_list *sentences);

/* What the columns mean that are shown, and, if lines are of routines, how to learn more of one. */
void report_table_write_legend(const struct report_table *table, bool of_routines, FILE *to);

/* All that is known of one routine: what may be claimed of its growth, why, and its points. */
void report_explain(const struct report_view *view, const struct summary *s, FILE *to);

/* Its callers and callees, what is inlined into it, and its most expensive lines, as far as
 * recorded. */
void report_explain_code(const struct report_view *view, const struct summary *s, FILE *to);

/* What of a routine is worth telling unasked: "Inlined into main: insert (shop.cc:30), 93.1% of its
 * self cost."; NULL: nothing. The caller frees it. */
char *report_inlined_words(const struct report *report, const struct report_profile *profile);

#endif
