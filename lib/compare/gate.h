/* What stands in the way of a change: routines that got worse, bounds that are broken.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `aprof gate` asks the comparison with a base and the declared bounds, and keeps of both what
 * people or machines that review a change want to know. `aprof check` asks for bounds alone.
 */
#ifndef LIB_COMPARE_GATE_H
#define LIB_COMPARE_GATE_H

#include "lib/growth/bounds.h"
#include "lib/compare/comparison.h"

/* What was looked at, in the order of `aprof gate`'s documentation. */
enum gate_rule {
    GATE_COST,      /* the cost of the whole, of one workload */
    GATE_ROUTINE,   /* a routine, compared with the base */
    GATE_BOUND,     /* a routine and its bound */
    GATE_NO_ROUTINE /* a bound whose pattern matches nothing */
};
#define GATE_RULES (GATE_NO_ROUTINE + 1)

/* The rule's name for machines, and what it says in a sentence. */
struct gate_rule_words {
    const char *name, *sentence;
};
extern const struct gate_rule_words gate_rules[GATE_RULES];

enum gate_level { GATE_PASSED, GATE_NOTE, GATE_FAILED };

struct gate_finding {
    enum gate_rule rule;
    enum gate_level level;
    const char *subject;       /* a routine's name, a pattern, or the program */
    const char *file;          /* below the folder of the moment if it is there; "" where unknown */
    uint32_t line;             /* 0: unknown */
    char *message;             /* one line */
    VECTOR(char *) details;    /* of a worse routine: what `aprof diff` says about it */
    char *text;                /* of the line; NULL: not known */
    const struct bound *bound; /* of GATE_BOUND, which has a result, and GATE_NO_ROUTINE */
    struct bound_result result;
};

struct gate_options {
    const char *base, *bounds; /* files; NULL: not asked for */
    struct comparison_options comparison;
    bool strict;        /* a bound that cannot be decided fails */
    bool allow_missing; /* a pattern that matches nothing passes */
};

/* Starts with zeroes. */
struct gate {
    struct comparison comparison; /* `new` is the report in any case */
    struct bounds bounds;
    VECTOR(struct gate_finding) findings;
    size_t levels[GATE_FAILED + 1]; /* how many findings are of each */
};

/* The findings' texts belong to the gate. */
bool gate_pass(struct gate *gate, const char *report, const struct gate_options *options,
               struct failure *why);
void gate_free(struct gate *gate);

#endif
