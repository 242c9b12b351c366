/* `aprof check`: verifies declared bounds.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"
#include "lib/compare/gate.h"
#include "lib/base/table.h"

#include <inttypes.h>
#include <stdio.h>

enum { STATUS_KEPT = 0, STATUS_BROKEN = 1, STATUS_TROUBLE = 2 };

static void print_excess(const struct bound_result *result)
{
    if (result->from)
        printf("    broken from n = %" PRIu64 " on\n", result->from->input);
    for (size_t i = 0; i < result->excess.count; i++) {
        const struct bound_excess *excess = &result->excess.at[i];
        printf("    input %" PRIu64 ": worst cost %" PRIu64 ", bound %.0f\n", excess->point->input,
               excess->point->cost_max, excess->allowed);
    }
}

static void print_finding(const struct gate_finding *f)
{
    static const char *const answer_words[] = {"kept", "BROKEN", "unknown"};
    bool styled = f->result.answer == BOUND_BROKEN && table_may_style(stdout);
    printf("%s%-7s%s  %s: declared %s, measured %s\n", styled ? "\033[31m" : "",
           answer_words[f->result.answer], styled ? "\033[0m" : "", f->subject, f->bound->words,
           f->result.measured);
    print_excess(&f->result);
}

/* Prints the findings about bounds; returns false if a bound matches no routine. */
static bool print_gate(const struct gate *g, bool strict, struct failure *why)
{
    size_t answers[BOUND_UNKNOWN + 1] = {0};
    bool good = true;
    for (size_t i = 0; i < g->findings.count; i++) {
        const struct gate_finding *f = &g->findings.at[i];
        if (f->rule == GATE_NO_ROUTINE) {
            good =
                good &&
                failure_set(
                    why,
                    "%s: matches no routine of the report; correct the pattern, or remove the line",
                    f->subject);
            continue;
        }
        answers[f->result.answer]++;
        print_finding(f);
    }
    printf("%zu kept, %zu broken, %zu unknown%s\n", answers[BOUND_KEPT], answers[BOUND_BROKEN],
           answers[BOUND_UNKNOWN],
           answers[BOUND_UNKNOWN] && !strict ? " (--strict counts unknown bounds as broken)" : "");
    return good;
}

static const struct option_entry check_options[] = {
    {'b', "bounds", "FILE", "file of bounds, with one pattern and its bound per line",
     OPTION_INTO(struct gate_options, bounds)},
    {'m', "metric", "trms|rms", "measures input sizes by this metric [trms]",
     OPTION_INTO(struct gate_options, comparison.metric_name), OPTION_CHOICES(metric_names)},
    {0, "strict", NULL, "counts unknown bounds as broken",
     OPTION_INTO(struct gate_options, strict)},
    {0},
};

static int run(const struct command *command, char **argv)
{
    struct gate_options settings = {0};
    struct gate gate = {0};
    struct options options;
    struct failure why;
    if (!options_parse(&options, command, argv, &settings))
        return options.status;
    if (!settings.bounds)
        return options_usage_error(&options, "expected", command_check.operands);
    bool good = gate_pass(&gate, options.operands.at[0], &settings, &why) &&
                print_gate(&gate, settings.strict, &why);
    if (!good)
        message_failure(&why);
    size_t broken = gate.levels[GATE_FAILED];
    gate_free(&gate);
    return !good ? STATUS_TROUBLE : broken > 0 ? STATUS_BROKEN : STATUS_KEPT;
}

const struct command command_check = {
    .name = "check",
    .summary = "verifies declared bounds of growth and cost; for CI",
    .usage = "[options] --bounds=FILE REPORT",
    .details =
        "Verifies declared bounds: the largest cost of a routine grows no faster than declared,\n"
        "or the routine has no more calls, cost or input than declared. Each line of the file\n"
        "of bounds has a pattern of routine names and a bound, for example 'parse_*  n log n'\n"
        "or 'malloc  calls 1000'. The exit status is 0 if no bound is broken, 1 if a bound is\n"
        "broken, and 2 on errors. Bounds are: 1, log n, sqrt n, n, n log n, n^1.5, n^2,\n"
        "n^2 log n, n^3, 2^n, n^K, calls N, cost N, cost N%, input N.",
    .options = check_options,
    .operands_least = 1,
    .operands_most = 1,
    .operands = "--bounds=FILE and one report",
    .verb = VERB_OF_POINTS,
    .run = run,
};
