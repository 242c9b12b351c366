/* The choice of a routine's version, for compiled code (ground/trms_words.h).
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * On x86-64 the function changes no general register except rax and r11 (preserve_most), so the
 * entry of a routine need not save the routine's arguments. The return address identifies the
 * routine, and becomes the last argument of trms_choose.
 */
/* clang-format off */
        .globl  aprof_trms_choose
        .text
#if defined(__x86_64__)
        .p2align 4
        .type   aprof_trms_choose, @function
aprof_trms_choose:
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
        and     $-16, %rsp
        mov     8(%rbp), %rdx
        call    trms_choose
        mov     -8(%rbp), %rcx
        mov     -16(%rbp), %rdx
        mov     -24(%rbp), %rsi
        mov     -32(%rbp), %rdi
        mov     -40(%rbp), %r8
        mov     -48(%rbp), %r9
        mov     -56(%rbp), %r10
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
#else
        .p2align 2
        .type   aprof_trms_choose, %function
aprof_trms_choose:
        .cfi_startproc
        mov     x3, x30
        b       trms_choose
        .cfi_endproc
#endif
        .size   aprof_trms_choose, . - aprof_trms_choose
        .section .note.GNU-stack, "", %progbits
