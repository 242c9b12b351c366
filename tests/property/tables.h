/* The expected sums of a program's activations, and the sums of an engine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_PROPERTY_TABLES_H
#define TESTS_PROPERTY_TABLES_H

#include "aprof/engine.h"
#include "tests/property/oracle.h"

/* Compares the tables of all routines and the totals. If the engine keeps contexts, also compares
 * all contexts, or the bounds of hot contexts. Prints the first difference. */
bool tables_agree(const struct oracle *oracle, const struct engine *engine);

#endif
