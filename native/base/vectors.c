/* Calls code that may use vector registers, from hooks that must preserve these registers.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * native_with_vectors calls a function and preserves the x87, SSE, AVX and AVX-512 registers. The
 * save area has the standard XSAVE format, up to and including the 32 AVX-512 registers (Intel SDM
 * volume 1, section 13.4). The area has 2688 bytes; the 64 bytes from byte 512 on must be zero.
 * Processors without XSAVE have only SSE.
 */
#include "native/base/vectors.h"

#include "native/base/native.h"

/* The cached result of CPUID; negative: unknown. It is cached because the instruction CPUID takes
 * microseconds in a virtual machine. */
NATIVE_HIDDEN extern int native_has_xsave;
int native_has_xsave = -1;

__asm__(".text\n"
        ".globl  native_with_vectors\n"
        ".hidden native_with_vectors\n"
        ".type   native_with_vectors, @function\n"
        "native_with_vectors:\n"
        ".cfi_startproc\n"
        "push    %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov     %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "push    %rbx\n"
        "push    %r12\n"
        "sub     $2704, %rsp\n"
        "and     $-64, %rsp\n"
        "mov     %rdi, %r8\n"
        "mov     %rsi, %r9\n"
        "mov     native_has_xsave(%rip), %r12d\n"
        "test    %r12d, %r12d\n"
        "jns     5f\n"
        "mov     $1, %eax\n"
        "cpuid\n"
        "mov     %ecx, %r12d\n"
        "and     $0x8000000, %r12d\n"
        "mov     %r12d, native_has_xsave(%rip)\n"
        "5:\n"
        "test    %r12d, %r12d\n"
        "jz      1f\n"
        "lea     512(%rsp), %rdi\n"
        "xor     %eax, %eax\n"
        "mov     $8, %ecx\n"
        "rep stosq\n"
        "mov     $0xe7, %eax\n"
        "xor     %edx, %edx\n"
        "xsave64 (%rsp)\n"
        "jmp     2f\n"
        "1:      fxsave64 (%rsp)\n"
        "2:      mov     %r9, %rdi\n"
        "call    *%r8\n"
        "mov     %rax, %rbx\n"
        "test    %r12d, %r12d\n"
        "jz      3f\n"
        "mov     $0xe7, %eax\n"
        "xor     %edx, %edx\n"
        "xrstor64 (%rsp)\n"
        "jmp     4f\n"
        "3:      fxrstor64 (%rsp)\n"
        "4:      mov     %rbx, %rax\n"
        "lea     -16(%rbp), %rsp\n"
        "pop     %r12\n"
        "pop     %rbx\n"
        "pop     %rbp\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size   native_with_vectors, . - native_with_vectors\n");
