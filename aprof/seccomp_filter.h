/* Evaluates a seccomp filter: computes the kernel's answer to a system call.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A filter is a program for the classic BPF machine: an accumulator, an index register and 16 words
 * of scratch memory. The filter reads the call's number and arguments, jumps forwards only, and
 * returns an action. The kernel accepts only filters that consist of the instructions evaluated
 * here.
 *
 *     ld  [0]             the number of the call
 *     jeq #41, 0, 1       socket?
 *     ret #0              SECCOMP_RET_KILL_THREAD
 *     ret #0x7fff0000     SECCOMP_RET_ALLOW
 */
#ifndef APROF_SECCOMP_FILTER_H
#define APROF_SECCOMP_FILTER_H

#include "ground/basics.h"

#define FILTER_MOST_STEPS 4096
#define FILTER_MEMORY     16

/* The actions in the upper half of a filter's answer. If there are several filters, the kernel
 * applies the answer that is the least signed number. */
#define FILTER_KILL_PROCESS 0x80000000u
#define FILTER_KILL_THREAD  0x00000000u
#define FILTER_TRAP         0x00030000u
#define FILTER_ERRNO        0x00050000u
#define FILTER_LOG          0x7ffc0000u
#define FILTER_ALLOW        0x7fff0000u
#define FILTER_ACTION       0xffff0000u

/* An instruction of a filter, laid out like struct sock_filter of Linux. */
struct filter_step {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t k;
};

/* The description of a system call for a filter, laid out like struct seccomp_data of Linux. */
struct filter_call {
    uint32_t number, architecture;
    uint64_t instruction;
    uint64_t arguments[6];
};

enum filter_code {
    FILTER_LD = 0,
    FILTER_LDX = 1,
    FILTER_ST = 2,
    FILTER_STX = 3,
    FILTER_ALU = 4,
    FILTER_JMP = 5,
    FILTER_RET = 6,
    FILTER_MISC = 7,
    FILTER_CLASS = 7,

    FILTER_MODE = 0xe0, /* mask: the mode of a load */
    FILTER_IMM = 0x00,
    FILTER_ABS = 0x20,
    FILTER_MEM = 0x60,
    FILTER_LEN = 0x80,

    FILTER_OPERATION = 0xf0, /* mask: the operation of an arithmetic or jump instruction */
    FILTER_X = 0x08,         /* bit set: the operand is the index register; clear: k */
    FILTER_RET_A = 0x10,
    FILTER_TXA = 0x80,
};

APROF_INLINE uint32_t filter_load(const struct filter_step *step, const struct filter_call *call,
                                  const uint32_t *memory)
{
    uint32_t word = 0;

    switch (step->code & FILTER_MODE) {
    case FILTER_ABS:
        if (step->k <= sizeof *call - sizeof word)
            memcpy(&word, (const char *)call + step->k, sizeof word);
        return word;
    case FILTER_MEM:
        return memory[step->k % FILTER_MEMORY];
    case FILTER_LEN:
        return sizeof *call;
    default:
        return step->k;
    }
}

/* Performs an arithmetic operation. Returns false for a division by zero; the filter then ends with
 * the answer 0. */
APROF_INLINE bool filter_calculate(unsigned operation, uint32_t *a, uint32_t by)
{
    switch (operation) {
    case 0x00:
        *a += by;
        return true;
    case 0x10:
        *a -= by;
        return true;
    case 0x20:
        *a *= by;
        return true;
    case 0x30:
        if (by)
            *a /= by;
        return by != 0;
    case 0x40:
        *a |= by;
        return true;
    case 0x50:
        *a &= by;
        return true;
    case 0x60:
        *a <<= by & 31;
        return true;
    case 0x70:
        *a >>= by & 31;
        return true;
    case 0x80:
        *a = -*a;
        return true;
    default:
        *a ^= by;
        return true;
    }
}

APROF_INLINE bool filter_compare(unsigned operation, uint32_t a, uint32_t with)
{
    switch (operation) {
    case 0x10:
        return a == with;
    case 0x20:
        return a > with;
    case 0x30:
        return a >= with;
    default:
        return a & with;
    }
}

/* Returns the filter's answer. The kernel never accepts a filter that runs past its end; in this
 * case filter_run allows the call. */
static inline uint32_t filter_run(const struct filter_step *steps, size_t n,
                                  const struct filter_call *call)
{
    uint32_t a = 0, x = 0, memory[FILTER_MEMORY] = {0};

    for (size_t at = 0; at < n; at++) {
        const struct filter_step *step = &steps[at];
        unsigned operation = step->code & FILTER_OPERATION;
        uint32_t operand = step->code & FILTER_X ? x : step->k;

        switch (step->code & FILTER_CLASS) {
        case FILTER_LD:
            a = filter_load(step, call, memory);
            break;
        case FILTER_LDX:
            x = filter_load(step, call, memory);
            break;
        case FILTER_ST:
            memory[step->k % FILTER_MEMORY] = a;
            break;
        case FILTER_STX:
            memory[step->k % FILTER_MEMORY] = x;
            break;
        case FILTER_ALU:
            if (!filter_calculate(operation, &a, operand))
                return 0;
            break;
        case FILTER_JMP:
            if (operation == 0)
                at += step->k;
            else
                at += filter_compare(operation, a, operand) ? step->if_true : step->if_false;
            break;
        case FILTER_RET:
            return step->code & FILTER_RET_A ? a : step->k;
        default:
            if (step->code & FILTER_TXA)
                a = x;
            else
                x = a;
        }
    }
    return FILTER_ALLOW;
}

#endif
