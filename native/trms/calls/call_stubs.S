# Wrappers of functions that synchronise threads, start threads, or leave frames.
# SPDX-License-Identifier: BSD-2-Clause
#
# The executable defines each name before the library does. A wrapper keeps all arguments in their
# registers while trms_before_call (calls.c) performs the action of the call's kind and finds the
# library's function. The wrapper then jumps to this function, which returns to the program itself.
# It suffices to record the operation before it takes place (docs/parallel-trms.md).
#
# Kinds: 0 synchronises, 1 creates a thread, 2 leaves frames (jmp_buf), 3 gets a stack (ucontext_t).
# Kind 4 continues at the ucontext_t in the first argument, kind 5 at the one in the second argument.

#if defined(__x86_64__)
        .text
        .p2align 4
        .type   call_any, %function
call_any:                               # %r11: the entry
        .cfi_startproc
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        push    %rcx
        .cfi_adjust_cfa_offset 8
        push    %r8
        .cfi_adjust_cfa_offset 8
        push    %r9
        .cfi_adjust_cfa_offset 8
        push    %rax                    # number of vector arguments, for variadic functions
        .cfi_adjust_cfa_offset 8
        mov     %rsi, %rdx              # the first two arguments
        mov     %rdi, %rsi
        mov     %r11, %rdi
        call    trms_before_call
        mov     %rax, %r11
        pop     %rax
        .cfi_adjust_cfa_offset -8
        pop     %r9
        .cfi_adjust_cfa_offset -8
        pop     %r8
        .cfi_adjust_cfa_offset -8
        pop     %rcx
        .cfi_adjust_cfa_offset -8
        pop     %rdx
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc
        .size   call_any, . - call_any

        .macro  jump_with entry
        lea     \entry(%rip), %r11
        jmp     call_any
        .endm
#else
        .text
        .p2align 4
        .type   call_any, %function
