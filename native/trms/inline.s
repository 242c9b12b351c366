# What gcc's code has in place of calls to the commonest hooks of the compiled-in TRMS.
# SPDX-License-Identifier: BSD-2-Clause
#
# aprof-cc has the assembler read this before the compiler's text, for code of executables (x86-64).
# Each call is a macro then: one of a hook below becomes the hook's first look (hooks.c), which
# is all that most accesses need, and the call itself where that is not enough. Other hooks, and
# shared libraries, call. A hook may change the same registers as any function, so those are free
# here: rax, rcx, rdx, rsi, r8; rdi has the address.
#
# Why a first look is enough: an entry not older than the floor belongs to a cell that this activation
# has accessed since its last synchronisation, and doing so again changes nothing (hooks.c). While the
# program has one strand a write is its entry, stored blindly. A signal may come between any two
# instructions: a read only loads, and a write looks again whether it is blind still. The strand is
# loaded anew each time, as any call may have switched stacks. Cost: 11 instructions to read 4 bytes,
# 13 for 8; 13 and 14 to write them; 2 for a block. The offsets are asserted in hooks.c: 144 is the
# first tag, 2192 the first pointer to cells, whose entries are twice as far apart as the program's
# bytes, 6288 the first tag of blindness.
#
# callq is the same instruction as call, and no macro.

# rsi = the strand; on to `hook` unless the chunk of the address is at hand, and the address a
# multiple of 1 << \log2 (the rotation takes what is not to where no tag has bits); rax = its index,
# rdx = its place
.macro aprof_chunk hook, log2
    movq    %fs:aprof_trms_strand@tpoff, %rsi
    movq    %rdi, %rax
    .if \log2
    rorq    $\log2, %rax
    .endif
    shrq    $(20 - \log2), %rax
    movzbl  %al, %edx
    cmpq    %rax, 144(%rsi,%rdx,8)
    jne     \hook
.endm

# rax = the cells, edx = the floor
.macro aprof_cells hook, log2
    aprof_chunk \hook, \log2
    movq    2192(%rsi,%rdx,8), %rax
    movl    16(%rsi), %edx
.endm

.macro aprof_read1 hook:vararg
    aprof_cells .Laprof_hook\@, 0
    movq    %rdi, %rcx
    andq    $-4, %rcx
    cmpl    %edx, (%rax,%rcx,2)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_read4 hook:vararg
    aprof_cells .Laprof_hook\@, 2
    cmpl    %edx, (%rax,%rdi,2)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_read8 hook:vararg
    aprof_cells .Laprof_hook\@, 3
    cmpl    %edx, (%rax,%rdi,2)
    jb      .Laprof_hook\@
    cmpl    %edx, 8(%rax,%rdi,2)
    jae     .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

# rcx = the cells, r8 = the stamp; on to `look` unless writes there are blind
.macro aprof_blind hook, look, log2
    aprof_chunk \hook, \log2
    movq    2192(%rsi,%rdx,8), %rcx
    movq    (%rsi), %r8
    cmpq    %rax, 6288(%rsi,%rdx,8)
    jne     \look
.endm

.macro aprof_write4 hook:vararg
    aprof_blind .Laprof_hook\@, .Laprof_look\@, 2
    movq    %r8, (%rcx,%rdi,2)
    cmpq    %rax, 6288(%rsi,%rdx,8)
    je      .Laprof_done\@
    jmp     .Laprof_hook\@
.Laprof_look\@:
    cmpq    %r8, (%rcx,%rdi,2)
    je      .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_write8 hook:vararg
    aprof_blind .Laprof_hook\@, .Laprof_look\@, 3
    movq    %r8, (%rcx,%rdi,2)
    movq    %r8, 8(%rcx,%rdi,2)
    cmpq    %rax, 6288(%rsi,%rdx,8)
    je      .Laprof_done\@
    jmp     .Laprof_hook\@
.Laprof_look\@:
    cmpq    %r8, (%rcx,%rdi,2)
    jne     .Laprof_hook\@
    cmpq    %r8, 8(%rcx,%rdi,2)
    je      .Laprof_done\@
.Laprof_hook\@:
    callq   \hook
.Laprof_done\@:
.endm

.macro aprof_count hook:vararg
    movq    %fs:aprof_trms_strand@tpoff, %rax
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
