/* The options and files that each profiler needs with each compiler; see profilers.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "compile/driver/profilers.h"
#include "compile/driver/path_driver.h"
#include "lib/base/message.h"

#include <stdio.h>
#include <string.h>

/* clang inserts hooks after vectorisation, but it inserts no hooks for vectors that are larger than
 * 16 bytes or have a mask. A later -O overrides -fno-vectorize, so options of LLVM disable the
 * vectorisers. The option for the vector width is for loops with a vectorisation pragma. */
#define WITHOUT_VECTORS                                                                            \
    "-mllvm", "-vectorize-loops=false", "-mllvm", "-vectorize-slp=false", "-mllvm",                \
        "-force-vector-width=1"

const char *const profiler_without_vectors[] = {WITHOUT_VECTORS, NULL};

/* Options that enable -fsanitize=thread, but disable the sanitizer's own pass. With
 * -fsanitize=thread, clang omits optimisations that ignore other threads and could add reads to the
 * program. Interleaved vector accesses are disabled, because their vectors are wider than the data
 * that the program reads. */
#define CHECKS_INLINE                                                                              \
    "-mllvm", "-enable-interleaved-mem-accesses=false", "-fsanitize=thread", "-mllvm",             \
        "-tsan-instrument-memory-accesses=0", "-mllvm", "-tsan-instrument-func-entry-exit=0",      \
        "-mllvm", "-tsan-instrument-atomics=0", "-mllvm", "-tsan-instrument-memintrinsics=0"

/* Makes aprof.h call the functions of native/trms/calls/regions.c. */
#define HAS_REGIONS "-DAPROF_HAS_REGIONS=1"

/* Functions that executables with the events profiler export, so that libraries with hooks or
 * inline instrumentation can call these functions. */
#define EVENTS_INTERFACE                                                                           \
    "__cyg_profile_func_*", "aprof_events_*", "aprof_native_gate", "aprof_event_path"

/* Functions of ThreadSanitizer that a program's sources call if they are compiled with
 * -fsanitize=thread (native/base/annotations.c, sanitizer.c). */
#define SANITIZER_INTERFACE "__tsan_*", "__sanitizer_*", "Annotate*", "WTFAnnotate*"

/* The names of all profilers, for a message. */
#if APROF_PAPERS
#define KNOWN                                                                                      \
    "trms, contexts or events, alone or with ,inline or ,hooks; trms,inline,sample; "              \
    "events,memory; or paths"
#else
#define KNOWN                                                                                      \
    "trms or contexts, alone or with ,inline or ,hooks; or trms,inline,sample (this aprof was "    \
    "built without events and paths)"
#endif

