/* Declared bounds of growth; see bounds.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/growth/bounds.h"
#include "lib/base/input.h"
#include "lib/growth/summary.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX (1 << 20)
#define ALLOWANCE      1.1 /* a point may be above the bound's curve by this factor */
#define EXCESS_MOST    5
#define EXPONENT_SLACK 0.02 /* tolerance for comparisons of exponents */

/* Reading -------------------------------------------------------------------------------------- */

/* Removes blanks, so that "n log n" and "nlogn" are equal. */
static void squeeze(const char *text, size_t bytes, char *to, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < bytes && length + 1 < room; i++) {
        if (!isspace((unsigned char)text[i]))
            to[length++] = (char)tolower((unsigned char)text[i]);
    }
    to[length] = 0;
}

static bool parse_class(const char *text, size_t bytes, struct bound *bound)
{
    char words[64], name[64], *end;
    squeeze(text, bytes, words, sizeof words);
    size_t length = strlen(words);
    if (length > 3 && words[0] == 'o' && words[1] == '(' && words[length - 1] == ')') {
        memmove(words, words + 2, length - 3);
        words[length - 3] = 0;
    }
    for (int i = 0; i < GROWTH_CLASS_COUNT; i++) {
        const char *known = growth_class_name((enum growth_class)i);
        squeeze(known, strlen(known), name, sizeof name);
        if (strcmp(words, name) == 0) {
            bound->class = i;
            return true;
        }
    }
    if (words[0] != 'n' || words[1] != '^' || !isdigit((unsigned char)words[2]))
        return false;
    bound->class = GROWTH_POWER;
    bound->exponent = strtod(words + 2, &end);
    return !*end;
}

/* Parses bounds of numbers: "calls 1000", "cost 5000", "cost 5%", "input 4096", "calls <= 1000". */
static bool parse_most(const char *text, size_t bytes, struct bound *bound)
{
    static const struct {
        const char *word;
        enum bound_kind kind;
    } known[] = {{"calls", BOUND_CALLS}, {"cost", BOUND_COST}, {"input", BOUND_INPUT}};
    char words[64], *end;
    squeeze(text, bytes, words, sizeof words);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i].word);
        if (strncmp(words, known[i].word, length) != 0)
            continue;
        const char *number = words + length + (strncmp(words + length, "<=", 2) == 0 ? 2 : 0);
        bound->kind = known[i].kind;
        bound->most = strtod(number, &end);
        if (bound->kind == BOUND_COST && *end == '%') {
            bound->kind = BOUND_SHARE;
            end++;
        }
        return isdigit((unsigned char)*number) && !*end;
    }
    return false;
}

static bool parse_bound(const char *text, size_t bytes, struct bound *bound)
{
    *bound = (struct bound){.kind = BOUND_GROWTH};
    return parse_class(text, bytes, bound) || parse_most(text, bytes, bound);
}

/* Whether the text has a TAB or two successive blanks, which separate a pattern from a bound. */
static bool has_gap(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\t' || (text[i] == ' ' && i + 1 < bytes && text[i + 1] == ' '))
            return true;
    }
    return false;
}

/* The bound is the longest suffix of the line that is a valid bound. The pattern precedes the
 * bound. A pattern with a gap is an error: in "square  n lgo n", the text after the gap is a
 * mistyped bound. */
static bool parse_line(struct bounds *bounds, const char *line, size_t bytes)
{
    struct bound bound;
    for (size_t i = 1; i < bytes; i++) {
        if (!isspace((unsigned char)line[i]) || isspace((unsigned char)line[i - 1]))
            continue;
        size_t start = i;
        while (start < bytes && isspace((unsigned char)line[start]))
            start++;
        if (start == bytes || !parse_bound(line + start, bytes - start, &bound))
            continue;
        if (has_gap(line, i))
            return false;
        bound.pattern = arena_copy(&bounds->strings, line, i);
        bound.words = arena_copy(&bounds->strings, line + start, bytes - start);
        vector_push(&bounds->list, bound);
        return true;
    }
    return false;
}

