/* The table of all analyses. A new one adds a line above and a line in the table.
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ground/basics.h"
#include "analyses/analysis.h"

extern const struct analysis analysis_methods;
extern const struct analysis analysis_callgraph;
extern const struct analysis analysis_calltree;
extern const struct analysis analysis_paths;
extern const struct analysis analysis_cache;

const struct analysis *const analyses[] = {
    &analysis_methods, &analysis_callgraph, &analysis_calltree,
    &analysis_paths,   &analysis_cache,     NULL,
};

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
