/* Routines in assembly with a proper symbol: name, type and size.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
/* clang-format off */
#define BEGIN(name)                                                                                \
    .text;                                                                                         \
    .globl name;                                                                                   \
    .type name, @function;                                                                         \
    .p2align 4;                                                                                    \
    name:
#define END(name) .size name, .- name

    .section .note.GNU-stack, "", @progbits
