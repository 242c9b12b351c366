/* The Valgrind tool aprof: registration, start of a run, partial reports, and end of a run.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tool starts in pre_clo_init, which registers the callbacks. When the options are known,
 * post_clo_init creates the engine and the stream. The core then calls instrument.c for each
 * superblock, and the instrumented program fills the stream. threads.c, syscall_wrap.c and
 * client_requests.c add further records. At the end of the run, fini writes the report. A dump
 * writes the measurements so far; an exec writes the old program's report (exec.c).
 */
#include "aprof/valgrind_core.h"

#include "aprof/client_requests.h"
#include "aprof/debug_data.h"
#include "aprof/engine.h"
#include "aprof/exec.h"
#include "aprof/instrument.h"
#include "aprof/jit_code.h"
#include "aprof/machine.h"
#include "aprof/options.h"
#include "aprof/report_copy.h"
#include "aprof/report_file.h"
#include "aprof/sandbox.h"
#include "aprof/second_engine.h"
#include "aprof/stream.h"
#include "aprof/syscall_wrap.h"
#include "aprof/threads.h"

#define FAIR_SCHED_TRY 2

static struct engine *engine;
static UInt n_dumps;
static UInt next_dump; /* --dump-every: the time of the next dump, in Valgrind's milliseconds */

/*------------------------------------------------------------*/
/*--- Parts of a run                                       ---*/
/*------------------------------------------------------------*/

static void write_part(struct engine *which, const HChar *suffix, const HChar *end)
{
    engine_gather(which);
    report_file_write(which, suffix, end);
    engine_clear(which);
}

static void dump(void)
{
    HChar suffix[32], end[16];

    n_dumps++;
    VG_(sprintf)(suffix, ".%u", n_dumps);
    VG_(sprintf)(end, "dump %u", n_dumps);
    if (!stream_drain())
        return;
    write_part(engine, suffix, end);
    if (second_engine()) {
        VG_(sprintf)(suffix, ".%u" SECOND_ENGINE_SUFFIX, n_dumps);
        write_part(second_engine(), suffix, end);
    }
}

static void schedule_dump(void)
{
    next_dump = VG_(read_millisecond_timer)() + 1000 * clo_dump_every;
}

/* For --dump-every, writes the report of the run so far. A copy of the process writes the report,
 * so that pending activations are not affected. After a failed dump, no further dump is tried. */
static void dump_in_time(void)
{
    struct report_outcome outcome;

    if (clo_dump_every == 0 || VG_(read_millisecond_timer)() < next_dump)
        return;
    if (!stream_drain())
        return;
    outcome = report_copy_write(engine, "", "still running");
    if (outcome.error) {
        report_file_announce("", outcome);
        VG_(umsg)("aprof: --dump-every: failed; the next report is written at the program's end\n");
        clo_dump_every = 0;
    }
    schedule_dump();
}

static void prepare_dumps(void)
{
    if (clo_dump_every && report_file_is_special()) {
        VG_(fmsg)("aprof: --dump-every: only a regular file can be replaced by the next report\n");
        VG_(exit)(1);
    }
    schedule_dump();
}

/* The analysis thread calls this function after all threads of the program were killed and all
 * records are consumed. A copy of the process writes the report, so that the kernel alone decides
 * how this process ends. */
static void write_orphan(Int signal)
{
    HChar end[24];

    if (!stream_drain())
        return;
    VG_(sprintf)(end, "signal %d", signal);
    if (VG_(clo_verbosity) > 0)
        VG_(umsg)(
            "aprof: the kernel has killed the program's thread, perhaps by a seccomp filter\n");
    report_file_announce("", report_copy_write(engine, "", end));
    VG_(message_flush)();
}

/* Writes the report at once, because the run may end without another chance to write it. */
static void write_now(const HChar *end)
{
    if (stream_drain())
        report_file_announce("", report_copy_write(engine, "", end));
}

static void forked(void)
{
    n_dumps = 0;
    report_file_forked();
    exec_forked();
    jit_code_init();
}

/*------------------------------------------------------------*/
/*--- Start and end                                        ---*/
/*------------------------------------------------------------*/

/* Every control transfer must be visible to the tool. So Valgrind must neither unroll loops nor
 * follow jumps while it builds a superblock, even if the user's options say so. */
static void translate_exactly(void)
{
    VG_(clo_vex_control).iropt_unroll_thresh = 0;
    VG_(clo_vex_control).guest_chase = False;
}

