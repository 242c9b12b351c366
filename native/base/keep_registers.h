/* Makes an assembler function that calls a C function and preserves eight given registers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instrumented code calls these assembler functions at points where no register may change. The C
 * function preserves the callee-saved registers. The caller's stack may have any alignment. On
 * arm64, instrumented code uses the normal calling convention, so the assembler function only jumps
 * to the C function.
 */
#ifndef NATIVE_BASE_KEEP_REGISTERS_H
#define NATIVE_BASE_KEEP_REGISTERS_H

/* clang-format off */

#if defined(__x86_64__)
        .macro  keeping_registers name, callee, a, b, c, d, e, f, g, h
        .text
        .p2align 4
        .type   \name, @function
\name:
        .cfi_startproc
        push    %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        push    %\a
        push    %\b
        push    %\c
        push    %\d
        push    %\e
        push    %\f
        push    %\g
        push    %\h
        and     $-16, %rsp
        call    \callee
        mov     -8(%rbp), %\a
        mov     -16(%rbp), %\b
        mov     -24(%rbp), %\c
        mov     -32(%rbp), %\d
        mov     -40(%rbp), %\e
        mov     -48(%rbp), %\f
        mov     -56(%rbp), %\g
        mov     -64(%rbp), %\h
        leave
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm
#else
        .macro  keeping_registers name, callee, a, b, c, d, e, f, g, h
        .text
        .p2align 2
        .type   \name, %function
\name:
        .cfi_startproc
        b       \callee
        .cfi_endproc
        .size   \name, . - \name
        .endm
#endif

        .section .note.GNU-stack, "", %progbits

#endif
