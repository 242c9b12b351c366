/* Exec: writes the process's report, and decides whether the executed program is profiled.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Example: `aprof run -- ./script`, where the script contains `exec ./app`. The process first runs
 * the shell and then the program. The shell's report is NAME.exec1, and the program's is NAME. A
 * wrapper writes no report; a wrapper is a process with a cost below --wrapper-cost. Most forked
 * children are wrappers, because they soon call exec.
 *
 * With --trace-children, Valgrind continues with the new program. But if the program has more
 * rights than its user (su, ping), the exec of Valgrind would fail. The exec of Valgrind would also
 * fail if Valgrind's own files are not accessible to the new program (chroot). Such programs run
 * unprofiled, as without --trace-children.
 */
#include "aprof/exec.h"

#include "aprof/engine.h"
#include "aprof/options.h"
#include "aprof/report_copy.h"
#include "aprof/report_file.h"
#include "aprof/stream.h"

static struct engine *engine;
static UInt n_execs;

/* The latest exec. */
static Bool has_report;
static struct report_outcome exec_outcome; /* result of writing the report before the exec */
static Bool traced_children;               /* value of --trace-children */

/* Returns whether an exec may succeed. Shells and execvp try one directory after another, so an
 * obvious failure must be cheap. */
Bool exec_is(UInt number, const UWord *args)
{
    const UInt may_execute = 0111, kind = 0170000, regular = 0100000;
    struct vg_stat file;

    if (number == __NR_execveat)
        return True;
    if (number != __NR_execve || !VG_(am_is_valid_for_client)(args[0], 1, VKI_PROT_READ))
        return False;
    if (sr_isError(VG_(stat)((const HChar *)args[0], &file)))
        return False;
    return (file.mode & kind) == regular && (file.mode & may_execute) != 0;
}

static void exec_suffix(HChar *suffix)
{
    VG_(sprintf)(suffix, ".exec%u", n_execs);
}

/* A process keeps its id across exec, so reports of its earlier programs also belong to it.
 */
void exec_init(struct engine *measures)
{
    HChar suffix[16];

    engine = measures;
    do {
        n_execs++;
        exec_suffix(suffix);
    } while (report_file_is_ours(suffix));
    n_execs--;
}

/* A copy of this process writes the report. If the exec fails, this process continues unchanged. */
static void write_report(void)
{
    HChar suffix[16];

    n_execs++;
    exec_suffix(suffix);
    exec_outcome = report_copy_write(engine, suffix, "exec");
    report_file_announce(suffix, exec_outcome);
}

static Bool did_work(void)
{
    struct engine_stats stats;

    engine_get_stats(engine, &stats);
    return stats.cost >= clo_wrapper_cost;
}

static Bool in_reach(const HChar *path)
{
    struct vg_stat file;

    return path && !sr_isError(VG_(stat)(path, &file));
}

/* Returns the reason why the new program cannot be profiled; NULL if it can be profiled. */
static const HChar *obstacle(UInt number, const UWord *args)
{
    Bool changes_user = False;

    if (number == __NR_execve)
        VG_(check_executable)(&changes_user, (const HChar *)args[0], False);
    if (changes_user)
        return "it runs with additional privileges";
    if (!in_reach(VG_(name_of_launcher)) || !in_reach(VG_(libdir)))
        return "Valgrind cannot be found there";
    return NULL;
}

/* Decides whether the new program is profiled; prints a message if it is not profiled. */
static void choose_tracing(UInt number, const UWord *args)
{
    Bool is_execve = number == __NR_execve;
    const HChar *path = (const HChar *)args[is_execve ? 0 : 1];
    const HChar **words = (const HChar **)args[is_execve ? 1 : 2];
    Bool readable = VG_(am_is_valid_for_client)((Addr)path, 1, VKI_PROT_READ) &&
                    VG_(am_is_valid_for_client)((Addr)words, sizeof *words, VKI_PROT_READ);
    const HChar *reason = "see --trace-children";

    traced_children = VG_(clo_trace_children);
    if (!readable)
        return;
    if (VG_(should_we_trace_this_child)(path, words[0] ? words : NULL)) {
        reason = obstacle(number, args);
        VG_(clo_trace_children) = reason == NULL;
    }
    if (reason && VG_(clo_verbosity) > 0)
        VG_(umsg)("aprof: %s is not profiled: %s\n", path, reason);
}

void exec_begins(UInt number, const UWord *args)
{
    Bool whole = stream_drain();

    choose_tracing(number, args);
    has_report = whole && did_work();
    if (has_report)
        write_report();
    report_file_exec(has_report && exec_outcome.error);
}

/* Returns whether the kernel resolves this path to the executable of the calling process. */
static Bool names_itself(const HChar *path)
{
    HChar own[32];

    VG_(sprintf)(own, "/proc/%d/exe", VG_(getpid)());
    return VG_(strcmp)(path, "/proc/self/exe") == 0 || VG_(strcmp)(path, own) == 0;
}

/* Returns the path of the program's executable, or NULL if the file no longer has a path. */
static const HChar *program_path(void)
{
    static HChar path[4096];
    HChar link[32];
    struct vg_stat file;
    SSizeT got;

    VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    got = VG_(readlink)(link, path, sizeof path - 1);
    if (got < 0)
        return NULL;
    path[got] = '\0';
    return sr_isError(VG_(stat)(path, &file)) ? NULL : path;
}

const HChar *exec_resolve(const HChar *path, const HChar **arguments)
{
    const HChar *program = program_path();

    if (program == NULL)
        return path;
    if (names_itself(path))
        return program;
    /* The command is Valgrind's launcher with the program as argument, followed by the program's
     * own arguments. */
    for (UInt i = 1; VG_(clo_trace_children) &&arguments[i]; i++) {
        if (!names_itself(arguments[i]))
            continue;
        arguments[i] = program;
        return path;
    }
    return path;
}

void exec_failed(void)
{
    HChar suffix[16];

    VG_(clo_trace_children) = traced_children;
    if (!has_report)
        return;
    exec_suffix(suffix);
    report_file_remove(suffix, exec_outcome);
    n_execs--;
}

void exec_forked(void)
{
    n_execs = 0;
}
