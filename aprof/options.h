/* The command line options of the tool.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_OPTIONS_H
#define APROF_OPTIONS_H

#include "basics.h"

/* What the options say; the defaults stand in options.c. */
extern Bool clo_trms; /* --metrics */
extern Bool clo_rms;
extern UInt clo_resolution; /* bytes of a cell: 1, 2, 4, 8 or 16 */
extern UInt clo_resolution_log2;
extern Bool clo_cost_instructions; /* --cost=instr, else blocks */
extern Bool clo_separate_threads;
extern Bool clo_instr_atstart;
extern const HChar *clo_out_file; /* before %p and %q are expanded */
extern UInt clo_counter_bits;

/* Tells Valgrind's core that we have options. */
void options_register(void);

/* Whether any --toggle-collect was given, and whether a routine's name matches one. */
Bool options_have_toggles(void);
Bool options_is_toggle(const HChar *routine_name);

/* Calls `visit` with each option that differs from its default, as the user wrote it. */
UInt options_given_count(void);
const HChar *options_given(UInt index);

#endif
