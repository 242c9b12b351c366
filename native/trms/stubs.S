# Hooks for a program without the runtime: the hooks do nothing and change no register.
# SPDX-License-Identifier: BSD-2-Clause
#
# This file or native/trms/object.c defines each name that libaprof_trms.a has for compiled code
# (tests/native/strangers.sh).

        .macro  stub name
        .weak   \name
        .type   \name, %function
\name:
        .endm

        .macro  by_size prefix
        .irp    bytes, 1, 2, 4, 8, 16
        stub    \prefix\bytes
        .endr
        .endm

        .text
        by_size __tsan_read
        by_size __tsan_write
        by_size __tsan_read_write
        by_size __tsan_volatile_read
        by_size __tsan_volatile_write
        .irp    bytes, 2, 4, 8, 16
        stub    __tsan_unaligned_read\bytes
        stub    __tsan_unaligned_write\bytes
        stub    __tsan_unaligned_read_write\bytes
        stub    __tsan_unaligned_volatile_read\bytes
        stub    __tsan_unaligned_volatile_write\bytes
        .endr
        .irp    name, read_range, write_range, vptr_read, vptr_update, func_entry, func_exit
        stub    __tsan_\name
        .endr
        .irp    name, init, ignore_thread_begin, ignore_thread_end
        stub    __tsan_\name
        .endr
        .irp    name, pc, pc_guard, pc_guard_init
        stub    __sanitizer_cov_trace_\name
        .endr

        by_size aprof_trms_read_
        by_size aprof_trms_write_
        .irp    bytes, 1, 2, 4, 8
        stub    aprof_trms_stored_\bytes
        .endr
        .irp    name, read, write, read_rows, write_rows, enter, leave, land, sync, region_begin, region_end
        stub    aprof_trms_\name
        .endr

        stub    __cyg_profile_func_enter
        stub    __cyg_profile_func_exit
        stub    aprof_events_tell
        stub    aprof_event_path
        ret

# The stubs define the hooks, so this undefined name marks an instrumented library
# (native/trms/interpose/callers.c).
        .weak   aprof_trms_instrumented
        .section .data.rel.ro, "aw"
        .balign 8
        .quad   aprof_trms_instrumented

        .section .note.GNU-stack, "", %progbits
