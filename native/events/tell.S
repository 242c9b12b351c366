# The slow path of inline code that stores events: saves all registers except r11.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the event. The compiler assumes that vector registers change.

#include "native/base/keep_registers.h"

        .globl  aprof_events_tell
        keeping_registers aprof_events_tell, events_slow, rax, rcx, rdx, rsi, rdi, r8, r9, r10