char *bounds_known_words(void)
{
    char *words = memory_copy_string("");
    for (int i = 0; i < GROWTH_CLASS_COUNT; i++) {
        char *longer = memory_format("%s%s, ", words, growth_class_name((enum growth_class)i));
        free(words);
        words = longer;
    }
    char *all = memory_format("%sn^K, calls N, cost N, cost N%%, input N", words);
    free(words);
    return all;
}

bool bounds_add(struct bounds *bounds, const char *line)
{
    return parse_line(bounds, line, strlen(line));
}

bool bounds_is_line(const struct bound *bound, const char *line)
{
    size_t pattern = strlen(bound->pattern), length = strlen(line), words = strlen(bound->words);
    return pattern + words < length && memcmp(line, bound->pattern, pattern) == 0 &&
           isspace((unsigned char)line[pattern]) &&
           strcmp(line + length - words, bound->words) == 0;
}

static bool refuse_line(const char *path, size_t number, struct failure *why)
{
    char *known = bounds_known_words();
    failure_set(why,
                "%s:%zu: expected PATTERN BOUND, or a comment that starts with #; bounds are: %s",
                path, number, known);
    free(known);
    return false;
}

static bool parse_text(struct bounds *bounds, const char *path, const char *text, size_t bytes,
                       struct failure *why)
{
    const char *end = text + bytes;
    for (size_t number = 1; text < end; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end, *next = newline ? newline + 1 : end;
        while (text < stop && isspace((unsigned char)*text))
            text++;
        while (stop > text && isspace((unsigned char)stop[-1]))
            stop--;
        if (text < stop && *text != '#' && !parse_line(bounds, text, (size_t)(stop - text)))
            return refuse_line(path, number, why);
        for (size_t i = bounds->list.count; i-- > 0 && !bounds->list.at[i].line;)
            bounds->list.at[i].line = (uint32_t)number;
        text = next;
    }
    return bounds->list.count > 0 || failure_set(why, "%s: no bounds in this file", path);
}

/* Explains to users who give a bound to the option --bound that it is an abbreviation of --bounds,
 * which takes a file. Returns false. */
static bool explain_missing(const char *path, struct failure *why)
{
    if (strchr(path, ' ') && access(path, F_OK) != 0)
        failure_set(why,
                    "%s: no such file; --bounds takes a file with PATTERN and BOUND in each line",
                    path);
    return false;
}

bool bounds_read(struct bounds *bounds, const char *path, struct failure *why)
{
    struct input *input = input_open(path, why);
    if (!input)
        return explain_missing(path, why);
    char *text = memory_resize(NULL, FILE_BYTES_MAX, 1);
    long bytes = input_read(input, text, FILE_BYTES_MAX, why);
    bool good = bytes >= 0;
    if (bytes == FILE_BYTES_MAX)
        good = failure_set(why, "%s: too large for a file of bounds", path);
    if (good && memchr(text, '\0', (size_t)bytes))
        good = failure_set(why, "%s: not a text file", path);
    good = good && parse_text(bounds, path, text, (size_t)bytes, why);
    free(text);
    input_close(input);
    return good;
}

void bounds_free(struct bounds *bounds)
{
    arena_free(&bounds->strings);
    vector_free(&bounds->list);
}

/* Checking ------------------------------------------------------------------------------------- */

/* Fits the bound's curve to the smaller half of the sizes, on a logarithmic scale. */
static struct growth_curve allowed_curve(const struct bound *bound, const struct report *r,
                                         const struct report_profile *profile,
                                         enum report_metric metric)
{
    size_t half = 0;
    struct growth_points worst = routine_growth_points(r, profile, metric, GROWTH_WORST);
    double middle = sqrt(fmax(worst.n[0], 1) * worst.n[worst.count - 1]);
    struct growth_curve curve = {.class = (enum growth_class)bound->class, .c = bound->exponent};
    while (half < worst.count && (worst.n[half] <= middle || half < 3))
        half++;
    growth_fit_class(&curve, worst.n, worst.cost, half);
    growth_points_free(&worst);
    return curve;
}

