/* Options with the same name, letter and meaning for all kinds of reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A command for several kinds of reports has one table of options, in tools/cmd_NAME.c. The struct
 * of its settings begins with struct common_options. Commands for one kind of report, such as
 * `aprof contexts report`, use the same table.
 */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include "tools/command.h"
#include "lib/base/table.h"

#include <stdint.h>

#define FOR_POINTS   OPTION_FOR(REPORT_POINTS)
#define FOR_CONTEXTS OPTION_FOR(REPORT_CONTEXTS)
#define FOR_EVENTS   OPTION_FOR(REPORT_EVENTS)
#define FOR_PATHS    OPTION_FOR(REPORT_PATHS)

#define TOP_NOT_GIVEN ((unsigned long)-1)

struct common_options {
    unsigned long top, width; /* number of output lines (0: all), and their width in columns */
    const char *debug_path, *output;
    unsigned long thread; /* thread of contexts; CONTEXTS_MERGED: all threads together */
    double phi;           /* share phi for contexts; below 0: not given */
    bool sites;           /* whether call sites distinguish contexts */
};
#define COMMON_OPTIONS                                                                             \
    ((struct common_options){.top = TOP_NOT_GIVEN, .width = TABLE_WIDTH_NOT_GIVEN, .phi = -1})

/* The number of lines to display; `otherwise` if no number was given. 0 means all lines. */
static inline size_t common_top(const struct common_options *o, unsigned long otherwise,
                                size_t count)
{
    unsigned long top = o->top == TOP_NOT_GIVEN ? otherwise : o->top;
    return top && top < count ? top : count;
}

/* Options of several commands. Each of these macros expands to one row of a table of options. */
#define COMMON_ENTRY_TOP(help, of)                                                                 \
    {                                                                                              \
        'n', "top", "N", help, OPTION_INTO(struct common_options, top), .kinds = of                \
    }
#define COMMON_ENTRY_WIDTH(of)                                                                     \
    {                                                                                              \
        'w', "width", "N", "limits lines to N columns; 0: no limit [the terminal's width]",        \
            OPTION_INTO(struct common_options, width), .kinds = of                                 \
    }
#define COMMON_ENTRY_DEBUG(of)                                                                     \
    {                                                                                              \
        0, "debug-path", "FOLDERS",                                                                \
            "folders that contain debug files, separated by ':' [/usr/lib/debug]",                 \
            OPTION_INTO(struct common_options, debug_path), .kinds = of                            \
    }
/* An option that hides system code: routines of objects in system folders, and code without a file.
 * Sums and shares still include the cost of hidden code. */
#define COMMON_ENTRY_MINE(member, of)                                                              \
    {                                                                                              \
        0, "mine", NULL, "omits system libraries", member, .kinds = of                             \
    }
#define COMMON_ENTRY_OUT                                                                           \
    {                                                                                              \
        'o', "output", "FILE", "writes the output to a file",                                      \
            OPTION_INTO(struct common_options, output)                                             \
    }
#define COMMON_ENTRY_THREAD                                                                        \
    {                                                                                              \
        0, "thread", "N", "reads only the tree of this thread",                                    \
            OPTION_INTO(struct common_options, thread), .most = UINT32_MAX - 1,                    \
                                                        .kinds = FOR_CONTEXTS                      \
    }
#define COMMON_ENTRY_PHI(help)                                                                     \
    {                                                                                              \
        'p', "phi", "SHARE", help, OPTION_INTO(struct common_options, phi), .most = 1,             \
                                                                            .kinds = FOR_CONTEXTS  \
    }
#define COMMON_ENTRY_SITES                                                                         \
    {                                                                                              \
        0, "sites", NULL, "distinguishes contexts with different call sites",                      \
            OPTION_INTO(struct common_options, sites), .kinds = FOR_CONTEXTS                       \
    }

#endif
