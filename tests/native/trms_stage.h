/* Scenes that are run with a signal after each instruction of the TRMS core.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each scene is played with a handler before its operation and with one after it. Then the
 * processor's trap flag stops after each of the operation's instructions, and there a copy of the
 * process runs the handler and continues to the end: what all execution contexts have measured must
 * be one of the first two outcomes. As signals do, the handler waits while they are blocked. Scenes
 * of handlers that jump away end the operation there, so that a third outcome is right, of the
 * handler alone; and what a return was about to count may have been counted in part.
 *
 * APROF_EVERY=N runs the handler after every N-th instruction only [1]. Sanitizers turn each
 * instruction into several, and a copy of the process is expensive then.
 *
 * Tables are so small here that they grow, and the stack of activations too, within a few accesses
 * and calls. Freed memory is overwritten.
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
    bool jumps;    /* the handler, away from the operation */
    bool is_loose; /* the scene only has to continue */
    /* an activation of CALLED of a size above ORDINARY does, and of CALLED alone the other sizes
     * are looked at; but not 0, as which it may end a second time */
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

/* The present scene's world, up to its operation. */
void stage_begin(void);

/* Plays them all, steps and all. Returns how many instructions are wrong. */
unsigned long stage_play(const struct trms_scene *scenes, size_t n);

/* What execution contexts do. */
void stage_call(struct trms_exec_context *s, unsigned routine);
void stage_call_from(struct trms_exec_context *s, unsigned routine, unsigned site);
void stage_read(struct trms_exec_context *s, unsigned i);
void stage_read_all(struct trms_exec_context *s);
void stage_write(struct trms_exec_context *s, unsigned i);

/* A handler that is an execution context does this; the thread's partner may run meanwhile. */
void stage_handle(void (*act)(struct trms_exec_context *), void (*meanwhile)(void));

#endif
