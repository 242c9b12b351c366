# What code that makes its own events calls where it cannot: keeps all registers but r11.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the event. The compiler knows that vector registers change.

#include "native/base/keep_registers.h"

        .globl  aprof_events_tell
        keeping_registers aprof_events_tell, events_slow, rax, rcx, rdx, rsi, rdi, r8, r9, r10
