/* Describes 64-bit ARM processors, as machine.h requires.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `bl` and `blr` leave the return address in x30. A routine that makes calls saves x30 and x29 in
 * its frame. So the callees of such a routine have lower stack pointers than the routine itself. A
 * routine without a frame keeps x30 in another register (callstack.c).
 *
 *     main:  bl f          stack pointer 0x1000: slot 0xff8
 *     f:     stp x29, x30, [sp, #-32]!
 *            bl g          0xfe0: slot 0xfd8
 *     g:     ret           0xfe0: slot 0xfd8
 *     f:     ldp x29, x30, [sp], #32
 *            b h           h, which is entered with 0x1000, shares the slot 0xff8
 *     h:     ret           0x1000: slot 0xff8: ends h and f
 *
 * When PLT0 begins, the stack pointer still has its value from the call. PLT0 saves x16 and x30,
 * and enters the lazy binder by `br x17`; the lazy binder later enters the routine by the same
 * instruction.
 *
 * longjmp ends with `br x30`. Jump tables never use x30.
 */
#ifndef APROF_MACHINE_ARM64_H
#define APROF_MACHINE_ARM64_H

#define MACHINE_NAME          "arm64"
#define MACHINE_LINKS         True
#define MACHINE_SLOT          (-8)
#define MACHINE_RESOLVER_SLOT (-8)
/* the kernel may also be configured for pages of 16 or 64 KiB */
#define MACHINE_PAGE_BYTES_LEAST 4096
#define MACHINE_AUDIT            0xc00000b7u
#define MACHINE_NR_MMAP          __NR_mmap
#define MACHINE_DATA_CALLS       __NR_sendto, __NR_sendmsg, __NR_sendmmsg
#define MACHINE_COUNT_REGISTER   0 /* no instruction of arm64 repeats itself */
#define MACHINE_RESERVE_BYTES    ((SizeT)256 << 20)

/* A group of instructions that differ only in bits outside `mask`. */
struct instructions {
    UInt mask, bits;
};

static inline Bool machine_is_jump(const UChar *code)
{
    static const struct instructions jumps[] = {
        {0xfc000000, 0x14000000}, /* b */
        {0xff000000, 0x54000000}, /* b.cond, bc.cond */
        {0x7e000000, 0x34000000}, /* cbz, cbnz */
        {0x7e000000, 0x36000000}, /* tbz, tbnz */
        {0xfffffc1f, 0xd61f0000}, /* br */
    };
    UInt instruction = *(const UInt *)code;

    for (UInt i = 0; i < sizeof jumps / sizeof jumps[0]; i++) {
        if ((instruction & jumps[i].mask) == jumps[i].bits)
            return True;
    }
    return False;
}

static inline Bool machine_is_call(const UChar *code)
{
    const UInt sets_link = 0x80000000;

    return (*(const UInt *)code & sets_link) != 0; /* VEX translates `b` as a call */
}

static inline Bool machine_is_return(const UChar *code)
{
    const UInt br_x30 = 0xd61f03c0;

    return *(const UInt *)code == br_x30;
}

#endif
