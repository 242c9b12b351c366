/* The log of a generated program's run, which expect.c reads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The log has each event before all events that happen after it.
 * A program is profiled in two ways: by the Valgrind tool, and by a compiled-in profiler. A few
 * actions depend on which of the two is used.
 */
#ifndef TESTS_SOAK_LOG_H
#define TESTS_SOAK_LOG_H

#include <stdint.h>

enum soak_view { VIEW_MACHINE = 1, VIEW_COMPILED = 2, VIEW_BOTH = 3 };

enum soak_kind {
    SOAK_EXEC_CONTEXT_START, /* execution context */
    SOAK_EXEC_CONTEXT_END,
    SOAK_CALL,   /* routine */
    SOAK_RETURN, /* */
    SOAK_LAND,   /* activations are left: all above this one end */
    SOAK_READ,   /* address, bytes */
    SOAK_WRITE,
    SOAK_KERNEL_WRITE,
    SOAK_FORGET,
    SOAK_MAP_FILE,
    SOAK_NOISE, /* the C library accesses its own memory for all pending routines */
};

/* Routines of the runtime, for which no values are expected. */
enum { SOAK_ROUTINE_SAVE = 1000, SOAK_ROUTINE_JUMP };

struct soak_event {
    uint16_t kind, view;
    uint32_t ctx;
    uint64_t a, b;
};

#endif
