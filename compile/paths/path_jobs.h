/* The steps by which aprof-instrument adds path profiles to bitcode.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMPILE_PATHS_PATH_JOBS_H
#define COMPILE_PATHS_PATH_JOBS_H

#include "compile/ir/inst.h"
#include "paths/graph.h"

/* Rewrites the module so that a probe can be inserted on every edge. */
bool inst_normalise(LLVMModuleRef module, struct failure *why);

/* Lists the graphs of all defined functions of a normalised module. */
void inst_list_graphs(LLVMModuleRef module, struct graph_program *program);

/* Adds the probes listed in the file. */
bool inst_add_probes(LLVMModuleRef module, const char *identity, const char *probes_path,
                     struct failure *why);

#endif
