/* `aprof export`: the settings and the table of options for all kinds of reports.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_EXPORT_COMMAND_H
#define TOOLS_EXPORT_COMMAND_H

#include "tools/common_options.h"

struct export_settings {
    struct common_options common;
    int format; /* index of a format in the list for the kind of report */
    const char *routine, *metric_name;
    unsigned long frames; /* for contexts only */
    bool lines;           /* for paths only */
};

#define EXPORT_FRAMES_DEFAULT 1000 /* default number of frames; a picture has no space for more */
#define EXPORT_SETTINGS                                                                            \
    ((struct export_settings){.common = COMMON_OPTIONS, .frames = EXPORT_FRAMES_DEFAULT})

extern const struct option_entry export_options[];

#endif
