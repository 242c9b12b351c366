/* `aprof check`: are declared bounds kept?
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/command.h"
#include "lib/report_kind.h"
#include "lib/bounds.h"
#include "lib/report_set.h"
#include "lib/select.h"
#include "lib/table.h"

#include <inttypes.h>
#include <stdio.h>

enum { STATUS_KEPT = 0, STATUS_BROKEN = 1, STATUS_TROUBLE = 2 };

struct settings {
    const char *bounds, *metric_name;
    bool strict;
};

struct check {
    struct report report;
    enum report_metric metric;
    struct bounds bounds;
    size_t answers[BOUND_UNKNOWN + 1];
};

static void print_excess(const struct bound_result *result)
{
    if (result->from)
        printf("    broken from n = %" PRIu64 " on\n", result->from->input);
    for (size_t i = 0; i < result->excess.count; i++) {
        const struct bound_excess *excess = &result->excess.at[i];
        printf("    input %" PRIu64 ": worst cost %" PRIu64 ", by the bound %.0f\n",
               excess->point->input, excess->point->cost_max, excess->allowed);
    }
}

static void check_routine(struct check *c, const struct bound *bound,
                          const struct report_profile *profile)
{
    static const char *const answer_words[] = {"kept", "BROKEN", "unknown"};
    struct bound_result result;
    bound_check(bound, &c->report, profile, c->metric, &result);
    c->answers[result.answer]++;
    bool styled = result.answer == BOUND_BROKEN && table_may_style(stdout);
    printf("%s%-7s%s  %s: declared %s, measured %s\n", styled ? "\033[31m" : "",
           answer_words[result.answer], styled ? "\033[0m" : "",
           c->report.routines.at[profile->routine].name, bound->words, result.measured);
    print_excess(&result);
    bound_result_free(&result);
}

static bool check_bound(struct check *c, const struct bound *bound, struct failure *why)
{
    bool found = false;
    for (size_t i = 0; i < c->report.profiles.count; i++) {
        const struct report_profile *profile = &c->report.profiles.at[i];
        if (!select_matches(&c->report.routines.at[profile->routine], bound->pattern))
            continue;
        found = true;
        check_routine(c, bound, profile);
    }
    return found ||
           failure_set(why, "%s: no routine of the report has such a name", bound->pattern);
}

static bool check_all(struct check *c, const struct settings *settings, const char *path,
                      struct failure *why)
{
    if (!bounds_read(&c->bounds, settings->bounds, why) ||
        !report_set_read(path, &c->report, why) ||
        !report_choose_metric(&c->report, settings->metric_name, &c->metric, why))
        return false;
    report_merge_threads(&c->report);
    for (size_t i = 0; i < c->bounds.list.count; i++) {
        if (!check_bound(c, &c->bounds.list.at[i], why))
            return false;
    }
    printf("%zu kept, %zu broken, %zu unknown%s\n", c->answers[BOUND_KEPT],
           c->answers[BOUND_BROKEN], c->answers[BOUND_UNKNOWN],
           c->answers[BOUND_UNKNOWN] && !settings->strict ? " (--strict counts these as broken)"
                                                          : "");
    return true;
}

static const struct option_entry check_options[] = {
    {'b', "bounds", "FILE", "the bounds: a pattern and a bound per line",
     OPTION_INTO(struct settings, bounds)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct settings, metric_name), OPTION_CHOICES(metric_names)},
    {'s', "strict", NULL, "bounds that cannot be decided count as broken",
     OPTION_INTO(struct settings, strict)},
    {0},
};

static int run(char **argv)
{
    struct settings settings = {0};
    struct check check = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, &command_check, argv, &settings))
        return options.status;
    if (!settings.bounds)
        return options_usage_error(&options, "wants", command_check.operands);
    bool good = check_all(&check, &settings, options.operands.at[0], &why);
    if (!good)
        message_failure(&why);
    size_t broken = check.answers[BOUND_BROKEN];
    if (settings.strict)
        broken += check.answers[BOUND_UNKNOWN];
    bounds_free(&check.bounds);
    report_free(&check.report);
    return !good ? STATUS_TROUBLE : broken > 0 ? STATUS_BROKEN : STATUS_KEPT;
}

static const struct command *const of_kind[REPORT_KINDS] = {
    [REPORT_POINTS] = &command_check,
};

const struct command command_check = {
    .name = "check",
    .summary = "verifies declared bounds; for CI",
    .usage = "[options] --bounds=FILE REPORT",
    .details =
        "Verifies that the worst cases of routines grow no faster than declared, or that routines\n"
        "have no more calls, cost or input. Each line of the file has a pattern of names and a\n"
        "bound, as in 'parse_*  n log n' or 'malloc  calls 1000'. Ends with 0 if no bound is\n"
        "broken, 1 if one is, 2 in trouble.",
    .options = check_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "--bounds=FILE and one report",
    .of_kind = of_kind,
    .run = run,
};