static const struct profiler profilers[] = {
    {
        .name = "trms,hooks",
        .says = "input sizes and costs, by hooks of gcc or clang; options in APROF",
        .archive = "libaprof_trms.a",
        .stubs = "libaprof_stubs.a",
        .inlined = "libaprof_trms_inline.s",
        /* gcc would replace calls of memory functions by code without hooks, after the pass that
         * inserts hooks. The options -fno-builtin-... keep these calls, because the runtime
         * records the accesses of memory functions. Compilers insert no hooks for locals whose
         * address is never stored, but a callee's hooks would report accesses to these locals as
         * input. So the compiler's analyses that find such locals are disabled. In gcc, the
         * analysis that finds static variables without writes is also disabled, because gcc
         * inserts no hooks for reads of such variables. From gcc 11 and clang 11 on, volatile
         * variables have separate hooks. */
        .gcc = {"-fno-tree-pta", "-fno-ipa-reference-addressable", "-fsanitize=thread",
                "-U__SANITIZE_THREAD__", "--param=tsan-distinguish-volatile=1",
                "-fsanitize-coverage=trace-pc", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                "-fno-builtin-mempcpy", "-fno-builtin-memset", "-fno-builtin-memcmp",
                "-fno-builtin-strcpy", "-fno-builtin-stpcpy", "-fno-builtin-strcmp",
                "-fno-builtin-strncmp", "-mmemcpy-strategy=libcall:-1:noalign",
                "-mmemset-strategy=libcall:-1:noalign", HAS_REGIONS},
        /* Options that request a hook for each block, and hooks for reads even if a write to the
         * same address follows. */
        .clang = {WITHOUT_VECTORS, "-fsanitize=thread", "-fsanitize-coverage=bb,no-prune,trace-pc",
                  "-mllvm", "-tsan-instrument-read-before-write=1", "-mllvm",
                  "-capture-tracking-max-uses-to-explore=0", "-mllvm", "-tsan-distinguish-volatile",
                  HAS_REGIONS},
        .exports = {"aprof_trms_*", "__sanitizer_cov_*",
                    SANITIZER_INTERFACE}, /* objects may call the exported functions */
    },
    {
        .name = "trms,inline",
        .says = "input sizes and costs, by inline checks (clang)",
        .archive = "libaprof_trms.a",
        .stubs = "libaprof_stubs.a",
        .pass = "trms",
        .arm64 = true,
        .checks_inline = true,
        .clang = {CHECKS_INLINE, HAS_REGIONS},
        .exports = {"aprof_trms_*", "__sanitizer_cov_*", SANITIZER_INTERFACE},
    },
    {
        .name = "trms,inline,sample",
        .says = "input sizes and costs of some calls, with APROF=sample=8 (clang)",
        .archive = "libaprof_trms.a",
        .stubs = "libaprof_stubs.a",
        .pass = "trms,sample",
        .arm64 = true,
        .checks_inline = true,
        .clang = {CHECKS_INLINE, HAS_REGIONS},
        .exports = {"aprof_trms_*", "__sanitizer_cov_*", SANITIZER_INTERFACE},
    },
    {
        .name = "contexts,hooks",
        .says = "calling contexts, by patched entries (gcc, clang); APROF_CONTEXTS",
        .archive = "libaprof_contexts.a",
        .object = "libaprof_contexts_object.a",
        /* These options keep each routine in one part, so that a return address identifies the
         * routine. */
        .gcc = {"-fpatchable-function-entry=16", "-fno-reorder-blocks-and-partition",
                "-fasynchronous-unwind-tables"},
        .clang = {"-fpatchable-function-entry=16", "-fasynchronous-unwind-tables"},
        .exports = {"__cyg_profile_func_*", "aprof_contexts_*"},
        .gcc_lto = true,
    },
    {
        .name = "contexts,inline",
        .says = "calling contexts, counted by inline code (clang)",
        .archive = "libaprof_contexts.a",
        .object = "libaprof_contexts_object.a",
        .pass = "contexts",
        .arm64 = true,
        .exports = {"__cyg_profile_func_*", "aprof_contexts_*"},
    },
#if APROF_PAPERS
    {
        .name = "events,hooks",
        .says = "events for analyses on other cores, by hooks (gcc, clang); APROF_EVENTS",
        .archive = "libaprof_events.a",
        .stubs = "libaprof_stubs.a",
        .gcc = {"-finstrument-functions"},
        .clang = {"-finstrument-functions-after-inlining"},
        .exports = {EVENTS_INTERFACE},
        .gcc_lto = true,
    },
    {
        .name = "events,inline",
        .says = "events, written to the ring by inline code (clang)",
        .archive = "libaprof_events.a",
        .stubs = "libaprof_stubs.a",
        .pass = "events",
        .arm64 = true,
        .clang = {"-finstrument-functions-after-inlining"},
        .exports = {EVENTS_INTERFACE},
    },
    {
        .name = "events,memory",
        .says = "also events of loads and stores, by hooks (gcc, clang)",
        .archive = "libaprof_events.a",
        .stubs = "libaprof_stubs.a",
        .gcc = {"-finstrument-functions", "-fsanitize=thread", "-U__SANITIZE_THREAD__"},
        .clang = {WITHOUT_VECTORS, "-finstrument-functions-after-inlining", "-fsanitize=thread",
                  "-mllvm", "-tsan-instrument-func-entry-exit=0"},
        .exports = {EVENTS_INTERFACE, SANITIZER_INTERFACE},
    },
    {.name = PATHS_PROFILE,
     .says = "executed paths of routines (clang)",
     .drives = path_driver_run},
#endif
    {.name = NULL},
};

void profiler_print_all(void)
{
    for (const struct profiler *p = profilers; p->name; p++)
        printf("  %-18s  %s\n", p->name, p->says);
}

const struct profiler *profiler_find(const char *name)
{
    for (const struct profiler *p = profilers; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    message_error("%s: no such profile: must be " KNOWN, name);
    return NULL;
}
