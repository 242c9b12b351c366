# What gcc's code has in place of calls to the commonest hooks of the compiled-in TRMS.
# SPDX-License-Identifier: BSD-2-Clause
#
# aprof-cc has the assembler read this before the compiler's text, for code of executables (x86-64).
# Each call is a macro then: one of a hook below becomes the hook's first look (hooks.c), which
# is all that most accesses need, and the call itself where that is not enough. Other hooks, and
# shared libraries, call. A hook may change the same registers as any function, so those are free
# here: rax, rcx, rdx, rsi, r8; rdi has the address.
#
# Why a first look is enough: a word not older than the floor belongs to a cell that this activation
# has accessed since its last synchronisation, and doing so again changes nothing (hooks.c). While the
# program has one execution context a write is its word. A signal may come between any two instructions: a read
# only loads, and a write looks again whether there is still one execution context. Of several, one that has
# written the cell at this time, which is not older than its last synchronisation, need not do so
# again. The execution context is loaded again each time, as any call may have switched stacks. Cost: 7
# instructions to read a byte, 9 to read 4 bytes and 11 for 8; 12 and 13 to write them; 2 for a block.
# The offsets are those of ground/trms_words.h, which hooks.c asserts.
#
# callq is the same instruction as call, and no macro.

# rsi = the execution context, rax = the word of the address; on to `hook` unless it is a multiple of \align
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

# Code for executables that are loaded anywhere calls through @PLT.
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
