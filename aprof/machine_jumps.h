/* Recognises the jump instructions of amd64 and x86.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef APROF_MACHINE_JUMPS_H
#define APROF_MACHINE_JUMPS_H

/* Returns whether a byte is an instruction prefix. `rex` is 0x40 if the prefixes 0x40 to 0x4f
 * exist, otherwise 0. */
static inline Bool is_prefix(UChar byte, UChar rex)
{
    return byte == 0x66 || byte == 0xf2 || byte == 0x2e || byte == 0x3e ||
           (rex && (byte & 0xf0) == rex);
}

static inline Bool is_jump_behind_prefixes(const UChar *code, UChar rex)
{
    while (is_prefix(*code, rex))
        code++;
    switch (code[0]) {
    case 0x70 ... 0x7f: /* jcc */
    case 0xe0 ... 0xe3: /* loop, jrcxz */
    case 0xe9:
    case 0xeb: /* jmp */
        return True;
    case 0x0f:
        return (code[1] & 0xf0) == 0x80;
    case 0xff:
        return (code[1] & 0x38) == 0x20;
    default:
        return False;
    }
}

#endif
