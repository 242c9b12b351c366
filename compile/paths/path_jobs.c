/* The two jobs of path profiling, which read and write files.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/paths/path_jobs.h"

/* The files of the job are PROGRAM.bc, NORMALISED.bc and GRAPHS. */
bool inst_normalise_file(char **files, struct failure *why)
{
    const char *program = files[0], *normalised = files[1], *graphs = files[2];
    LLVMModuleRef module;
    char identity[17];
    if (!inst_read_module(program, &module, identity, why))
        return false;
    struct graph_program listed = {0};
    bool fine = inst_normalise(module, why) && inst_verify(module, program, why) &&
                inst_write_module(module, normalised, why);
    LLVMDisposeModule(module);
    /* The normalised file is read again, because the graphs must have the file's identity, and the
     * same numbers of blocks and edges as all later jobs that read this file. */
    fine = fine && inst_read_module(normalised, &module, identity, why);
    if (fine) {
        listed.module = identity;
        inst_list_graphs(module, &listed);
        fine = graph_program_write(&listed, graphs, why);
        graph_program_free(&listed);
        LLVMDisposeModule(module);
    }
    return fine;
}

/* The files of the job are NORMALISED.bc, PROBES and INSTRUMENTED.bc. */
bool inst_add_probes_to_file(char **files, struct failure *why)
{
    const char *normalised = files[0], *probes = files[1], *instrumented = files[2];
    LLVMModuleRef module;
    char identity[17];
    if (!inst_read_module(normalised, &module, identity, why))
        return false;
    bool fine = inst_add_probes(module, identity, probes, why) &&
                inst_verify(module, normalised, why) &&
                inst_write_module(module, instrumented, why);
    LLVMDisposeModule(module);
    return fine;
}
