/* A Valgrind tool that configure links and runs: checks the core functions of
 * aprof/valgrind_core.h. SPDX-License-Identifier: GPL-2.0-or-later
 *
 * No installed header declares these functions, so neither the compiler nor the linker notices if a
 * release of Valgrind changes their parameters. This tool therefore calls each function and checks
 * its results. For functions that the core calls (the __wrap_ functions), this tool checks the
 * arguments. The tool prints a line `probe: NAME` before the check of a function. It ends at the
 * first wrong value, so the last line names the function that differs, also after a crash. After
 * all checks, the last line is `probe: done`.
 *
 * configure runs this tool with the options --trace-children=yes, --trace-children-skip=*skipped,
 * --trace-children-skip-by-arg=skipped and --error-exitcode=9. The profiled program has a function
 * `main` and a variable `probe_data`. It raises SIGUSR1, for which it has a handler. The exit
 * status must be 9, because the core takes the number of errors from this tool.
 */
#include "aprof/valgrind_core.h"

#define SIGNAL_RAISED VKI_SIGUSR1
#define PAGE          4096

static UInt empty_maps, maps_with_debug_data, signals;

/* Prints the name before the check, because a wrong signature may also crash this tool. */
static void probe(const HChar *name)
{
    VG_(printf)("probe: %s\n", name);
}

static void expect(Bool right)
{
    if (!right)
        VG_(exit)(1);
}

/* ---------------------------------------------------------------- Functions that this tool calls
 */

static void check_results(void)
{
    SysRes result;

    probe("mk_SysRes_Error");
    result = VG_(mk_SysRes_Error)(1234);
    expect(sr_isError(result) && sr_Err(result) == 1234);
    probe("mk_SysRes_Success");
    result = VG_(mk_SysRes_Success)(1234);
    expect(!sr_isError(result) && sr_Res(result) == 1234);
    probe("strerror");
    expect(VG_(strstr)(VG_(strerror)(VKI_ENOENT), "No such file") != NULL);
}

/* Maps the first page of the program's executable: a system call with six arguments. */
static void check_system_calls(void)
{
#ifdef VGA_x86
    const UWord number = __NR_mmap2;
#else
    const UWord number = __NR_mmap;
#endif
    SysRes result;

    probe("do_syscall");
    result = VG_(do_syscall)(number, 0, PAGE, VKI_PROT_READ, VKI_MAP_PRIVATE,
                             (UWord)VG_(cl_exec_fd), 0, 0, 0);
    expect(!sr_isError(result));
    expect(VG_(memcmp)((const void *)sr_Res(result), "\177ELF", 4) == 0);
    result = VG_(do_syscall)(__NR_munmap, sr_Res(result), PAGE, 0, 0, 0, 0, 0, 0);
    expect(!sr_isError(result) && sr_Res(result) == 0);
}

static void check_memory(void)
{
    UChar *pages;

    probe("am_mmap_anon_float_valgrind");
    expect(empty_maps == 0); /* the core has allocated its own memory */
    pages = valgrind_map(3 * PAGE);
    expect(pages != NULL && (Addr)pages % PAGE == 0);
    pages[0] = pages[3 * PAGE - 1] = 1;
}

static void check_files(void)
{
    HChar text[4] = "";
    SysRes result;
    Int fd, safe;

    probe("pread");
    result = VG_(pread)(VG_(cl_exec_fd), text, 3, 1);
    expect(!sr_isError(result) && sr_Res(result) == 3 && VG_(strcmp)(text, "ELF") == 0);
    probe("safe_fd");
    fd = VG_(fd_open)("/proc/self/exe", VKI_O_RDONLY, 0);
    expect(fd >= 0);
    safe = VG_(safe_fd)(fd);
    expect(safe > fd && VG_(read)(safe, text, 4) == 4 && VG_(memcmp)(text, "\177ELF", 4) == 0);
    expect(VG_(read)(fd, text, 4) < 0);
    VG_(close)(safe);
}

