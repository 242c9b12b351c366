/* Estimates from the counts of a sample; see estimate.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "lib/report/estimate.h"
#include "lib/base/memory.h"

#include <math.h>
#include <string.h>

#define DEVIATIONS  2.0
#define FEW_BURSTS  20 /* must be equal to the value in native/contexts/report.c */
#define THOUSANDTHS 1000
#define PERCENT     100

#define EVENTS_BURST_WORDS 256 /* must be equal to the value in native/events/runtime.h */
#define RATE_MAY_DIFFER    0.1

static double number_or(const string_list *options, const char *key, double otherwise)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < options->count; i++)
        if (strncmp(options->at[i], key, length) == 0 && options->at[i][length] == '=')
            return strtod(options->at[i] + length + 1, NULL);
    return otherwise;
}

static double number_of(const string_list *options, const char *key)
{
    return number_or(options, key, -1);
}

static bool has_word(const string_list *options, const char *word)
{
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->at[i], word) == 0)
            return true;
    return false;
}

struct estimate estimate_of(const string_list *options)
{
    double bursts = number_of(options, "bursts");
    return (struct estimate){.known = bursts >= 0,
                             .sampled = bursts > 0,
                             .few = bursts < FEW_BURSTS,
                             .exact_total = has_word(options, "total=exact"),
                             .lowest = number_or(options, "lowest", THOUSANDTHS) / THOUSANDTHS,
                             .highest = number_or(options, "highest", THOUSANDTHS) / THOUSANDTHS,
                             .clump = number_of(options, "clump")};
}

struct estimate estimate_of_events(const string_list *options)
{
    double made = number_of(options, "made"), seen = number_of(options, "seen");
    double percent = number_of(options, "sampling"); /* 0 if the option's value is off or auto */
    double rate = made > 0 ? seen / made : 0;
    struct estimate estimate = {.sampled = made > 0, .clump = EVENTS_BURST_WORDS};
    if (rate <= 0 || fabs(rate / percent * PERCENT - 1) > RATE_MAY_DIFFER)
        return estimate;
    estimate.known = true;
    estimate.lowest = estimate.highest = 1 / rate;
    return estimate;
}

char *estimate_words(const struct estimate *e, uint64_t total)
{
    if (!e->known)
        return memory_copy_string("a sum of estimates, without an interval");
    if (!e->sampled)
        return memory_copy_string("exact: the run ended in its first burst");
    if (e->exact_total)
        return memory_copy_string(e->few ? "exact; there were few bursts, so counts are rough"
                                         : "exact; counts are estimates");
    if (e->few)
        return memory_copy_string("a rough estimate: there were few bursts");
    return memory_format("an estimate, between %.0f and %.0f", estimate_low(e, total, 0),
                         estimate_high(e, total));
}

double estimate_low(const struct estimate *e, uint64_t count, uint64_t error)
{
    double sure = (double)(count - error);
    if (!e->sampled)
        return sure;
    return fmax(0, (sure - DEVIATIONS * sqrt(sure * e->clump)) * e->lowest);
}

/* Adds two clumps, because the upper tail of the Poisson distribution is longer for small
 * counts. */
double estimate_high(const struct estimate *e, uint64_t count)
{
    if (!e->sampled)
        return (double)count;
    double clumps = e->clump > 0 ? (double)count / e->clump : 0;
    return e->few ? INFINITY
                  : ((double)count + (2 + DEVIATIONS * sqrt(clumps + 1)) * e->clump) * e->highest;
}
