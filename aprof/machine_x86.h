/* Describes the processor of 32-bit PCs, as machine.h requires.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_MACHINE_X86_H
#define APROF_MACHINE_X86_H

#include "aprof/machine_jumps.h"

#define MACHINE_NAME  "x86"
#define MACHINE_LINKS False
/* As on amd64. */
#define MACHINE_SLOT             0
#define MACHINE_RESOLVER_SLOT    4
#define MACHINE_PAGE_BYTES_LEAST 4096
#define MACHINE_AUDIT            0x40000003u
#define MACHINE_NR_MMAP          __NR_mmap2
#define MACHINE_DATA_CALLS                                                                         \
    __NR_write /* all socket operations are one call, so calls with data are not recognisable */
#define MACHINE_COUNT_REGISTER offsetof(VexGuestArchState, guest_ECX)
#define MACHINE_RESERVE_BYTES  ((SizeT)128 << 20)

static inline Bool machine_is_jump(const UChar *code)
{
    return is_jump_behind_prefixes(code, 0);
}

static inline Bool machine_is_call(const UChar *code)
{
    return True;
}

static inline Bool machine_is_return(const UChar *code)
{
    return False;
}

#endif
