/* The processor's trap flag, which raises SIGTRAP after each instruction.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     trap_flag(TRAP_FLAG, 0);
 *     operation();                 SIGTRAP after each of its instructions
 *     trap_flag(0, TRAP_FLAG);
 */
#ifndef TESTS_NATIVE_SINGLE_STEP_H
#define TESTS_NATIVE_SINGLE_STEP_H

enum { TRAP_FLAG = 0x100 };

/* Memory below the stack pointer belongs to the caller, so the flags are pushed beyond it. */
static inline __attribute__((always_inline)) void trap_flag(unsigned long set, unsigned long clear)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
                     "pushf\n\t"
                     "or %0, (%%rsp)\n\t"
                     "and %1, (%%rsp)\n\t"
                     "popf\n\t"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "r"(set), "r"(~clear)
                     : "memory", "cc");
}

#endif
