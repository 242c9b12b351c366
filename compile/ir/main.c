/* aprof-instrument: lists the control-flow graphs of bitcode, and adds probes or counters to it.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof-instrument normalise PROGRAM.bc NORMALISED.bc GRAPHS
 *     aprof-instrument instrument NORMALISED.bc PROBES INSTRUMENTED.bc
 *     aprof-instrument contexts MODULE.bc INSTRUMENTED.bc
 *     aprof-instrument events MODULE.bc INSTRUMENTED.bc
 *     aprof-instrument trms MODULE.bc INSTRUMENTED.bc
 *     aprof-instrument trms,sample MODULE.bc INSTRUMENTED.bc
 *     aprof-instrument hooks MODULE.bc INSTRUMENTED.bc
 *
 * A program of its own, so that `aprof` itself does not depend on LLVM. `aprof paths` calls it for graphs and
 * probes, and the linker compiles the result, as it compiled the program; aprof-cc calls it for counters.
 */
#include "compile/ir/inst.h"

#include <string.h>

static bool normalise(const char *program, const char *normalised, const char *graphs,
                      struct failure *why)
{
    LLVMModuleRef module;
    char identity[17];
    if (!inst_read_module(program, &module, identity, why))
        return false;
    struct graph_program listed = {0};
    bool fine = inst_normalise(module, why) && inst_verify(module, program, why) &&
                inst_write_module(module, normalised, why);
    LLVMDisposeModule(module);
    /* Read again: the identity is that of the file, and numbers must be those that a reader sees. */
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

static bool instrument(const char *normalised, const char *probes, const char *instrumented,
                       struct failure *why)
{
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

/* Passes of LLVM after the one that adds checks: counting variables become registers, common computations of
 * several checks are done once, and invariant ones before loops. */
#define AFTER_LOOKS "mem2reg,early-cse,loop-mssa(licm)"

/* `passes` of LLVM follow; NULL: none. */
static bool add_code(const char *given, const char *instrumented, void (*add)(LLVMModuleRef),
                     const char *passes, struct failure *why)
{
    LLVMModuleRef module;
    char identity[17];
    if (!inst_read_module(given, &module, identity, why))
        return false;
    add(module);
    bool fine = inst_verify(module, given, why) &&
                (!passes || inst_run_passes(module, passes, why)) &&
                inst_write_module(module, instrumented, why);
    LLVMDisposeModule(module);
    return fine;
}

int main(int argc, char **argv)
{
    struct failure why;
    bool fine;
    if (argc == 5 && strcmp(argv[1], "normalise") == 0) {
        fine = normalise(argv[2], argv[3], argv[4], &why);
    } else if (argc == 5 && strcmp(argv[1], "instrument") == 0) {
        fine = instrument(argv[2], argv[3], argv[4], &why);
    } else if (argc == 4 && strcmp(argv[1], "contexts") == 0) {
        fine = add_code(argv[2], argv[3], inst_count_contexts, NULL, &why);
    } else if (argc == 4 && strcmp(argv[1], "events") == 0) {
        fine = add_code(argv[2], argv[3], inst_tell_events, NULL, &why);
    } else if (argc == 4 && strcmp(argv[1], "trms") == 0) {
        fine = add_code(argv[2], argv[3], inst_measure_inputs, AFTER_LOOKS, &why);
    } else if (argc == 4 && strcmp(argv[1], "trms,sample") == 0) {
        fine = add_code(argv[2], argv[3], inst_measure_samples, AFTER_LOOKS, &why);
    } else if (argc == 4 && strcmp(argv[1], "hooks") == 0) {
        fine = add_code(argv[2], argv[3], inst_free_resolvers, NULL, &why);
    } else {
        fputs("usage: aprof-instrument normalise PROGRAM.bc NORMALISED.bc GRAPHS\n"
              "       aprof-instrument instrument NORMALISED.bc PROBES INSTRUMENTED.bc\n"
              "       aprof-instrument contexts MODULE.bc INSTRUMENTED.bc\n"
              "       aprof-instrument events MODULE.bc INSTRUMENTED.bc\n"
              "       aprof-instrument trms MODULE.bc INSTRUMENTED.bc\n"
              "       aprof-instrument trms,sample MODULE.bc INSTRUMENTED.bc\n"
              "       aprof-instrument hooks MODULE.bc INSTRUMENTED.bc\n",
              stderr);
        return STATUS_USAGE;
    }
    return fine ? STATUS_OK : message_failure(&why);
}
