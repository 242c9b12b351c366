# The slow path of inline counting code: saves all registers except rax, which returns the edge.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the routine; rsi: the routine's return address. contexts_places_enter changes no vector
# register.

#include "native/base/keep_registers.h"

        .weak   aprof_contexts_enter
        keeping_registers aprof_contexts_enter, contexts_places_enter, rcx, rdx, rsi, rdi, r8, r9, r10, r11
