# What code that counts its own contexts calls where it cannot: keeps all registers but rax, which returns the edge.
# SPDX-License-Identifier: BSD-2-Clause
#
# rdi: the routine, rsi: its return address. contexts_places_enter changes no vector register.

#include "native/base/keep_registers.h"

        .weak   aprof_contexts_enter
        keeping_registers aprof_contexts_enter, contexts_places_enter, rcx, rdx, rsi, rdi, r8, r9, r10, r11
