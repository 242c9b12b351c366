/* Describes where the cost of a routine's calls arises; see gate.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A broken bound names a routine, often a whole test case. To find the cause, the most expensive
 * callees are followed as long as a callee has more than half of the cost: test -> unique -> find.
 * For a test of Python, this path leads through the interpreter's functions: test -> PyObject_Call
 * -> ... -> test_pairs -> pairs.
 */
#include "lib/compare/gate.h"
#include "lib/report/code_view.h"
#include "lib/base/short_name.h"
#include "lib/growth/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#define SHARE_FOLLOWED 0.5
#define SHARE_HIDDEN   0.9
#define CALLEES_MOST   64 /* limit of followed callees: a longer chain is a recursion */

/* One step of the search: from a routine to the callee that has more than half of the routine's
 * cost. */
struct step {
    const struct report_profile *caller, *callee;
    struct code_neighbour call;
    double share; /* cost of the callee, as a part of the cost of the first routine */
};

typedef VECTOR(const struct report_profile *) profile_queue;

static const struct report_profile *profile_of(const struct report *r, uint32_t routine)
{
    for (size_t i = 0; i < r->profiles.count; i++) {
        if (r->profiles.at[i].routine == routine)
            return &r->profiles.at[i];
    }
    return NULL;
}

/* Makes the next step. Returns false if no callee, except the routine itself, has more than half of
 * the cost. */
static bool step_down(const struct report *r, struct step *step)
{
    const struct report_profile *from = step->callee;
    code_neighbours callees = {0};
    code_callees(r, from->routine, &callees);
    struct code_neighbour most = callees.count ? callees.at[0] : (struct code_neighbour){0};
    vector_free(&callees);
    double share = from->cost_total ? (double)most.cost / (double)from->cost_total : 0;
    if (share <= SHARE_FOLLOWED || most.routine == from->routine)
        return false;
    const struct report_profile *callee = profile_of(r, most.routine);
    if (!callee)
        return false;
    *step = (struct step){from, callee, most, step->share * fmin(share, 1)};
    return true;
}

/* The growth of a call, as the end of a sentence: "; one call grows by n log n". The text is empty
 * if no growth is claimed. */
static char *call_growth_words(const struct report *r, const struct report_profile *profile,
                               enum report_metric metric)
{
    struct routine_growth growth;
    routine_growth_analyse(r, profile, metric, &growth);
    if (!growth_is_claimed(&growth.worst_claim))
        return memory_copy_string("");
    char *class = growth_claim_words(&growth.worst_claim);
    char *words = memory_format("; one call grows by %s", class);
    free(class);
    return words;
}

static char *called_words(const struct report *r, const struct step *step,
                          enum report_metric metric)
{
    char *name = short_name(r->routines.at[step->callee->routine].name, SHORT_NAME_SENTENCE);
    char *caller = short_name(r->routines.at[step->caller->routine].name, SHORT_NAME_SENTENCE);
    char *place = code_place_words(r, step->call.place.file, step->call.place.line);
    char *growth = call_growth_words(r, step->callee, metric);
    bool has_place = step->call.place.file != REPORT_NONE;
    char *words = memory_format("%s: %.1f%% of the cost, called %" PRIu64 " times by %s%s%s%s",
                                name, 100 * step->share, step->call.calls, caller,
                                has_place ? " at " : "", has_place ? place : "", growth);
    free(name);
    free(caller);
    free(place);
    free(growth);
    return words;
}

/* Describes the routine's own code and its most expensive line. */
static char *self_words(const struct report *r, const struct report_profile *profile)
{
    code_lines lines = {0};
    code_lines_of(r, profile->routine, &lines);
    char *name = short_name(r->routines.at[profile->routine].name, SHORT_NAME_SENTENCE);
    char *place = lines.count ? code_place_words(r, lines.at[0].file, lines.at[0].line)
                              : memory_copy_string("?");
    char *words = memory_format("%s: %.1f%% of the cost is in its own code, most at %s", name,
                                summary_percent(profile->cost_self, profile->cost_total), place);
    vector_free(&lines);
    free(name);
    free(place);
    return words;
}

/* If a routine has several callers, the costs of its callees are known only for all callers
 * together. */
static bool is_only_caller(const struct step *step)
{
    return !step->caller ||
           (double)step->call.cost > SHARE_FOLLOWED * (double)step->callee->cost_total;
}

/* Appends to `found` those unvisited callees of the routine that have a total cost of at least
 * `least`. */
static void add_callees(const struct report *r, uint32_t routine, double least, bool *visited,
                        profile_queue *found)
{
    code_neighbours callees = {0};
    code_callees(r, routine, &callees);
    for (size_t i = 0; i < callees.count; i++) {
        uint32_t callee = callees.at[i].routine;
        const struct report_profile *profile = visited[callee] ? NULL : profile_of(r, callee);
        visited[callee] = true;
        if (profile && (double)profile->cost_total >= least)
            vector_push(found, profile);
    }
    vector_free(&callees);
}

/* If a routine, such as a function of an interpreter, has several callers, the report does not show
 * which callee works for which caller. But if a direct or indirect callee has exactly as many calls
 * as the step, and nearly the step's cost, this callee works for the step's caller. Returns the
 * most expensive callee that works for the step's caller, or NULL. */
static const struct report_profile *find_hidden(const struct report *r, const struct step *step)
{
    double least = SHARE_HIDDEN * (double)step->call.cost;
    bool *visited = memory_get_zeroed(r->routines.count, sizeof *visited);
    profile_queue found = {0};
    const struct report_profile *best = NULL;
    visited[step->caller->routine] = visited[step->callee->routine] = true;
    add_callees(r, step->callee->routine, least, visited, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct report_profile *profile = found.at[i];
        if (profile->calls == step->call.calls && profile->cost_total <= step->call.cost &&
            (!best || profile->cost_total > best->cost_total))
            best = profile;
        add_callees(r, profile->routine, least, visited, &found);
    }
    vector_free(&found);
    free(visited);
    return best;
}

static void follow(const struct report *r, struct step *step)
{
    for (int i = 0; i < CALLEES_MOST && is_only_caller(step) && step_down(r, step); i++)
        continue;
}

char *gate_cause_words(const struct report *r, const struct report_profile *profile,
                       enum report_metric metric)
{
    struct step step = {.callee = profile, .share = 1};
    follow(r, &step);
    const struct report_profile *hidden = is_only_caller(&step) ? NULL : find_hidden(r, &step);
    if (hidden) {
        step = (struct step){.callee = hidden, .share = step.share};
        follow(r, &step);
    }
    return step.caller ? called_words(r, &step, metric) : self_words(r, step.callee);
}
