/* Findings that block a change; see gate.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/gate.h"
#include "lib/compare/compare_words.h"
#include "lib/load/report_set.h"
#include "lib/report/report_regions.h"
#include "lib/report/select.h"
#include "lib/base/short_name.h"
#include "lib/base/source.h"

#include <inttypes.h>
#include <string.h>

const struct gate_rule_words gate_rules[GATE_RULES] = {
    [GATE_COST] = {"total-cost", "The program costs no more than the base, for the same work."},
    [GATE_ROUTINE] = {"worse-routine", "No routine is worse than in the base."},
    [GATE_BOUND] = {"broken-bound", "Every routine keeps its declared bound."},
    [GATE_NO_ROUTINE] = {"bound-without-routine", "Every declared bound matches a routine."},
    [GATE_COUNT] = {"risen-count", "No count rises by more than the threshold."},
};

static struct gate_finding *add(struct gate *g, enum gate_rule rule, enum gate_level level,
                                const char *subject, const struct report_routine *routine,
                                char *message)
{
    struct gate_finding finding = {.rule = rule,
                                   .level = level,
                                   .subject = subject,
                                   .file = routine ? source_relative(routine->file) : "",
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
    char *change = compare_change_words(ratio);
    words = longer(words, memory_format("%s %s", what, change));
    free(change);
    return words;
}

/* The changes of a routine as text: "self cost x32.0, calls +0.0%, worst case n -> n^2". */
static char *routine_words(const struct compare_routine *c)
{
    char *words = memory_copy_string("");
    words = with_change(words, "self cost", c->own_ratio);
    words = with_change(words, "calls", c->calls_ratio);
    words = with_change(words, "input", c->input_ratio);
    words = with_change(words, "cost at equal sizes", c->cost_ratio);
    if (c->base.routine && c->new.routine) {
        if (c->own_ratio > 0)
            words = with_change(words, "total cost", compare_total_ratio(c));
        char *growth = compare_growth_words(c);
        if (strstr(growth, " -> "))
            words = longer(words, memory_format("worst case %s", growth));
        free(growth);
    } else {
        words =
            longer(words, memory_format("%.1f%% of the cost",
                                        c->new.routine ? c->new.total_share : c->base.total_share));
    }
    return words;
}

static void add_detail(struct gate_finding *finding, char *words)
{
    if (words)
        vector_push(&finding->details, words);
}

/* Places the finding at the line with the largest rise of cost. If no line is known, the finding is
 * at the beginning of the routine. */
static void point_at_line(const struct comparison *c, const struct compare_routine *r,
                          struct gate_finding *finding)
{
    struct compare_line line = compare_risen_line(c, r);
    if (line.new == line.base || line.file == REPORT_NONE)
        return;
    const char *path = c->new.code.files.at[line.file];
    char *text = source_read(path);
    finding->file = source_relative(path);
    finding->line = line.line;
    finding->text = source_line(text, line.line);
    free(text);
}

static void add_routine(struct gate *g, const struct compare_routine *r)
{
    const struct comparison *c = &g->comparison;
    const struct report_routine *routine = r->new.routine ? r->new.routine : r->base.routine;
    bool worse =
        r->verdict == COMPARE_WORSE || (r->verdict == COMPARE_APPEARED && c->appeared_rise > 0);
    char *words = routine_words(r), *cause = compare_cause_words(r);
    char *name = r->inlined ? compare_name_words(r) : NULL;
    struct gate_finding *finding =
        add(g, GATE_ROUTINE, worse ? GATE_FAILED : GATE_NOTE, name ? name : routine->name, routine,
            memory_format("%s: %s", compare_verdict_names[r->verdict], words));
    finding->name = name;
    if (cause && r->is_cause)
        add_detail(finding,
                   memory_format("The increase begins in %s: %s", finding->subject, cause));
    else if (cause)
        add_detail(finding, memory_format("%s: %s", finding->subject, cause));
    if (worse) {
        add_detail(finding, compare_context_words(c, r));
        add_detail(finding, compare_call_words(c, r));
        add_detail(finding, compare_line_words(c, r));
        point_at_line(c, r, finding);
    }
    free(words);
    free(cause);
}

/* The routine at which the total cost is reported: main, or else the first changed routine with a
 * source file. */
static const struct report_routine *total_routine(const struct comparison *c)
{
    const struct report *r = &c->new;
    for (size_t i = 0; i < r->routines.count; i++) {
        if (strcmp(r->routines.at[i].symbol, "main") == 0 && *r->routines.at[i].file)
            return &r->routines.at[i];
    }
    for (size_t i = 0; i < c->list.count; i++) {
        const struct compare_routine *changed = &c->list.at[i];
        if (changed->verdict != COMPARE_SAME &&
            changed->new.routine && * changed->new.routine->file)
            return changed->new.routine;
    }
    return NULL;
}

