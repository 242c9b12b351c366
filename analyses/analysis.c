/* The table of all analyses; each new analysis must be added to this list.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/basics.h"
#include "analyses/analysis.h"

#define ANALYSES(A) A(methods) A(callgraph) A(calltree) A(paths) A(cache)

#define ANALYSIS_DECLARE(name) extern const struct analysis analysis_##name;
ANALYSES(ANALYSIS_DECLARE)

#define ANALYSIS_POINT_TO(name) &analysis_##name,
const struct analysis *const analyses[] = {ANALYSES(ANALYSIS_POINT_TO) NULL};

static bool names_are_equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

const struct analysis *analysis_find(const char *name)
{
    for (size_t i = 0; analyses[i]; i++)
        if (names_are_equal(analyses[i]->name, name))
            return analyses[i];
    return NULL;
}
