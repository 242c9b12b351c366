# What code that counts its own contexts calls where it cannot: keeps all registers but r11.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the routine, rsi: its return address. The compiler knows that vector registers change.

        .hidden contexts_idle
        .text
        .p2align 4
        .weak   aprof_contexts_enter
        .type   aprof_contexts_enter, @function
aprof_contexts_enter:
        .cfi_startproc
        mov     contexts_idle(%rip), %r11
        test    %r11, %r11
        jne     .Lidle
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
        call    contexts_places_enter
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
# There will be no profile: the edge of all routines.
.Lidle: push    %rax
        .cfi_adjust_cfa_offset 8
        mov     aprof_contexts_edge@gottpoff(%rip), %rax
        mov     %r11, %fs:(%rax)
        pop     %rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   aprof_contexts_enter, . - aprof_contexts_enter

        .section .note.GNU-stack, "", @progbits
