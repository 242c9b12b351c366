/* Valgrind's tool headers, and functions of its core that these headers do not declare.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Include this header before any freestanding header: Valgrind's core defines LIKELY and similar
 * macros, and the freestanding headers define only those that are not yet defined.
 *
 * A tool that is linked with libcoregrind can call every function of the core, but the installed
 * headers declare only some of them. The functions declared here have the same signature in every
 * release from 3.18 to 3.27. configure compares the sizes of variables, and runs a special tool
 * that calls each of these functions (valgrind_probe.c). The compiler also compares these
 * declarations with a release's own tool headers.
 */
#ifndef APROF_VALGRIND_CORE_H
#define APROF_VALGRIND_CORE_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_xarray.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_clreq.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_guest.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_seqmatch.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"

/* The address of a symbol; the core's type has more members only on PowerPC. */
struct symbol_address {
    Addr main;
};

/* These functions list the text and data symbols of one object, sorted by address, without
 * overlaps. */
Int VG_(DebugInfo_syms_howmany)(const DebugInfo *di);
void VG_(DebugInfo_syms_getidx)(const DebugInfo *di, Int index, struct symbol_address *at,
                                UInt *size, const HChar **name, const HChar ***other_names,
                                Bool *is_text, Bool *is_ifunc, Bool *is_global);

/* --fair-sched: 0 no, 1 yes, 2 try. */
extern UInt VG_(clo_fair_sched);

/* --read-inline-info: whether the core reads the positions of inlined functions. */
extern Bool VG_(clo_read_inline_info);

/* True while client code runs, perhaps in the middle of a superblock. */
extern Bool VG_(in_generated_code);

/* Variables and functions for exec: --trace-children and related options, and the command
 * `valgrind`. */
extern Bool VG_(clo_trace_children);
extern HChar *VG_(name_of_launcher);
Bool VG_(should_we_trace_this_child)(const HChar *path, const HChar **arguments);

/* A descriptor of the program's executable. */
extern Int VG_(cl_exec_fd);

/* Returns 0 if the file can be executed. A set-user-id file can be executed only if set-user-id
 * files are allowed. */
Int VG_(check_executable)(Bool *changes_user, const HChar *path, Bool allow_change);

/* Copies the descriptor `fd` to a number that the client cannot use, and closes `fd`. Exec closes
 * the copy. */
Int VG_(safe_fd)(Int fd);

extern Int VG_(clo_error_exitcode); /* --error-exitcode; 0: not given */

/* VG_(pread) does not change the file's offset. */
SysRes VG_(pread)(Int fd, void *buffer, Int bytes, OffT offset);

const HChar *VG_(strerror)(UWord error);
SysRes VG_(do_syscall)(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5, UWord a6,
                       UWord a7, UWord a8);

/* The core informs the debugger before it delivers a signal. No other callback reports a fatal
 * signal to a tool, so the linker redirects the core's call to the __wrap_ function (threads.c). */
Bool __real_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);
Bool __wrap_vgPlain_gdbserver_report_signal(vki_siginfo_t *info, ThreadId tid);

/* The core reads the debug data of a file when it is notified of a mapping. The linker redirects
 * the notification to the __wrap_ function (debug_data.c). */
ULong __real_vgPlain_di_notify_mmap(Addr mapping, Bool allow_any_file, Int fd);
ULong __wrap_vgPlain_di_notify_mmap(Addr mapping, Bool allow_any_file, Int fd);

/* At the end, the core calls this function to decide whether to exit with --error-exitcode. The
 * linker redirects the call to the __wrap_ function (report_file.c), so that a report that could
 * not be written counts as an error. */
UInt __wrap_vgPlain_get_n_errs_found(void);

/* The core makes all its system calls by do_syscall, and allocates all its memory by
 * am_mmap_anon_float_valgrind. The linker redirects both functions to __wrap_ functions
 * (core_calls.c, sandbox.c). */
SysRes __real_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                                 UWord a6, UWord a7, UWord a8);
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3, UWord a4, UWord a5,
                                 UWord a6, UWord a7, UWord a8);
SysRes VG_(am_mmap_anon_float_valgrind)(SizeT bytes);
SysRes __real_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes);
SysRes __wrap_vgPlain_am_mmap_anon_float_valgrind(SizeT bytes);
SysRes VG_(mk_SysRes_Error)(UWord error);
SysRes VG_(mk_SysRes_Success)(UWord value);

/* Allocates pages for a tool's own data; returns NULL if there are no pages. */
static inline void *valgrind_map(SizeT bytes)
{
    SysRes result = VG_(am_mmap_anon_float_valgrind)(bytes);

    return sr_isError(result) ? NULL : (void *)sr_Res(result);
}

#endif
