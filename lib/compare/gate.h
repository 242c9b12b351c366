/* Findings that block a change: routines that became worse, and broken bounds.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `aprof gate` combines the comparison with a base and the declared bounds, and keeps the results
 * that reviewers need. `aprof check` only verifies declared bounds.
 */
#ifndef LIB_COMPARE_GATE_H
#define LIB_COMPARE_GATE_H

#include "lib/growth/bounds.h"
#include "lib/compare/comparison.h"

/* The kinds of findings, in the order of `aprof gate`'s documentation. */
enum gate_rule {
    GATE_COST,       /* a rise of the total cost of one workload */
    GATE_ROUTINE,    /* a routine that became worse than in the base */
    GATE_BOUND,      /* a routine to which a declared bound applies */
    GATE_NO_ROUTINE, /* a bound with a pattern that matches no routine */
    /* a count that rose compared with the base, in a report without costs of calls */
    GATE_COUNT
};
#define GATE_RULES (GATE_COUNT + 1)

/* The rule's identifier in SARIF and JUnit output, and the rule's description. */
struct gate_rule_words {
    const char *name, *sentence;
};
extern const struct gate_rule_words gate_rules[GATE_RULES];

enum gate_level { GATE_PASSED, GATE_NOTE, GATE_FAILED };

struct gate_finding {
    enum gate_rule rule;
    enum gate_level level;
    const char *subject;    /* subject: a routine's name, a pattern, or the program */
    char *name;             /* the subject if it is an inlined function; otherwise NULL */
    const char *file;       /* path of the source file, relative to the current folder if it is
                                * below that folder; "" if unknown. For GATE_NO_ROUTINE, the file
                                * of bounds */
    uint32_t line;          /* 0: unknown */
    char *message;          /* one line */
    VECTOR(char *) details; /* description of a worse routine, or the cause of a broken bound */
    char *text;             /* source text of the line; NULL: not known */
    /* only for GATE_BOUND: index of the routine to which the bound applies */
    uint32_t routine;
    /* the bound of GATE_BOUND or GATE_NO_ROUTINE; GATE_BOUND also sets `result` */
    const struct bound *bound;
    struct bound_result result;
};

struct gate_options {
    /* paths of the base and of the file of bounds; NULL if the option is not used */
    const char *base, *bounds;
    struct comparison_options comparison;
    bool strict;        /* whether the gate fails if a bound cannot be decided */
    bool allow_missing; /* whether the gate passes if a pattern matches no routine */
};

/* The caller sets all members to 0 before the first use. */
struct gate {
    struct comparison comparison; /* `new` is the report that is checked */
    bool is_of_counts; /* whether the report has no costs of calls, only counts of contexts or
                        * events; `comparison` then has only the paths */
    struct bounds bounds;
    VECTOR(struct gate_finding) findings;
    size_t levels[GATE_FAILED + 1]; /* number of findings of each level */
};

/* The findings' texts belong to the gate. */
bool gate_pass(struct gate *gate, const char *report, const struct gate_options *options,
               struct failure *why);
void gate_free(struct gate *gate);

/* Verifies only the bounds in gate->bounds. After the call, the gate owns the report. */
bool gate_verify(struct gate *gate, struct report *report, const struct gate_options *options,
                 struct failure *why);

/* Starts a gate for two reports that have counts but no costs of calls. */
void gate_start_counts(struct gate *gate, const char *base, const char *report);

/* Adds a finding about a count that rose by more than the threshold: `subject` names the routine or
 * key, and `what` describes the count. */
void gate_add_rise(struct gate *gate, const char *subject, const char *what, double base,
                   double now);

/* If no count rose, adds a finding that says so and passes. */
void gate_finish_counts(struct gate *gate, size_t counts, double threshold_percent);

/* Describes where the cost of a routine's calls arises, as in "find: 98.2% of the cost, called 4950
 * times by unique at u.cc:12; one call grows by n". The search follows callees that have more than
 * half of the cost. */
char *gate_cause_words(const struct report *report, const struct report_profile *profile,
                       enum report_metric metric);

#endif
