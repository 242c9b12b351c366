# Inline checks for gcc's code: macros in place of calls to the most frequent TRMS hooks.
# SPDX-License-Identifier: BSD-2-Clause
#
# aprof-cc passes this file to the assembler before the compiler's output, for code of executables
# (x86-64). The file defines `call` as a macro. For a hook below, the macro expands to the hook's
# fast path (hooks.c), which suffices for most accesses, and to a call of the hook for all other
# accesses. Other hooks are called, and shared libraries call all hooks. A hook may change the same
# registers as any function, so the macros may use rax, rcx, rdx, rsi and r8. The address is in rdi.
#
# Why the fast path is correct: if a cell's word is not older than the floor, this activation has
# accessed the cell since the latest synchronisation, and another access changes nothing (hooks.c).
# While the program has one execution context, a write only stores its word. A signal may arrive
# between any two instructions. A read only loads, and a write tests again after the store whether
# the program still has one execution context. With several contexts, a write changes nothing if
# this context has written the cell at the current time, and this time is not older than the latest
# synchronisation. Each macro loads the execution context again, because any call may have switched
# stacks. Cost in instructions: 7 to read a byte, 9 to read 4 bytes, 11 to read 8 bytes,
# and 12 to write 4 bytes, 13 to write 8 bytes, 2 for a block. ground/trms_words.h defines the
# offsets, and hooks.c asserts them.
#
# callq is the same instruction as call, but callq is not a macro.

# Sets rsi to the execution context, and rax to the address of the word. Jumps to `hook` unless the
# address is a multiple of \align.
.macro aprof_word hook, align
    .if \align > 1
    testb   $(\align - 1), %dil
    jne     \hook
    .endif
    movq    %fs:aprof_trms_exec_context@tpoff, %rsi
    movq    32(%rsi), %rax
    andq    %rdi, %rax
    addq    24(%rsi), %rax
.endm

.macro aprof_read1 hook:vararg
    aprof_word .Laprof_hook\@, 1
    movl    16(%rsi), %edx
    cmpl    %edx, (%rax)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_read4 hook:vararg
    aprof_word .Laprof_hook\@, 4
    movl    16(%rsi), %edx
    cmpl    %edx, (%rax)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_read8 hook:vararg
    aprof_word .Laprof_hook\@, 4
    movl    16(%rsi), %edx
    cmpl    %edx, (%rax)
    jb      .Laprof_hook\@
    cmpl    %edx, 4(%rax)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_write4 hook:vararg
    aprof_word .Laprof_hook\@, 4
    movl    (%rsi), %edx
    cmpl    $0, 40(%rsi)
    jne     .Laprof_compare\@
    movl    %edx, (%rax)
    cmpl    $0, 40(%rsi)
    je      .Laprof_done\@
    jmp     .Laprof_hook\@
.Laprof_compare\@:
    cmpl    %edx, (%rax)
    jne     .Laprof_hook\@
    cmpl    44(%rsi), %edx
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_write8 hook:vararg
    aprof_word .Laprof_hook\@, 4
    movl    (%rsi), %edx
    cmpl    $0, 40(%rsi)
    jne     .Laprof_compare\@
    movl    %edx, (%rax)
    movl    %edx, 4(%rax)
    cmpl    $0, 40(%rsi)
    je      .Laprof_done\@
    jmp     .Laprof_hook\@
.Laprof_compare\@:
    cmpl    %edx, (%rax)
    jne     .Laprof_hook\@
    cmpl    %edx, 4(%rax)
    jne     .Laprof_hook\@
    cmpl    44(%rsi), %edx
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_count hook:vararg
    movq    %fs:aprof_trms_exec_context@tpoff, %rax
    incq    8(%rax)
.endm

# Code of position-independent executables calls hooks through @PLT.
.macro call target:vararg
    .ifc \target,__sanitizer_cov_trace_pc@PLT
    aprof_count \target
    .else
    .ifc \target,__tsan_read8@PLT
    aprof_read8 \target
    .else
    .ifc \target,__tsan_read4@PLT
    aprof_read4 \target
    .else
    .ifc \target,__tsan_write8@PLT
    aprof_write8 \target
    .else
    .ifc \target,__tsan_write4@PLT
    aprof_write4 \target
    .else
    .ifc \target,__tsan_read1@PLT
    aprof_read1 \target
    .else
    .ifc \target,__sanitizer_cov_trace_pc
    aprof_count \target
    .else
    .ifc \target,__tsan_read8
    aprof_read8 \target
    .else
    .ifc \target,__tsan_read4
    aprof_read4 \target
    .else
    .ifc \target,__tsan_write8
    aprof_write8 \target
    .else
    .ifc \target,__tsan_write4
    aprof_write4 \target
    .else
    .ifc \target,__tsan_read1
    aprof_read1 \target
    .else
    callq   \target
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
    .endif
.endm
