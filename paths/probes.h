/* The words of probes files. Plans generate such files, and the instrumenter reads them.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_PROBES_H
#define PATHS_PROBES_H

#include <stdint.h>

enum probe_place { PROBE_ENTRY, PROBE_EDGE, PROBE_BEHIND, PROBE_BLOCK };
enum probe_action { PROBE_SET, PROBE_ADD, PROBE_MIX, PROBE_COMMIT, PROBE_COUNT, PROBE_START };

#define PROBE_PLACE_NAMES                                                                          \
    {                                                                                              \
        "entry", "edge", "behind", "block", NULL                                                   \
    }
#define PROBE_ACTION_NAMES                                                                         \
    {                                                                                              \
        "set", "add", "mix", "commit", "count", "start", NULL                                      \
    }

/* The factor is the prime of the FNV hash. The factor is odd, so no information is lost by
 * multiplication. */
#define PROBE_MIX_FACTOR UINT64_C(0x100000001b3)

#endif
