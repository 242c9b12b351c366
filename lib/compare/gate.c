/* What stands in the way of a change; see gate.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/gate.h"
#include "lib/load/report_set.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

const struct gate_rule_words gate_rules[GATE_RULES] = {
    [GATE_COST] = {"total-cost", "The program costs no more than the base, for the same work."},
    [GATE_ROUTINE] = {"worse-routine", "No routine is worse than in the base."},
    [GATE_BOUND] = {"broken-bound", "Every routine keeps its declared bound."},
    [GATE_NO_ROUTINE] = {"bound-without-routine", "Every declared bound matches a routine."},
};

static struct gate_finding *add(struct gate *g, enum gate_rule rule, enum gate_level level,
                                const char *subject, const struct report_routine *routine,
                                char *message)
{
    struct gate_finding finding = {.rule = rule,
                                   .level = level,
                                   .subject = subject,
                                   .file = routine ? routine->file : "",
                                   .line = routine ? routine->line : 0,
                                   .message = message};
    g->levels[level]++;
    vector_push(&g->findings, finding);
    return &g->findings.at[g->findings.count - 1];
}

/* The base ------------------------------------------------------------------------------------- */

static char *longer(char *words, char *more)
{
    char *both = *words ? memory_format("%s, %s", words, more) : memory_copy_string(more);
    free(words);
    free(more);
    return both;
}

static char *with_change(char *words, const char *what, double ratio)
{
    if (ratio <= 0 || (ratio > 0.999 && ratio < 1.001))
        return words;
    return longer(words, ratio >= 10 ? memory_format("%s x%.1f", what, ratio)
                                     : memory_format("%s %+.1f%%", what, 100 * (ratio - 1)));
}

/* "self cost x32.0, calls +0.0%, worst case n -> n^2" */
static char *routine_words(const struct compare_routine *c)
{
    char *words = memory_copy_string("");
    words = with_change(words, "self cost", c->own_ratio);
    words = with_change(words, "calls", c->calls_ratio);
    words = with_change(words, "input", c->input_ratio);
    words = with_change(words, "cost at equal sizes", c->cost_ratio);
    if (c->base.routine && c->new.routine) {
        char *base = routine_growth_worst_words(&c->base.growth);
        char *new = routine_growth_worst_words(&c->new.growth);
        if (strcmp(base, new) != 0)
            words = longer(words, memory_format("worst case %s -> %s", base, new));
        free(base);
        free(new);
    } else {
        words =
            longer(words, memory_format("%s with %.1f%% of the cost",
                                        c->new.routine ? "appeared" : "vanished",
                                        c->new.routine ? c->new.total_share : c->base.total_share));
    }
    return words;
}

static void ask_base(struct gate *g)
{
    const struct comparison *c = &g->comparison;
    if (c->total_ratio > 0) {
        bool worse = c->total_ratio > 1 + c->limits.threshold;
        add(g, GATE_COST, worse ? GATE_FAILED : GATE_PASSED,
            c->new.command.count ? short_path(c->new.command.at[0]) : "program", NULL,
            memory_format("costs %+.1f%%: %" PRIu64 ", was %" PRIu64, 100 * (c->total_ratio - 1),
                          c->new.totals.cost, c->base.totals.cost));
    }
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compare_routine *r = &c->list.at[i];
        const struct report_routine *routine = r->new.routine ? r->new.routine : r->base.routine;
        if (r->verdict == COMPARE_SAME)
            continue;
        char *words = routine_words(r);
        add(g, GATE_ROUTINE, r->verdict == COMPARE_WORSE ? GATE_FAILED : GATE_NOTE, routine->name,
            routine, memory_format("%s: %s", compare_verdict_names[r->verdict], words));
        free(words);
    }
}

/* Bounds --------------------------------------------------------------------------------------- */

static enum gate_level level_of(enum bound_answer answer, bool strict)
{
    if (answer == BOUND_KEPT)
        return GATE_PASSED;
    return answer == BOUND_BROKEN || strict ? GATE_FAILED : GATE_NOTE;
}

static void ask_routine(struct gate *g, const struct bound *bound,
                        const struct report_profile *profile, bool strict)
{
    static const char *const answers[] = {"kept", "broken", "unknown"};
    const struct report *r = &g->comparison.new;
    const struct report_routine *routine = &r->routines.at[profile->routine];
    struct bound_result result;
    bound_check(bound, r, profile, g->comparison.metric, &result);
    char *from = result.from ? memory_format(" from n = %" PRIu64 " on", result.from->input)
                             : memory_copy_string("");
    struct gate_finding *finding =
        add(g, GATE_BOUND, level_of(result.answer, strict), routine->name, routine,
            memory_format("bound %s %s%s: measured %s", bound->words, answers[result.answer], from,
                          result.measured));
    finding->bound = bound;
    finding->result = result;
    free(from);
}

static void ask_bound(struct gate *g, const struct bound *bound, const struct gate_options *o)
{
    const struct report *r = &g->comparison.new;
    bool found = false;
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (!select_matches(&r->routines.at[r->profiles.at[i].routine], bound->pattern))
            continue;
        found = true;
        ask_routine(g, bound, &r->profiles.at[i], o->strict);
    }
    if (!found)
        add(g, GATE_NO_ROUTINE, o->allow_missing ? GATE_NOTE : GATE_FAILED, bound->pattern, NULL,
            memory_format("bound %s: matches no routine of the report", bound->words))
            ->bound = bound;
}

/* The gate ------------------------------------------------------------------------------------- */

static bool read_reports(struct gate *g, const char *report, const struct gate_options *o,
                         struct failure *why)
{
    struct comparison *c = &g->comparison;
    if (o->base)
        return comparison_make(c, o->base, report, &o->comparison, why);
    if (!report_set_read(report, &c->new, why) ||
        !report_choose_metric(&c->new, o->comparison.metric_name, &c->metric, why))
        return false;
    report_merge_threads(&c->new);
    return true;
}

bool gate_pass(struct gate *g, const char *report, const struct gate_options *o,
               struct failure *why)
{
    if ((o->bounds && !bounds_read(&g->bounds, o->bounds, why)) || !read_reports(g, report, o, why))
        return false;
    ask_base(g);
    for (size_t i = 0; i < g->bounds.list.count; i++)
        ask_bound(g, &g->bounds.list.at[i], o);
    return true;
}

void gate_free(struct gate *g)
{
    for (size_t i = 0; i < g->findings.count; i++) {
        free(g->findings.at[i].message);
        bound_result_free(&g->findings.at[i].result);
    }
    vector_free(&g->findings);
    bounds_free(&g->bounds);
    comparison_free(&g->comparison);
}
