/* Switches of the stack by moving the stack pointer and then calling.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tests/regress/regress_asm.h"

#ifdef __x86_64__
/* void call_on(void *stack, void (*routine)(void)): as split stacks and Go's systemstack do */
BEGIN(call_on)
    push %rbp
    mov %rsp, %rbp
    mov %rdi, %rsp
    call *%rsi
    mov %rbp, %rsp
    pop %rbp
    ret
END(call_on)

/* void stack_enter(void **save, void *stack, void (*routine)(void)): begins a coroutine */
BEGIN(stack_enter)
    push %rbp
    push %rbx
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    call *%rdx
    ud2
END(stack_enter)

/* void leave_by_call(void **save, void *to, void (*routine)(void)): as Go's mcall does; `routine`
 * does not return */
BEGIN(leave_by_call)
    push %rbp
    push %rbx
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    call *%rdx
    ud2
END(leave_by_call)

/* void go_on(void *to): leaves this stack for good */
BEGIN(go_on)
    mov %rdi, %rsp
    pop %rbx
    pop %rbp
    ret
END(go_on)
#else
BEGIN(call_on)
    push %ebp
    mov %esp, %ebp
    mov 12(%ebp), %eax
    mov 8(%ebp), %esp
    call *%eax
    mov %ebp, %esp
    pop %ebp
    ret
END(call_on)

BEGIN(stack_enter)
    mov 4(%esp), %eax
    mov 8(%esp), %edx
    mov 12(%esp), %ecx
    push %ebp
    push %ebx
    push %esi
    push %edi
    mov %esp, (%eax)
    mov %edx, %esp
    call *%ecx
    ud2
END(stack_enter)

BEGIN(leave_by_call)
    mov 4(%esp), %eax
    mov 8(%esp), %edx
    mov 12(%esp), %ecx
    push %ebp
    push %ebx
    push %esi
    push %edi
    mov %esp, (%eax)
    mov %edx, %esp
    call *%ecx
    ud2
END(leave_by_call)

BEGIN(go_on)
    mov 4(%esp), %esp
    pop %edi
    pop %esi
    pop %ebx
    pop %ebp
    ret
END(go_on)
#endif
