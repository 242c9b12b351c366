# What code that counts its own contexts calls where it cannot: keeps all registers but rax, which returns the edge.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the routine, rsi: its return address. contexts_places_enter changes no vector register.

        .text
        .p2align 4
        .weak   aprof_contexts_enter
        .type   aprof_contexts_enter, @function
aprof_contexts_enter:
        .cfi_startproc
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        and     $-16, %rsp
        call    contexts_places_enter
        mov     -8(%rbp), %rcx
        mov     -16(%rbp), %rdx
        mov     -24(%rbp), %rsi
        mov     -32(%rbp), %rdi
        mov     -40(%rbp), %r8
        mov     -48(%rbp), %r9
        mov     -56(%rbp), %r10
        mov     -64(%rbp), %r11
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   aprof_contexts_enter, . - aprof_contexts_enter

        .section .note.GNU-stack, "", @progbits
