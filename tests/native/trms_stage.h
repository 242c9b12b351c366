/* Scenes that are run with a signal after each instruction of the TRMS core.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each scene is executed once with a handler before its operation, and once with a handler after
 * it. Then the processor's trap flag stops after each of the operation's instructions. Each time, a
 * copy of the process runs the handler and continues to the end. The measurements of all execution
 * contexts must equal one of the first two outcomes. Like a signal, the handler waits while signals
 * are blocked. If the handler jumps away, the jump ends the operation. Then a third outcome is
 * correct, too: the handler alone. Counts of the interrupted return may be partial.
 *
 * APROF_EVERY=N runs the handler after every N-th instruction only [1]. With sanitizers, each
 * instruction becomes several, and copying the process is expensive.
 *
 * Tables and the stack of activations are so small that they grow within a few accesses and calls.
 * Freed memory is overwritten.
 */
#ifndef TESTS_NATIVE_TRMS_STAGE_H
#define TESTS_NATIVE_TRMS_STAGE_H

#include "native/trms/calls/activations.h"

enum { CELLS = 32, SOME = 9, ORDINARY = 24 };
enum { OUTER, CALLED, PARTNERS, HANDLERS, LATER, ROUTINES = 200 };

static const uint64_t stage_base =
    0x10000000 - 4 * (CELLS / 2); /* across the border of two chunks */

struct trms_scene {
    const char *name;
    bool has_direct_shadow, has_edges;
    bool jumps;    /* whether the handler jumps out of the operation */
    bool is_loose; /* whether the scene only has to continue */
    /* whether a return counts an activation of CALLED with a size above ORDINARY. These sizes are
     * not compared, nor is 0, because the activation may end a second time with size 0 */
    bool returns;
    void (*before)(void);
    void (*operation)(void);
    void (*handler)(void);
    void (*after)(void);
};

extern struct trms_stage {
    struct trms_world world;
    struct trms_exec_context *own, *partner;
    struct routine routines[ROUTINES];
    const struct trms_scene *scene;
    uint8_t time_bits;
} stage;

/* Prepares the present scene up to its operation. */
void stage_begin(void);

/* Runs all scenes with all steps. Returns the number of wrong instructions. */
unsigned long stage_play(const struct trms_scene *scenes, size_t n);

/* What execution contexts do. */
void stage_call(struct trms_exec_context *s, unsigned routine);
void stage_call_from(struct trms_exec_context *s, unsigned routine, unsigned site);
void stage_read(struct trms_exec_context *s, unsigned i);
void stage_read_all(struct trms_exec_context *s);
void stage_write(struct trms_exec_context *s, unsigned i);

/* Performs `act` as a handler with its own execution context; the partner may run meanwhile. */
void stage_handle(void (*act)(struct trms_exec_context *), void (*meanwhile)(void));

#endif
