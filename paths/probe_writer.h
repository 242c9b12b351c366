/* Writes the probes files from which copies of a normalised module are made.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef PATHS_PROBE_WRITER_H
#define PATHS_PROBE_WRITER_H

#include "paths/plan.h"

/* Writes the probes of a copy of the plan; copies are numbered from 0. */
bool probes_write_copy(const struct plan *plan, uint32_t copy, const char *path,
                       struct failure *why);

/* Writes probes that count entries and edges. Each procedure has one slot for its entries, then one
 * slot for each edge. */
bool probes_write_edges(const struct graph_program *graphs, uint32_t flags, const char *path,
                        struct failure *why);

/* Returns the first slot that probes_write_edges() uses for a procedure. If `procedure` is the
 * number of procedures, returns the total number of slots. */
uint64_t probes_edge_slot(const struct graph_program *graphs, size_t procedure);

/* Writes probes that identify paths by a hash over their edges, without any numbering. The probe of
 * each edge of the dag mixes the edge's index plus one into a sum. Hash tables count how often each
 * final sum occurs. */
bool probes_write_oracle(const struct plan *plan, const char *path, struct failure *why);

/* Returns the hash that the probes of probes_write_oracle() compute for a path. */
uint64_t probes_oracle_sum(const uint32_t *edges, uint32_t count);

#endif