static void check_exec(void)
{
    const HChar *kept[] = {"kept", NULL}, *skipped[] = {"skipped", NULL};
    Bool changes_user = 2;

    probe("check_executable");
    expect(VG_(check_executable)(&changes_user, "/proc/self/exe", False) == 0);
    expect(changes_user == False);
    expect(VG_(check_executable)(&changes_user, "/nonexistent", False) == VKI_ENOENT);
    expect(VG_(check_executable)(&changes_user, "/", False) == VKI_EACCES);
    probe("name_of_launcher");
    expect(VG_(strlen)(VG_(name_of_launcher)) > 0);
    probe("should_we_trace_this_child");
    expect(VG_(should_we_trace_this_child)("/bin/kept", kept));
    expect(!VG_(should_we_trace_this_child)("/bin/skipped", kept));
    expect(!VG_(should_we_trace_this_child)("/bin/kept", skipped));
}

/* The executable has the text symbol `main` at `main_address`, and the data symbol `probe_data`. */
static void check_symbols(Addr main_address)
{
    Bool has_main = False, has_data = False;

    probe("DebugInfo_syms_howmany, DebugInfo_syms_getidx");
    for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di; di = VG_(next_DebugInfo)(di)) {
        Int count = VG_(DebugInfo_syms_howmany)(di);

        expect(count >= 0);
        for (Int i = 0; i < count; i++) {
            struct symbol_address at[4] = {{0}};
            Bool is_text = 2, is_ifunc = 2, is_global = 2;
            const HChar *name = NULL, **others = NULL;
            UInt bytes = 0;

            VG_(DebugInfo_syms_getidx)
            (di, i, at, &bytes, &name, &others, &is_text, &is_ifunc, &is_global);
            expect(bytes > 0 && is_text <= True && is_ifunc <= True && is_global <= True);
            if (VG_(strcmp)(name, "main") == 0 && at[0].main == main_address)
                has_main = is_text && is_global && !is_ifunc;
            if (VG_(strcmp)(name, "probe_data") == 0)
                has_data = !is_text && bytes == sizeof(int);
        }
    }
    expect(has_main && has_data);
}

/* ---------------------------------------------------------------- Functions that the core calls */

ULong __wrap_vgPlain_di_notify_mmap(Addr mapping, Bool allow_any_file, Int fd)
{
    ULong handle;

    if (maps_with_debug_data == 0)
        probe("di_notify_mmap");
    expect(VG_(am_find_nsegment)(mapping) != NULL && allow_any_file <= True && fd >= -1);
    handle = __real_vgPlain_di_notify_mmap(mapping, allow_any_file, fd);
    maps_with_debug_data += handle != 0;
    return handle;
}

Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid)
{
    Bool deliver;

    probe("gdbserver_report_signal");
    expect(tid == 1 && info->si_signo == SIGNAL_RAISED);
    deliver = __real_vgPlain_gdbserver_report_signal(info, tid);
    expect(deliver == True);
    signals++;
    return deliver;
}

UInt __wrap_vgPlain_get_n_errs_found(void)
{
    return 1;
}

SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                                 UWord a6, UWord a7, UWord a8)
{
    return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6, a7, a8);
}

SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes)
{
    empty_maps += bytes == 0;
    return __real_vgPlain_am_mmap_anon_float_valgrind(bytes);
}

/* ---------------------------------------------------------------- The tool */

static void post_clo_init(void)
{
    probe("variables");
    expect(VG_(clo_trace_children) == True && VG_(clo_error_exitcode) == 9);
    expect(VG_(clo_fair_sched) == 0 && VG_(in_generated_code) == False);
    expect(VG_(clo_read_inline_info) <= True && VG_(cl_exec_fd) >= 0);
    check_results();
    check_system_calls();
    check_memory();
    check_files();
    check_exec();
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *block, const VexGuestLayout *layout,
                        const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
                        IRType host_word)
{
    const HChar *name;

    if (VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), closure->nraddr, &name) &&
        VG_(strcmp)(name, "main") == 0)
        check_symbols(closure->nraddr);
    return block;
}

static void fini(Int status)
{
    probe("di_notify_mmap");
    expect(maps_with_debug_data > 0);
    probe("gdbserver_report_signal");
    expect(signals == 1);
    probe("done");
}

static void pre_clo_init(void)
{
    VG_(details_name)("probe");
    VG_(details_version)(NULL);
    VG_(details_description)("checks Valgrind's core");
    VG_(details_copyright_author)("");
    VG_(details_bug_reports_to)("");
    VG_(basic_tool_funcs)(post_clo_init, instrument, fini);
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
