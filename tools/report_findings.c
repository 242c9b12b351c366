/* The first sentences of `aprof report` and of the page of `aprof html`; see report_view.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/report_view.h"
#include "lib/base/short_name.h"

/* inlined functions are named for this number of lines at the top of the table */
#define INLINED_LINES 3
/* Inputs up to this number of cells are small. A routine with only small inputs should be expensive
 * only because of many calls. */
#define SMALL_INPUT 64
/* if the total is this many times the cost of the largest call, there are many calls */
#define MANY_CALLS 100
#define SAME_INPUT 2  /* inputs within this factor count as equal */
#define OTHER_COST 10 /* costs beyond this factor count as different */

const char *report_things(const struct report_view *view)
{
    static const char *const words[][2] = {
        [REPORT_BY_ROUTINE] = {"routines", "routines and threads"},
        [REPORT_BY_CONTEXT] = {"contexts", "contexts and threads"},
        [REPORT_BY_OBJECT] = {"objects", "objects and threads"},
        [REPORT_BY_FILE] = {"files", "files and threads"},
    };
    return words[view->settings->by][view->settings->threads];
}

static const char *singular(const struct report_view *view)
{
    static const char *const words[] = {
        [REPORT_BY_ROUTINE] = "routine",
        [REPORT_BY_CONTEXT] = "context",
        [REPORT_BY_OBJECT] = "object",
        [REPORT_BY_FILE] = "file",
    };
    return words[view->settings->by];
}

/* How many routines, counted from the highest self cost, are needed to cover half of the total; -1
 * if all routines together cover less. */
static long count_half(const struct report_view *view)
{
    double sum = 0, half = (double)view->report->totals.cost / 2;
    for (size_t i = 0; i < view->lines.count; i++) {
        sum += (double)view->lines.at[i].profile->cost_self;
        if (sum >= half)
            return (long)i + 1;
    }
    return -1;
}

/* Writes "insert is the most expensive routine: 41.0% self cost. 3 of 40 routines cover half of the
 * total." */
static char *leader_words(const struct report_view *view)
{
    const struct report_line *first = &view->lines.at[0];
    const char *what = report_things(view);
    long half = count_half(view);
    char *share =
        half == 1  ? memory_copy_string(", more than half of the total")
        : half > 0 ? memory_format(". %ld of %zu %s cover half of the total", half, view->all, what)
                   : memory_format(". All %s together cover less than half of the total", what);
    char *name = short_name(first->routine->name, SHORT_NAME_SENTENCE);
    char *words =
        memory_format("%s is the most expensive %s: %.1f%% self cost%s.", name, singular(view),
                      summary_percent(first->profile->cost_self, view->report->totals.cost), share);
    free(name);
    free(share);
    return words;
}

static char *growth_sentence(const struct report_view *view, size_t lines,
                             const struct report_known *known)
{
    char *which = lines < view->lines.count
                      ? memory_format(" of the %zu most expensive %s", lines, report_things(view))
                      : memory_copy_string("");
    double small = known->cost > 0 ? 100 * known->small / known->cost : 0;
    char *calls =
        small >= 0.5
            ? memory_format(
                  " %.0f%% of the cost is in routines whose inputs stay small (at most %u bytes): "
                  "they are expensive only because they are called often.",
                  small, SMALL_INPUT * view->report->resolution_bytes)
            : memory_copy_string("");
    double trend = known->cost > 0 ? 100 * known->trend / known->cost : 0;
    char *others = trend >= 0.5 ? memory_format("; for another %.0f%% there is a trend", trend)
                                : memory_copy_string("");
    char *words = memory_format(
        "Growth with input size is validated for %.0f%% of the cost%s%s.%s "
        "To predict larger runs, profile three sizes: aprof scale --run './app {}' 1000 2000 "
        "4000",
        known->cost > 0 ? 100 * known->claimed / known->cost : 0, which, others, calls);
    free(others);
    free(which);
    free(calls);
    return words;
}

/* Whether the most expensive call is a small part of the total, so that there must be many
 * calls. */
static bool is_many(const struct summary *s)
{
    return (double)s->cost_worst * MANY_CALLS <= (double)s->profile->cost_total;
}

/* Whether calls of nearly equal input differ much in cost. For example, a call may fill its own
 * array and sort it; it then reads only cells that it has written:
 *
 *     input  calls  least     most
 *         0     13   2902   507989      not 13 cheap calls: the cost does not depend on the input
 */
static bool is_apart(const struct summary *s)
{
    bool other_cost = (double)s->cost_worst >= OTHER_COST * (double)s->cost_least;
    bool same_input = (double)s->input_worst < SAME_INPUT * (double)s->input_least;
    return (s->input_max <= SMALL_INPUT || (other_cost && same_input)) && !is_many(s);
}

/* Adds a routine with large inputs but too few sizes to a list. A run with other sizes would show
 * the routine's growth. */
static void add_gain(struct report_known *known, const struct summary *s)
{
    known->few += (double)s->profile->cost_self;
    if (known->gain_count == REPORT_GAINS_NAMED)
        return;
    known->gains[known->gain_count] = s->routine;
    known->gain_sizes[known->gain_count++] = s->points;
}

void report_known_add(struct report_known *known, const struct summary *s)
{
    const struct growth_claim *claim = &s->growth.average_claim;
    double self = (double)s->profile->cost_self;
    known->cost += self;
    if (s->members)
        return;
    if (growth_is_claimed(claim))
        known->claimed += self;
    if (claim->trend.is_known)
        known->trend += self;
    if (growth_is_claimed(claim))
        return;
    if (is_apart(s))
        known->apart += self;
    else if (claim->far == 0 && claim->n_max <= SMALL_INPUT)
        known->small += self;
    else if (claim->basis == GROWTH_BASIS_FEW && !claim->trend.is_known)
        add_gain(known, s);
}

struct report_known report_known_of(const struct report_view *view, size_t lines)
{
    struct report_known known = {0};
    for (size_t i = 0; i < lines && i < view->lines.count; i++) {
        struct summary s = report_line_summary(view, i);
        report_known_add(&known, &s);
    }
    return known;
}

void report_findings(const struct report_view *view, size_t lines, const struct report_known *known,
                     text_list *sentences)
{
    if (view->lines.count == 0)
        return;
    vector_push(sentences, leader_words(view));
    /* Names functions that have no line in the table, because they were inlined into the most
     * expensive routines. */
    for (size_t i = 0; i < view->lines.count && i < INLINED_LINES; i++) {
        const struct report_line *line = &view->lines.at[i];
        char *words =
            report_line_group(line) ? NULL : report_inlined_words(view->report, line->profile);
        if (words)
            vector_push(sentences, words);
    }
    vector_push(sentences, growth_sentence(view, lines, known));
}
