/* Descriptions of a changed routine; see compare_words.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/compare/compare_words.h"
#include "lib/report/code_view.h"
#include "lib/report/report_code.h"
#include "lib/report/report_contexts.h"
#include "lib/base/short_name.h"

#include <inttypes.h>
#include <string.h>

#define CALLERS_NAMED 8

char *compare_change_words(double ratio)
{
    if (ratio <= 0)
        return memory_copy_string("-");
    if (ratio >= 10)
        return memory_format("x%.1f", ratio);
    return memory_format("%+.1f%%", 100 * (ratio - 1));
}

char *compare_name_words(const struct compare_routine *c)
{
    char *routine = short_name(c->base.routine ? c->base.routine->name : c->new.routine->name,
                               SHORT_NAME_SENTENCE);
    if (!c->inlined)
        return routine;
    char *inlined = short_name(c->inlined, SHORT_NAME_SENTENCE);
    char *words = memory_format("%s (inlined in %s)", inlined, routine);
    free(inlined);
    free(routine);
    return words;
}

char *compare_growth_words(const struct compare_routine *c)
{
    if (c->inlined)
        return memory_copy_string("-");
    char *before = c->base.routine ? routine_growth_worst_words(&c->base.growth) : NULL;
    char *now = c->new.routine ? routine_growth_worst_words(&c->new.growth) : NULL;
    char *both = before && now && strcmp(before, now) == 0
                     ? memory_copy_string(before)
                     : memory_format("%s -> %s", before ? before : "-", now ? now : "-");
    free(before);
    free(now);
    return both;
}

/* Describes the new callee, and the change of growth that the callee caused. */
static char *replaced_words(const struct compare_routine *c)
{
    char *gained = short_name(c->gained.name, SHORT_NAME_SENTENCE);
    char *lost = short_name(c->lost.name, SHORT_NAME_SENTENCE);
    char *growth = compare_growth_words(c);
    bool changed = growth_is_claimed(&c->new.growth.worst_claim) && strstr(growth, " -> ");
    char *words = memory_format("%s%scalls %s instead of %s", changed ? growth : "",
                                changed ? ": " : "", gained, lost);
    free(gained);
    free(lost);
    free(growth);
    return words;
}

char *compare_cause_words(const struct compare_routine *c)
{
    if (!c->is_cause && !c->is_replaced)
        return NULL;
    char *times = compare_change_words(compare_total_ratio(c));
    char *what =
        c->is_replaced ? replaced_words(c) : memory_copy_string("about as many calls as before");
    char *words = memory_format("%s, total cost %s", what, times);
    free(what);
    free(times);
    return words;
}

/* Code ----------------------------------------------------------------------------------------- */

struct compare_call compare_risen_call(const struct comparison *comparison,
                                       const struct compare_routine *c)
{
    struct compare_call none = {0};
    if (c->is_cause)
        return compare_find_callee(&comparison->base, &comparison->new, c);
    if (c->calls_ratio > 1 + comparison->limits.threshold)
        return compare_find_caller(&comparison->base, &comparison->new, c);
    return none;
}

struct compare_line compare_risen_line(const struct comparison *comparison,
                                       const struct compare_routine *c)
{
    struct compare_line none = {0};
    double threshold = 1 + comparison->limits.threshold;
    if (!c->base.routine || !c->new.routine ||
        (double)c->new.cost_self <= threshold *(double)c->base.cost_self)
        return none;
    return compare_find_line(&comparison->base, &comparison->new, c);
}

char *compare_context_words(const struct comparison *comparison, const struct compare_routine *c)
{
    struct compare_context most = compare_find_context(&comparison->base, &comparison->new, c);
    if (!most.context)
        return NULL;
    char *context = context_words(&comparison->new, most.context, CALLERS_NAMED);
    char *words =
        memory_format("%s: self cost %" PRIu64 " -> %" PRIu64, context, most.base, most.new);
    free(context);
    return words;
}

char *compare_call_words(const struct comparison *comparison, const struct compare_routine *c)
{
    struct compare_call call = compare_risen_call(comparison, c);
    if (!call.other)
        return NULL;
    char *mine = short_name(c->new.routine->name, SHORT_NAME_SENTENCE);
    char *other = short_name(call.other->name, SHORT_NAME_SENTENCE);
    char *place = code_place_words(&comparison->new, call.place.file, call.place.line);
    char *words = memory_format("%s, called by %s at %s: calls %" PRIu64 " -> %" PRIu64
                                ", cost %" PRIu64 " -> %" PRIu64,
                                c->is_cause ? other : mine, c->is_cause ? mine : other, place,
                                call.base_calls, call.new_calls, call.base_cost, call.new_cost);
    free(mine);
    free(other);
    free(place);
    return words;
}

char *compare_line_words(const struct comparison *comparison, const struct compare_routine *c)
{
    struct compare_line line = compare_risen_line(comparison, c);
    if (line.new == line.base)
        return NULL;
    char *name = compare_name_words(c);
    char *place = code_place_words(&comparison->new, line.file, line.line);
    char *words = memory_format("%s: %s: self cost %" PRIu64 " -> %" PRIu64, name, place, line.base,
                                line.new);
    free(name);
    free(place);
    return words;
}
