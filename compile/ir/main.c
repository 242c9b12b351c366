/* aprof-instrument: adds inline checks, counters or probes to bitcode.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     aprof-instrument trms MODULE.bc INSTRUMENTED.bc
 *
 * Without arguments, aprof-instrument lists its jobs. aprof-instrument is a separate program, so
 * that `aprof` itself does not depend on LLVM. aprof-cc and `aprof paths` call aprof-instrument,
 * and compile the instrumented bitcode.
 */
#include "compile/ir/inst.h"

#include <stdio.h>
#include <string.h>

/* The passes of LLVM that run after the pass that adds checks. These passes move variables of the
 * checks from the stack to registers, and move invariant computations out of loops. Values that
 * several checks share are computed only once. */
#define AFTER_CHECKS "mem2reg,early-cse,loop-mssa(licm)"

struct job {
    const char *name, *files; /* name of the job, and the names of its files in the usage message */
    size_t file_count;
    /* The function that changes the module read from the first file. After the change, the LLVM
     * passes listed in `passes` run, and the result is written to the second file. */
    void (*add)(LLVMModuleRef);
    const char *passes; /* NULL: none */
    /* for jobs without `add`: function that does the whole job */
    bool (*run)(char **files, struct failure *why);
};

#define ONE_MODULE "MODULE.bc INSTRUMENTED.bc", 2
static const struct job jobs[] = {
    {"contexts", ONE_MODULE, .add = inst_count_contexts},
    {"trms", ONE_MODULE, .add = inst_measure_inputs, .passes = AFTER_CHECKS},
    {"trms,sample", ONE_MODULE, .add = inst_measure_samples, .passes = AFTER_CHECKS},
    {"hooks", ONE_MODULE, .add = inst_free_resolvers},
#if APROF_PAPERS
    {"events", ONE_MODULE, .add = inst_add_events},
    {"normalise", "PROGRAM.bc NORMALISED.bc GRAPHS", 3, .run = inst_normalise_file},
    {"instrument", "NORMALISED.bc PROBES INSTRUMENTED.bc", 3, .run = inst_add_probes_to_file},
#endif
};
#define JOBS (sizeof jobs / sizeof *jobs)

static bool add_code(const struct job *job, char **files, struct failure *why)
{
    LLVMModuleRef module;
    char identity[17];
    if (!inst_read_module(files[0], &module, identity, why))
        return false;
    job->add(module);
    bool fine = inst_verify(module, files[0], why) &&
                (!job->passes || inst_run_passes(module, job->passes, why)) &&
                inst_write_module(module, files[1], why);
    LLVMDisposeModule(module);
    return fine;
}

static const struct job *find_job(size_t words, char **argv)
{
    for (const struct job *job = jobs; job < jobs + JOBS; job++) {
        if (words == 2 + job->file_count && strcmp(argv[1], job->name) == 0)
            return job;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct failure why;
    const struct job *job = find_job((size_t)argc, argv);
    for (size_t i = 0; !job && i < JOBS; i++)
        fprintf(stderr, "%s aprof-instrument %s %s\n", i ? "      " : "usage:", jobs[i].name,
                jobs[i].files);
    if (!job)
        return STATUS_USAGE;
    bool fine = job->run ? job->run(argv + 2, &why) : add_code(job, argv + 2, &why);
    return fine ? STATUS_OK : message_failure(&why);
}
