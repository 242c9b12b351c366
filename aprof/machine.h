/* The front end's description of the profiled processor; each processor has one header.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     MACHINE_NAME              name in reports
 *     MACHINE_LINKS             calls leave the return address in a register, and store nothing
 *     MACHINE_SLOT              distance from the stack pointer to the slot (events.h) of a routine
 *                               that a jump enters; with MACHINE_LINKS also of calls and returns
 *     MACHINE_RESOLVER_SLOT     distance from the stack pointer to the slot of the pending call,
 *                               at the start of PLT0 (the code that enters the lazy binder)
 *     MACHINE_PAGE_BYTES_LEAST  smallest page size of its kernels; VKI_PAGE_SIZE may be larger, and
 *                               is not constant everywhere
 *     MACHINE_AUDIT             its name in seccomp filters
 *     MACHINE_NR_MMAP           the call whose fourth argument has the flags of a mapping
 *     MACHINE_DATA_CALLS        calls that transfer data and that only some machines have
 *     MACHINE_COUNT_REGISTER    offset in the guest state of the register that repeated string
 *                               instructions decrement
 *     MACHINE_GO_ARGUMENTS      offsets in the guest state of the registers with the first two
 *                               arguments of a Go function; not defined on machines without them
 *     MACHINE_RESERVE_BYTES     size of the reserve for programs that forbid themselves to map
 *                               memory
 *
 *     machine_is_jump           whether the instruction is a jump, conditional or not, and no call.
 *                               Optimised VEX code does not show this: a jump to the next
 *                               instruction leaves no trace
 *     machine_is_call           whether an instruction that VEX translates as a call is a call
 *     machine_is_return         whether an instruction that VEX translates as a jump is a return
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
