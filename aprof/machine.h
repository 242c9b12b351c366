/* What the front end knows about the processor that it profiles: one header for each.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     MACHINE_NAME              as reports have it
 *     MACHINE_LINKS             calls leave the return address in a register, and store nothing
 *     MACHINE_SLOT              from the stack pointer to the slot (events.h): of a routine that a
 *                               jump enters; where MACHINE_LINKS, of calls and returns, too
 *     MACHINE_RESOLVER_SLOT     the same where PLT0 begins, which enters the lazy binder: the slot
 *                               of the call that waits for it
 *     MACHINE_PAGE_BYTES_LEAST  the smallest pages of its kernels; VKI_PAGE_SIZE may be larger, and
 *                               is not constant everywhere
 *     MACHINE_AUDIT             what seccomp filters call it
 *     MACHINE_NR_MMAP           the call whose fourth argument has the flags of a mapping
 *     MACHINE_DATA_CALLS        calls that hand over data, and that not every machine has
 *     MACHINE_COUNT_REGISTER    where the guest state has the register that repeated string
 * instructions count down MACHINE_RESERVE_BYTES     for programs that forbid themselves to map
 * memory machine_is_jump           is the instruction a jump, conditional or not, and no call? What
 * after VEX has optimised the instruction, its code does not show this: a jump to the next
 * instruction
 * leaves no trace machine_is_call           is the instruction, which VEX has as a call, really
 * one? machine_is_return         is the instruction a return although VEX has it as a jump?
 */
#ifndef APROF_MACHINE_H
#define APROF_MACHINE_H

#include "aprof/valgrind_core.h"

#if defined(VGA_amd64)
#include "aprof/machine_amd64.h"
#elif defined(VGA_x86)
#include "aprof/machine_x86.h"
#else
#include "aprof/machine_arm64.h"
#endif

#endif
