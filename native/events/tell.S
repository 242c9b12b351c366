# What code that makes its own events calls where it cannot: keeps all registers but r11.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the event. The compiler knows that vector registers change.

        .text
        .p2align 4
        .globl  aprof_events_tell
        .type   aprof_events_tell, @function
aprof_events_tell:
        .cfi_startproc
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push    %rax
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        and     $-16, %rsp
        call    events_told
        mov     -8(%rbp), %rax
        mov     -16(%rbp), %rcx
        mov     -24(%rbp), %rdx
        mov     -32(%rbp), %rsi
        mov     -40(%rbp), %rdi
        mov     -48(%rbp), %r8
        mov     -56(%rbp), %r9
        mov     -64(%rbp), %r10
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   aprof_events_tell, . - aprof_events_tell

        .section .note.GNU-stack, "", @progbits
