/* Reports to the engine when the Go runtime moves or frees the stack of a goroutine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When a goroutine needs a larger stack, runtime.copystack(g, size) copies its stack. The garbage
 * collector makes stacks smaller in the same way. A goroutine's structure begins with the lowest
 * and the highest address of the goroutine's stack. At its end, runtime.copystack frees the old
 * stack by runtime.stackfree(lowest, highest). So the two calls together yield the old and the new
 * stack.
 *
 * Known limits: moved stacks are recognised only on amd64, and only in programs of Go 1.17 or
 * later, which pass arguments in registers. In other programs, a moved stack is a new execution
 * context.
 */
#ifndef APROF_GO_STACKS_H
#define APROF_GO_STACKS_H

#include "aprof/valgrind_core.h"

/* A function that instrumented code calls at the beginning of a routine, with the routine's first
 * two arguments. */
typedef VG_REGPARM(2) void go_stacks_hook(UWord first, UWord second);

/* Returns the hook for the routine with this name; NULL: the routine has no hook. */
go_stacks_hook *go_stacks_find(const HChar *routine);

#endif