call_any:                               // x16: the entry
        .cfi_startproc
        stp     x29, x30, [sp, #-224]!
        .cfi_def_cfa_offset 224
        .cfi_offset x29, -224
        .cfi_offset x30, -216
        mov     x29, sp
        stp     x0, x1, [sp, #16]
        stp     x2, x3, [sp, #32]
        stp     x4, x5, [sp, #48]
        stp     x6, x7, [sp, #64]
        str     x8, [sp, #80]
        stp     q0, q1, [sp, #96]
        stp     q2, q3, [sp, #128]
        stp     q4, q5, [sp, #160]
        stp     q6, q7, [sp, #192]
        mov     x2, x1                  // the first two arguments
        mov     x1, x0
        mov     x0, x16
        bl      trms_before_call
        mov     x16, x0
        ldp     x0, x1, [sp, #16]
        ldp     x2, x3, [sp, #32]
        ldp     x4, x5, [sp, #48]
        ldp     x6, x7, [sp, #64]
        ldr     x8, [sp, #80]
        ldp     q0, q1, [sp, #96]
        ldp     q2, q3, [sp, #128]
        ldp     q4, q5, [sp, #160]
        ldp     q6, q7, [sp, #192]
        ldp     x29, x30, [sp], #224
        .cfi_restore x29
        .cfi_restore x30
        .cfi_def_cfa_offset 0
        br      x16
        .cfi_endproc
        .size   call_any, . - call_any

        .macro  jump_with entry
        adrp    x16, \entry
        add     x16, x16, :lo12:\entry
        b       call_any
        .endm
#endif

# struct stubbed_call {void *real; const char *name; uint64_t kind;}
        .macro  before name, kind=0
        .section .rodata.str1.1, "aMS", %progbits, 1
.Lname_\name:
        .asciz  "\name"
        .section .data.trms_calls, "aw", %progbits
        .p2align 3
.Lentry_\name:
        .quad   0, .Lname_\name, \kind
        .text
        .globl  \name
        .type   \name, %function
\name:
        .cfi_startproc
        jump_with .Lentry_\name
        .cfi_endproc
        .size   \name, . - \name
        .endm

# ---------------------------------------------------------------- POSIX threads

        before  pthread_create, 1
        .irp    name, join, tryjoin_np, timedjoin_np, clockjoin_np, once, barrier_wait, exit
        before  pthread_\name
        .endr
        .irp    name, lock, trylock, timedlock, clocklock, unlock
        before  pthread_mutex_\name
        .endr
        .irp    name, rdlock, tryrdlock, timedrdlock, clockrdlock, wrlock, trywrlock, timedwrlock, clockwrlock, unlock
        before  pthread_rwlock_\name
        .endr
        .irp    name, lock, trylock, unlock
        before  pthread_spin_\name
        .endr
        .irp    name, wait, timedwait, clockwait, signal, broadcast
        before  pthread_cond_\name
        .endr
        .irp    name, wait, trywait, timedwait, clockwait, post
        before  sem_\name
        .endr

# ---------------------------------------------------------------- C and C++ threads

        before  thrd_create, 1
        .irp    name, thrd_join, call_once, mtx_lock, mtx_trylock, mtx_timedlock, mtx_unlock, cnd_wait, cnd_timedwait, cnd_signal, cnd_broadcast
        before  \name
        .endr
        .irp    name, acquire, release, abort
        before  __cxa_guard_\name
        .endr

# ---------------------------------------------------------------- OpenMP (libgomp)

# libgomp creates threads by pthread_create, if a team has several threads.

        .irp    name, barrier, barrier_cancel, atomic_start, atomic_end, cancel, cancellation_point
        before  GOMP_\name
        .endr
        .irp    name, start, end, name_start, name_end
        before  GOMP_critical_\name
        .endr
        .irp    name, parallel_end, ordered_start, ordered_end, scope_start, single_start, single_copy_start, single_copy_end
        before  GOMP_\name
        .endr
        .irp    name, parallel, parallel_start, parallel_reductions, parallel_sections, parallel_sections_start, teams_reg
        before  GOMP_\name
        .endr
        .irp    name, static, dynamic, guided, runtime, nonmonotonic_dynamic, nonmonotonic_guided, nonmonotonic_runtime, maybe_nonmonotonic_runtime
        before  GOMP_parallel_loop_\name
        .endr
        .irp    name, static, dynamic, guided, runtime
        before  GOMP_parallel_loop_\name\()_start
        .endr
        .irp    name, sections_start, sections2_start, sections_next, sections_end, sections_end_cancel, sections_end_nowait
        before  GOMP_\name
        .endr
        .irp    name, start, ordered_start, doacross_start, end, end_cancel, end_nowait
        before  GOMP_loop_\name
        .endr
        .irp    name, static, dynamic, guided, runtime, nonmonotonic_dynamic, nonmonotonic_guided, nonmonotonic_runtime, maybe_nonmonotonic_runtime, ordered_static, ordered_dynamic, ordered_guided, ordered_runtime
        before  GOMP_loop_\name\()_start
        before  GOMP_loop_\name\()_next
        before  GOMP_loop_ull_\name\()_start
        before  GOMP_loop_ull_\name\()_next
        .endr
        .irp    name, static, dynamic, guided, runtime
        before  GOMP_loop_doacross_\name\()_start
        before  GOMP_loop_ull_doacross_\name\()_start
        .endr
        .irp    name, loop_ull_start, loop_ull_ordered_start, loop_ull_doacross_start, doacross_post, doacross_wait, doacross_ull_post, doacross_ull_wait
        before  GOMP_\name
        .endr
        .irp    name, task, taskloop, taskloop_ull
        before  GOMP_\name
        .endr
        .irp    name, taskwait, taskwait_depend, taskyield, taskgroup_start, taskgroup_end
        before  GOMP_\name
        .endr
        .irp    name, set, unset, test
        before  omp_\name\()_lock
        before  omp_\name\()_nest_lock
        .endr
        before  omp_fulfill_event

# ---------------------------------------------------------------- OpenMP (libomp)

        .irp    name, fork_call, fork_teams, omp_task, omp_task_with_deps, omp_task_begin_if0, taskloop
        before  __kmpc_\name
        .endr
        .irp    name, barrier, barrier_master, end_barrier_master, barrier_master_nowait, cancel_barrier, serialized_parallel, end_serialized_parallel
        before  __kmpc_\name
        .endr
        .irp    name, critical, critical_with_hint, end_critical, single, end_single, master, end_master, masked, end_masked, ordered, end_ordered, flush, copyprivate
        before  __kmpc_\name
        .endr
        .irp    name, reduce, end_reduce, reduce_nowait, end_reduce_nowait, for_static_fini, dispatch_init_4, dispatch_init_4u, dispatch_init_8, dispatch_init_8u, dispatch_next_4, dispatch_next_4u, dispatch_next_8, dispatch_next_8u, doacross_post, doacross_wait
        before  __kmpc_\name
        .endr
        .irp    name, omp_task_complete_if0, omp_taskwait, omp_taskwait_deps_51, omp_taskyield, omp_wait_deps, taskgroup, end_taskgroup
        before  __kmpc_\name
        .endr
        .irp    name, set, unset, test
        before  __kmpc_\name\()_lock
        before  __kmpc_\name\()_nest_lock
        .endr

# ---------------------------------------------------------------- frames and stacks

        .irp    name, longjmp, _longjmp, siglongjmp, __longjmp_chk
        before  \name, 2
        .endr
        before  makecontext, 3
        before  setcontext, 4
        before  swapcontext, 5

        .section .note.GNU-stack, "", %progbits
