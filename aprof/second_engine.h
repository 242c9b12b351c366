/* For --concurrent=both: a second engine on the program's thread, next to the concurrent engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The second engine is for tests. Thread schedules differ between runs, so reports of a concurrent
 * and a sequential engine are comparable only within one run. The two engines share no data.
 * Engines write to descriptors and routines, so the second engine gets copies of these.
 */
#ifndef APROF_SECOND_ENGINE_H
#define APROF_SECOND_ENGINE_H

#include "aprof/engine.h"

/* Suffix of the names of the second engine's reports. */
#define SECOND_ENGINE_SUFFIX ".sequential"

/* Creates the second engine, which this module owns. */
void second_engine_open(const struct engine_config *config);

/* Returns the second engine; NULL unless second_engine_open was called. */
struct engine *second_engine(void);

/* Consumes whole records. */
void second_engine_consume(const aprof_word *from, const aprof_word *to);

#endif
