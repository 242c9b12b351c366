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

/* The values of the tool's options; options.c has the defaults. */
extern Bool clo_trms; /* --metrics */
extern Bool clo_rms;
extern UInt clo_resolution; /* bytes of a cell: 1, 2, 4, 8 or 16 */
extern UInt clo_resolution_log2;
extern Bool clo_cost_instructions; /* --cost=instr; otherwise the cost is blocks */
extern Bool clo_edges;
extern Bool clo_lines;
extern Bool clo_separate_threads;
extern Bool clo_fold_runtime; /* --runtime=fold */
extern Bool clo_instr_atstart;
extern const HChar *clo_out_file; /* name of the report, with %p and %q not yet expanded */
extern UInt clo_size;             /* declared size of the run; 0: not declared */
extern UInt clo_dump_every;       /* seconds; 0: never */
/* a process whose cost before exec is lower than this value writes no report */
extern UInt clo_wrapper_cost;
/* first process of the run, if this process descends from it by exec; otherwise 0 */
extern Int clo_run_process;
/* working folder of the run's first process; NULL if this is the first process */
extern const HChar *clo_run_folder;
/* whether the report of a program that this process ran before an exec could not be written to its
 * path */
extern Bool clo_run_displaced;
extern enum concurrent clo_concurrent;
extern UInt clo_counter_bits;
extern UInt clo_chunk_words;
extern UInt clo_ring_chunks;

extern enum process_contexts_mode clo_contexts; /* --contexts */
extern UInt clo_phi;                            /* fraction.h */
extern UInt clo_epsilon;                        /* 0: not given */
extern Bool clo_contexts_by_cost; /* --contexts-weight=cost; otherwise the number of calls */
extern Bool clo_fold_recursion;

/* The values of --contexts and its related options, with defaults. Ends the process if these
 * options contradict each other. */
struct contexts_config options_contexts(void);

/* Registers the options with Valgrind's core. */
void options_register(void);

/* Takes `--size` from the environment variable APROF_SIZE if the option was not given. Ends the run
 * if the variable's value is invalid. */
void options_take_environment(void);

/* Passes --run to the profiled programs that exec starts. The value of --run consists of the run's
 * first process, the working folder of this process, and clo_run_displaced. Each call replaces the
 * value of earlier calls. */
void options_pass_on(Int process, const HChar *folder, Bool displaced);

/* options_have_toggles returns whether any --toggle-collect was given. options_is_toggle returns
 * whether a --toggle-collect matches the routine's name. */
Bool options_have_toggles(void);
Bool options_is_toggle(const HChar *routine_name);

/* options_given_count returns the number of given options. options_given returns the given option
 * with this index, as the user wrote it. */
UInt options_given_count(void);
const HChar *options_given(UInt index);

#endif