static void ask_base(struct gate *g)
{
    const struct comparison *c = &g->comparison;
    if (c->total_ratio > 0) {
        bool worse = c->total_ratio > 1 + c->limits.threshold;
        add(g, GATE_COST, worse ? GATE_FAILED : GATE_PASSED,
            c->new.command.count ? short_path(c->new.command.at[0]) : "program", total_routine(c),
            memory_format("costs %+.1f%%: %" PRIu64 ", was %" PRIu64, 100 * (c->total_ratio - 1),
                          c->new.totals.cost, c->base.totals.cost));
    }
    for (size_t i = 0; i < c->list.count; i++) {
        if (c->list.at[i].verdict != COMPARE_SAME)
            add_routine(g, &c->list.at[i]);
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
    finding->routine = profile->routine;
    finding->bound = bound;
    finding->result = result;
    if (result.answer == BOUND_BROKEN && bound->kind == BOUND_GROWTH)
        add_detail(finding, gate_cause_words(r, profile, g->comparison.metric));
    free(from);
}

/* Whether the report has a region of this name. A bound for a region does not apply to functions of
 * the same name, such as the function of a benchmark. */
static bool names_region(const struct report *r, const char *name)
{
    for (uint32_t i = 0; i < r->routines.count; i++) {
        if (report_is_region(r, i) && strcmp(r->routines.at[i].symbol, name) == 0)
            return true;
    }
    return false;
}

static void ask_bound(struct gate *g, const struct bound *bound, const struct gate_options *o)
{
    const struct report *r = &g->comparison.new;
    bool found = false, is_region = names_region(r, bound->pattern);
    for (size_t i = 0; i < r->profiles.count; i++) {
        uint32_t routine = r->profiles.at[i].routine;
        if ((is_region && !report_is_region(r, routine)) ||
            !select_matches(&r->routines.at[routine], bound->pattern))
            continue;
        found = true;
        ask_routine(g, bound, &r->profiles.at[i], o->strict);
    }
    if (found)
        return;
    struct gate_finding *finding =
        add(g, GATE_NO_ROUTINE, o->allow_missing ? GATE_NOTE : GATE_FAILED, bound->pattern, NULL,
            memory_format("bound %s: matches no routine of the report", bound->words));
    finding->bound = bound;
    finding->line = bound->line;
    if (bound->line)
        finding->file = source_relative(o->bounds);
}

/* Counts --------------------------------------------------------------------------------------- */

void gate_start_counts(struct gate *g, const char *base, const char *report)
{
    g->is_of_counts = true;
    g->comparison.base.path = memory_copy_string(base);
    g->comparison.new.path = memory_copy_string(report);
}

void gate_add_rise(struct gate *g, const char *subject, const char *what, double base, double now)
{
    char *change =
        base > 0 ? memory_format(" (%+.1f%%)", 100 * (now / base - 1)) : memory_copy_string("");
    add(g, GATE_COUNT, GATE_FAILED,
        arena_copy(&g->comparison.new.strings, subject, strlen(subject)), NULL,
        memory_format("%.0f, was %.0f%s: %s", now, base, change, what));
    free(change);
}

void gate_finish_counts(struct gate *g, size_t counts, double threshold_percent)
{
    if (g->levels[GATE_FAILED] == 0)
        add(g, GATE_COUNT, GATE_PASSED, "all counts", NULL,
            memory_format("none of %zu counts rose by more than %g%%", counts, threshold_percent));
}

/* The gate ------------------------------------------------------------------------------------- */

static bool prepare_report(struct comparison *c, const struct gate_options *o, struct failure *why)
{
    if (!report_choose_metric(&c->new, o->comparison.metric_name, &c->metric, why))
        return false;
    report_merge_threads(&c->new);
    return true;
}

/* Costs of two architectures differ for equal sources, so the gate would fail or pass by chance. */
static bool is_of_one_arch(const struct comparison *c, struct failure *why)
{
    return !c->limits.other_arch ||
           failure_set(why,
                       "%s and %s cannot be compared: different architectures, %s and %s; use a "
                       "base report of %s",
                       c->base.path, c->new.path, c->base.arch, c->new.arch, c->new.arch);
}

static bool read_reports(struct gate *g, const char *report, const struct gate_options *o,
                         struct failure *why)
{
    struct comparison *c = &g->comparison;
    if (o->base)
        return comparison_make(c, o->base, report, &o->comparison, why) && is_of_one_arch(c, why);
    return report_set_read(report, &c->new, why) && prepare_report(c, o, why);
}

static void ask_bounds(struct gate *g, const struct gate_options *o)
{
    for (size_t i = 0; i < g->bounds.list.count; i++)
        ask_bound(g, &g->bounds.list.at[i], o);
}

bool gate_pass(struct gate *g, const char *report, const struct gate_options *o,
               struct failure *why)
{
    if ((o->bounds && !bounds_read(&g->bounds, o->bounds, why)) || !read_reports(g, report, o, why))
        return false;
    ask_base(g);
    ask_bounds(g, o);
    return true;
}

bool gate_verify(struct gate *g, struct report *report, const struct gate_options *o,
                 struct failure *why)
{
    g->comparison.new = *report;
    *report = (struct report){0};
    if (!prepare_report(&g->comparison, o, why))
        return false;
    ask_bounds(g, o);
    return true;
}

void gate_free(struct gate *g)
{
    for (size_t i = 0; i < g->findings.count; i++) {
        struct gate_finding *finding = &g->findings.at[i];
        for (size_t k = 0; k < finding->details.count; k++)
            free(finding->details.at[k]);
        vector_free(&finding->details);
        free(finding->message);
        free(finding->name);
        free(finding->text);
        bound_result_free(&g->findings.at[i].result);
    }
    vector_free(&g->findings);
    bounds_free(&g->bounds);
    comparison_free(&g->comparison);
}
