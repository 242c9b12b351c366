/* AVX: 32-byte accesses, masked loads and stores, gather, and XSAVE.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each comment gives the input in cells of 4 bytes.
 */
#include "tests/regress/regress_asm.h"

/* 32 bytes: 8 */
BEGIN(load_32)
    vmovups (%rdi), %ymm0
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(load_32)

/* 32 bytes as an operand of an addition: 8 + 8 */
BEGIN(add_32)
    vmovups (%rdi), %ymm0
    vpaddd 32(%rdi), %ymm0, %ymm0
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(add_32)

/* The mask has 3 of 8 lanes set: 8 for the mask (rdx) and 3 = 11 */
BEGIN(mask_load)
    vmovups (%rdx), %ymm1
    vmaskmovps (%rdi), %ymm1, %ymm0
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(mask_load)

/* the same for the integer instruction of 4 lanes of 8 bytes: the mask's lanes as 64 bits:
 * (-1,-1), (0,0), (-1,0), (0,0): the sign bit of the high half decides: lane 0 only: 8 + 2 = 10 */
BEGIN(mask_load_64)
    vmovups (%rdx), %ymm1
    vpmaskmovq (%rdi), %ymm1, %ymm0
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(mask_load_64)

/* stores 3 lanes; all 8 are read then: 8 for the mask and the 5 that were not written = 13 */
BEGIN(mask_store)
    vmovups (%rdx), %ymm1
    vmaskmovps %ymm1, %ymm1, (%rsi)
    vmovups (%rsi), %ymm2
    vmovups %ymm2, 64(%rsi)
    vzeroupper
    ret
END(mask_store)

/* no lane is set and the address is none: it must not matter: 8 for the mask */
BEGIN(mask_nothing)
    vmovups (%rdx), %ymm1
    xor %edi, %edi
    vmaskmovps (%rdi), %ymm1, %ymm0
    vmaskmovps %ymm0, %ymm1, (%rdi)
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(mask_nothing)

/* indices (rdx) 8 cells, all lanes on, 8 different cells of rdi: 16 */
BEGIN(gather)
    vmovups (%rdx), %ymm1
    vpcmpeqd %ymm2, %ymm2, %ymm2
    vpgatherdd %ymm2, (%rdi,%ymm1,4), %ymm0
    vmovups %ymm0, (%rsi)
    vzeroupper
    ret
END(gather)

/* XSAVE of x87, SSE and AVX, then XRSTOR: what was saved is restored. It also updates the first
 * word of the header at 512, which is read before: 1 or 2 cells, as the translator reads 1 or 8
 * bytes of it */
BEGIN(xsave)
    mov $7, %eax
    xor %edx, %edx
    xsave (%rdi)
    mov 32(%rdi), %ecx
    add 160(%rdi), %ecx
    ret
END(xsave)

/* reads what xsave left: legacy area and header at least: 100 or more */
BEGIN(xrstor)
    mov $7, %eax
    xor %edx, %edx
    xrstor (%rdi)
    ret
END(xrstor)