/* Returns the number of processors that this process may use. */
static UInt processors_allowed(void)
{
    UWord mask[128] = {0};
    SysRes got =
        VG_(do_syscall)(__NR_sched_getaffinity, 0, sizeof mask, (UWord)mask, 0, 0, 0, 0, 0);
    UInt n = 0;

    for (UInt i = 0; !sr_isError(got) && i < sr_Res(got) / sizeof mask[0]; i++) {
        for (UWord bits = mask[i]; bits; bits &= bits - 1)
            n++;
    }
    return n;
}

static Bool is_concurrent(void)
{
    if (clo_concurrent != CONCURRENT_AUTO)
        return clo_concurrent != CONCURRENT_NO;
    if (processors_allowed() > 1)
        return True;
    if (VG_(clo_verbosity) > 1)
        VG_(umsg)("aprof: --concurrent=auto: only one processor may be used, so the program's "
                  "threads run the analysis\n");
    return False;
}

static void start_engines(const struct engine_config *config)
{
    struct handover_config handover = {
        .concurrent = is_concurrent(),
        .chunk_words = clo_chunk_words,
        .ring_chunks = clo_ring_chunks,
        .orphaned = write_orphan,
    };

    engine = handover.engine = engine_new(config);
    if (clo_concurrent == CONCURRENT_BOTH) {
        second_engine_open(config);
        handover.also = second_engine_consume;
    }
    stream_open(&handover);
}

static void print_stats(void)
{
    struct engine_stats stats;

    if (!VG_(in_generated_code))
        stream_drain();
    handover_settle();
    engine_get_stats(engine, &stats);
    VG_(umsg)("aprof: %llu words of events, %llu renumberings, %llu execution contexts, at most "
              "%llu deep\n",
              (ULong)stats.words, (ULong)stats.renumberings, (ULong)stats.exec_contexts,
              (ULong)stats.deepest);
    VG_(umsg)("aprof: %llu shadow chunks, %llu of them of latest writes\n", (ULong)stats.chunks,
              (ULong)stats.write_chunks);
    syscall_wrap_print_stats();
    handover_print_stats();
}

/* Writes the report of the whole run. `signal` is the signal that ends the run, or 0. */
static void write_last(Int signal)
{
    HChar end[24];

    if (signal)
        VG_(sprintf)(end, "signal %d", signal);
    else
        VG_(sprintf)(end, "exit");
    engine_finish(engine);
    report_file_write(engine, "", end);
    if (second_engine()) {
        engine_finish(second_engine());
        report_file_write(second_engine(), SECOND_ENGINE_SUFFIX, end);
    }
}

static void write_at_kill(Int signal)
{
    stream_pause();
    if (stream_drain())
        write_last(signal);
}

static void fini(Int exit_status)
{
    if (!stream_drain())
        return;
    if (VG_(clo_stats))
        print_stats();
    write_last(threads_fatal_signal());
}

static void post_clo_init(void)
{
    struct engine_config config = {
        .resolution_log2 = clo_resolution_log2,
        .counter_bits = clo_counter_bits,
        .trms = clo_trms,
        .rms = clo_rms,
        .separate_threads = clo_separate_threads,
        .collect_at_start = clo_instr_atstart,
        .collect_in_toggles = options_have_toggles(),
        .linked = MACHINE_LINKS,
        .edges = clo_edges,
        .lines = clo_lines,
        .contexts = options_contexts(),
    };
    const struct sandbox_actions sandbox = {write_now, write_at_kill};

    options_take_environment();
    debug_data_init();
    jit_code_init();
    translate_exactly();
    report_file_init();
    start_engines(&config);
    exec_init(engine);
    prepare_dumps();
    threads_register(forked, clo_dump_every ? dump_in_time : NULL);
    syscall_wrap_register(write_now);
    sandbox_register(&sandbox);
}

static void pre_clo_init(void)
{
    VG_(details_name)("aprof");
    VG_(details_version)(APROF_VERSION);
    VG_(details_description)("an input-sensitive profiler");
    VG_(details_copyright_author)("Free software under the GNU GPL, version 2 or later.");
    VG_(details_bug_reports_to)("the provider of your aprof package");
    VG_(details_avg_translation_sizeB)(400);
    VG_(basic_tool_funcs)(post_clo_init, instrument_superblock, fini);
    VG_(needs_print_stats)(print_stats);
    VG_(clo_fair_sched) = FAIR_SCHED_TRY;
    options_register();
    instrument_register();
    client_requests_register(dump);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
