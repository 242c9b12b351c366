/* --concurrent=both: an engine on the program's thread beside the one on the analysis thread.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For whoever doubts, and for tests: how threads take turns differs between runs, so only within
 * one run can the reports of a concurrent and a sequential engine be compared. The two share
 * nothing: the second one gets copies of descriptors and routines, in which engines leave notes of
 * their own.
 */
#ifndef APROF_SECOND_ENGINE_H
#define APROF_SECOND_ENGINE_H

#include "aprof/engine.h"

/* Ends the names of its reports. */
#define SECOND_ENGINE_SUFFIX ".sequential"

/* Makes the second engine, which is owned here. */
void second_engine_open(const struct engine_config *config);

/* The second engine, NULL unless it was opened. */
struct engine *second_engine(void);

/* Consumes whole records. */
void second_engine_consume(const aprof_word *from, const aprof_word *to);

#endif
