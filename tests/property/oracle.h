/* Computes the input sizes of a multi-threaded program directly from their definition.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The code is slow and simple: every pending activation owns the set L of the cells that it or a
 * descendant has accessed (paper 003, Figure 10). The definition's threads are execution contexts:
 * threads, coroutines' stacks and signal handlers. Each execution context has its own activations
 * and accesses.
 *
 *     read by s     cell not in L(r): the input size of r grows by one; the cell enters L(r)
 *     write by s    the cell enters L(r) of s, and leaves L(r) of every other execution context
 *     kernel write  the cell leaves L(r) of every execution context
 *
 * These rules give trms; for rms no cell ever leaves a set. For every activation, a read is induced
 * if the execution context has not accessed the cell since another writer wrote it. The origin of
 * induced input is the last writer.
 */
#ifndef TESTS_PROPERTY_ORACLE_H
#define TESTS_PROPERTY_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oracle;

enum oracle_origin { ORACLE_THREAD, ORACLE_EXTERNAL, ORACLE_ORIGINS };
enum oracle_metric { ORACLE_TRMS, ORACLE_RMS, ORACLE_METRICS };

#define ORACLE_NO_CALLER (~0u)
#define ORACLE_SPANS     64 /* limit for the numbers of pieces of code */

/* One activation that has ended. */
struct oracle_activation {
    unsigned routine, thread;
    unsigned caller, site;        /* the calling routine, and the span of code that it had
                                   * reached */
    bool measured;                /* as it was begun */
    bool outermost;               /* whether this is the outermost measured activation of its
                                   * routine */
    unsigned context[2];          /* contexts, not folded and folded: see oracle_context_find */
    bool outermost_in_context[2]; /* whether this is the outermost measured activation in its
                                   * context */
    uint64_t input[ORACLE_METRICS];
    uint64_t cost, self;
    uint64_t induced[ORACLE_ORIGINS];
    uint64_t thread_again; /* input by trms and not by rms, after a write by another thread */
};

struct oracle *oracle_new(unsigned resolution_bytes);
void oracle_delete(struct oracle *o);

/* Starts an execution context of `thread`; returns the number of the execution context. */
unsigned oracle_exec_context_start(struct oracle *o, unsigned thread);
/* The execution context's pending activations end, innermost first. */
void oracle_exec_context_end(struct oracle *o, unsigned ctx);
size_t oracle_depth(const struct oracle *o, unsigned ctx);

void oracle_call(struct oracle *o, unsigned ctx, unsigned routine, bool measured);
void oracle_return(struct oracle *o, unsigned ctx);
/* The execution context has reached this piece of code: its following calls and costs belong to the
 * piece. */
void oracle_run(struct oracle *o, unsigned ctx, unsigned span);
/* Adds cost to every pending activation of the execution context, and self cost to the innermost
 * one. */
void oracle_cost(struct oracle *o, unsigned ctx, uint64_t cost);

/* A read without `counted` is an access, but is omitted from the sums. */
void oracle_read(struct oracle *o, unsigned ctx, uintptr_t address, size_t bytes, bool counted);
void oracle_write(struct oracle *o, unsigned ctx, uintptr_t address, size_t bytes);
void oracle_kernel_write(struct oracle *o, uintptr_t address, size_t bytes);
/* The kernel has filled these cells from a file; they have not been accessed since. */
void oracle_map_file(struct oracle *o, uintptr_t address, size_t bytes);
/* Marks the cells as never accessed. The range may have any width. */
void oracle_forget(struct oracle *o, uintptr_t address, size_t bytes);
/* The range `to` gets the access history of the range `from`, and `from` is cleared. The two ranges
 * must not overlap. */
void oracle_move(struct oracle *o, uintptr_t from, uintptr_t to, size_t bytes);
/* Clears all measurements and accesses except mapped files; pending activations begin again. */
void oracle_zero(struct oracle *o);

/* The activations that have ended so far, in order of their ends. */
const struct oracle_activation *oracle_activations(const struct oracle *o, size_t *n);
/* The context of `routine` called from the context `parent` (0: no context); 0 if `parent` never
 * called the routine. A context is the sequence of routines on the execution context's stack. If
 * contexts are folded and the caller's context already contains the called routine, the call leads
 * back to that context of the routine. */
unsigned oracle_context_find(const struct oracle *o, unsigned parent, unsigned routine);
/* The cost of a routine's measured activations at a piece of code. */
uint64_t oracle_span_cost(const struct oracle *o, unsigned routine, unsigned span);
/* Cost of all execution contexts since the beginning or the last zero. */
uint64_t oracle_total_cost(const struct oracle *o);
/* Input of all execution contexts, each as one activation. */
uint64_t oracle_total_reads(const struct oracle *o);
/* Reads that were induced, each counted once. */
uint64_t oracle_total_induced(const struct oracle *o, enum oracle_origin origin);

#endif
