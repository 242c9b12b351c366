# Debug data that refer to themselves, or to the same ranges again and again: DAMAGE says how.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The unit has one function, which has 3 bytes of code.

        .text
        .globl f
        .type f, @function
f:      nop
        nop
        ret
f_end:  .size f, f_end - f

        .section .debug_abbrev, "", @progbits
        .byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0            # unit: low_pc, high_pc
        .byte 2, 0x2e, 1, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0   # function: name, low_pc, high_pc
        .byte 3, 0x0b, 1, 0x01, 0x13, 0, 0                  # block with children: sibling
        .byte 4, 0x0b, 1, 0, 0                              # block with children
        .byte 5, 0x1d, 1, 0x11, 1, 0x12, 7, 0x31, 0x13, 0, 0 # inlined, with children: low_pc, high_pc, origin
        .byte 6, 0x1d, 0, 0x55, 0x17, 0x31, 0x13, 0, 0      # inlined: ranges, origin
        .byte 0

        .section .debug_info, "", @progbits
unit:   .long unit_end - unit_start
unit_start:
        .short 4
        .long .debug_abbrev
        .byte 8
        .byte 1
        .quad f
        .quad f_end - f
function:
        .byte 2
        .asciz "f"
        .quad f
        .quad f_end - f

#if DAMAGE == 1 /* the next block is child and sibling: 2 to the power of 60 ways */
        .rept 60
        .byte 3
        .long . + 4 - unit
        .endr
        .fill 61, 1, 0
#elif DAMAGE == 2 /* millions of blocks in each other */
        .fill 2000000, 1, 4
        .fill 2000000, 1, 0
#elif DAMAGE == 3 /* thousands of inlined functions in each other */
        .rept 20000
        .byte 5
        .quad f
        .quad f_end - f
        .long function - unit
        .endr
        .fill 20000, 1, 0
#else /* all inlined functions have the same long list of ranges */
        .rept 50000
        .byte 6
        .long 0
        .long function - unit
        .endr
#endif
        .byte 0, 0, 0
unit_end:

        .section .debug_ranges, "", @progbits
        .rept 200000
        .quad 1, 2
        .endr
        .quad 0, 0
        .section .note.GNU-stack, "", @progbits
