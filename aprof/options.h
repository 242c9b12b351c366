/* The command line options of the tool.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_OPTIONS_H
#define APROF_OPTIONS_H

#include "ground/basics.h"

#include "aprof/engine.h"
#include "aprof/handover.h"

/* --concurrent */
enum concurrent { CONCURRENT_NO, CONCURRENT_YES, CONCURRENT_AUTO, CONCURRENT_BOTH };

/* What the options say; the defaults stand in options.c. */
extern Bool clo_trms; /* --metrics */
extern Bool clo_rms;
extern UInt clo_resolution; /* bytes of a cell: 1, 2, 4, 8 or 16 */
extern UInt clo_resolution_log2;
extern Bool clo_cost_instructions; /* --cost=instr, else blocks */
extern Bool clo_edges;
extern Bool clo_lines;
extern Bool clo_separate_threads;
extern Bool clo_fold_runtime; /* --runtime=fold */
extern Bool clo_instr_atstart;
extern const HChar *clo_out_file;   /* before %p and %q are expanded */
extern const HChar *clo_size;       /* of the run, a number; NULL: not declared */
extern UInt clo_dump_every;         /* seconds; 0: never */
extern UInt clo_wrapper_cost;       /* less before exec, and there is no report of it */
extern Int clo_run_process;         /* of a process that another one has started by exec: the ... */
extern const HChar *clo_run_folder; /* ... first of the run, and its folder. 0, NULL: the first */
extern Bool clo_run_displaced;      /* a report from before exec is not where it belongs */
extern enum concurrent clo_concurrent;
extern UInt clo_counter_bits;
extern UInt clo_chunk_words;
extern UInt clo_ring_chunks;

extern enum process_contexts_mode clo_contexts; /* --contexts */
extern UInt clo_phi;                            /* fraction.h */
extern UInt clo_epsilon;                        /* 0: not given */
extern Bool clo_contexts_by_cost;               /* --contexts-weight=cost, else calls */
extern Bool clo_fold_recursion;

/* What --contexts and the options that belong to it say, with defaults; ends the process if they
 * contradict each other. */
struct contexts_config options_contexts(void);

/* Tells Valgrind's core that we have options. */
void options_register(void);

/* What the environment declares where no option did; ends the run if it makes no sense. */
void options_take_environment(void);

/* Lets programs that are started by exec, and profiled, know the first process, its folder, and
 * whether a report is not where it belongs. The latest call counts. */
void options_pass_on(Int process, const HChar *folder, Bool displaced);

/* Whether any --toggle-collect was given, and whether a routine's name matches one. */
Bool options_have_toggles(void);
Bool options_is_toggle(const HChar *routine_name);

/* The options that were given, as the user wrote them. */
UInt options_given_count(void);
const HChar *options_given(UInt index);

#endif