/* Lists sizes with costs above the curve; if there are many, only the largest sizes. Also finds the
 * size from which on all costs are above the curve. */
static void find_excess(const struct bound *bound, const struct report *r,
                        const struct report_profile *profile, enum report_metric metric,
                        struct bound_result *result)
{
    const struct report_point *points = profile_points(r, profile, metric);
    struct growth_curve curve = allowed_curve(bound, r, profile, metric);
    bool all_above = true;
    for (size_t i = profile->count[metric]; i-- > 0;) {
        double allowed = growth_curve_value(&curve, (double)points[i].input);
        bool above = (double)points[i].cost_max > ALLOWANCE * allowed;
        all_above &= above;
        if (all_above)
            result->from = &points[i];
        if (above && result->excess.count < EXCESS_MOST)
            vector_push(&result->excess, ((struct bound_excess){&points[i], allowed}));
    }
}

/* Decides whether a bound of growth is exceeded, from validated growth only. A bound that is a
 * class is compared with the claimed classes. n^K is compared with the exponent between the largest
 * size and ten times this size. The bound is exceeded if the whole interval of this exponent is
 * above K. */
static enum bound_answer decide(const struct bound *bound, const struct growth_claim *claim)
{
    if (!growth_is_claimed(claim))
        return BOUND_UNKNOWN;
    if (bound->class == GROWTH_POWER) {
        if (log10(claim->times_low) > bound->exponent)
            return BOUND_BROKEN;
        return log10(claim->times) <= bound->exponent + EXPONENT_SLACK ? BOUND_KEPT : BOUND_UNKNOWN;
    }
    if ((int)claim->first > bound->class)
        return BOUND_BROKEN;
    return (int)claim->last <= bound->class ? BOUND_KEPT : BOUND_UNKNOWN;
}

static void check_growth(const struct bound *bound, const struct report *r,
                         const struct report_profile *profile, enum report_metric metric,
                         struct bound_result *result)
{
    struct routine_growth growth;
    routine_growth_analyse(r, profile, metric, &growth);
    result->answer = decide(bound, &growth.worst_claim);
    result->measured = growth_claim_reason(&growth.worst_claim);
    if (result->answer == BOUND_BROKEN)
        find_excess(bound, r, profile, metric, result);
}

static double largest_input(const struct report *r, const struct report_profile *profile,
                            enum report_metric metric)
{
    const struct report_point *points = profile_points(r, profile, metric);
    size_t count = profile->count[metric];
    return count > 0 ? (double)points[count - 1].input : 0;
}

void bound_check(const struct bound *bound, const struct report *r,
                 const struct report_profile *profile, enum report_metric metric,
                 struct bound_result *result)
{
    static const char *const words[] = {[BOUND_CALLS] = "%.0f calls",
                                        [BOUND_COST] = "self cost %.0f",
                                        [BOUND_SHARE] = "self cost %.2f%%",
                                        [BOUND_INPUT] = "inputs up to %.0f"};
    *result = (struct bound_result){0};
    if (bound->kind == BOUND_GROWTH) {
        check_growth(bound, r, profile, metric, result);
        return;
    }
    const double value[] = {
        [BOUND_CALLS] = (double)profile->calls,
        [BOUND_COST] = (double)profile->cost_self,
        [BOUND_SHARE] = summary_percent(profile->cost_self, r->totals.cost),
        [BOUND_INPUT] = largest_input(r, profile, metric),
    };
    result->answer = value[bound->kind] > bound->most ? BOUND_BROKEN : BOUND_KEPT;
    result->measured = memory_format(words[bound->kind], value[bound->kind]);
}

void bound_result_free(struct bound_result *result)
{
    free(result->measured);
    vector_free(&result->excess);
}
