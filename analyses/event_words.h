/* The events of programs compiled with aprof-cc; each event has one or two 64-bit words.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The top four bits of a word are its kind. No event is 0 or all ones, because the ring reserves
 * these values (cab/cab.h).
 *
 *     63  60 59                                                        0
 *     kind   routine                          EVENT_ENTER, EVENT_LEAVE
 *     kind   caller's code:30 callee's:30     EVENT_CALL
 *     kind   bytes:8   address:52             EVENT_LOAD, EVENT_STORE
 *     kind   procedure:24   number:36         EVENT_PATH, EVENT_PATH_LOW
 *     kind   procedure:24   number >> 36      EVENT_PATH_HIGH
 *
 * Each ring, and therefore each stream of these words, belongs to one thread. A routine is
 * represented by the address of its first instruction. A leave event names its routine. The event
 * also ends all younger activations, which have no leave event of their own (longjmp, an
 * exception).
 *
 * The border of a sampled burst may lie within an event of two words. The two words have different
 * kinds, so that an incomplete event is recognised and dropped.
 */
#ifndef ANALYSES_EVENT_WORDS_H
#define ANALYSES_EVENT_WORDS_H

#include <stdint.h>

enum event_word_kind {
    EVENT_ENTER = 1, /* the routine begins */
    EVENT_LEAVE,     /* the routine returns, or is left by an exception */
    /* caller and callee in one event; the emitter needs a shadow stack for the caller */
    EVENT_CALL,
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_PATH,      /* a Ball-Larus path with a number below 2^36 has ended */
    EVENT_PATH_HIGH, /* the upper part of a path number of 2^36 or more; EVENT_PATH_LOW follows
                      * immediately */
    EVENT_PATH_LOW,  /* second word, after EVENT_PATH_HIGH: the lower 36 bits of the path number,
                      * and again the procedure */
    EVENT_WORD_KINDS
};

#define EVENT_KIND_SHIFT       60
#define EVENT_PAYLOAD_MASK     ((UINT64_C(1) << EVENT_KIND_SHIFT) - 1)
#define EVENT_CODE_BITS        30 /* bits of the code that identifies a routine in EVENT_CALL */
#define EVENT_ADDRESS_BITS     52
#define EVENT_ACCESS_MAX_BYTES 255 /* a longer access is reported as several events */
#define EVENT_NUMBER_BITS      36
#define EVENT_PROCEDURE_BITS   24

/* Masks of kinds of events, for code that emits only the requested events. */
#define EVENT_BIT(kind) (1u << (kind))

static inline uint64_t event_word(enum event_word_kind kind, uint64_t payload)
{
    return (uint64_t)kind << EVENT_KIND_SHIFT | (payload & EVENT_PAYLOAD_MASK);
}

static inline enum event_word_kind event_kind_of(uint64_t word)
{
    return (enum event_word_kind)(word >> EVENT_KIND_SHIFT);
}

static inline uint64_t event_enter(uint64_t routine)
{
    return event_word(EVENT_ENTER, routine);
}

static inline uint64_t event_leave(uint64_t routine)
{
    return event_word(EVENT_LEAVE, routine);
}

/* The routine of an EVENT_ENTER or EVENT_LEAVE. */
static inline uint64_t event_routine(uint64_t word)
{
    return word & EVENT_PAYLOAD_MASK;
}

/* Codes identify routines and are below 2^30; struct analysis_options maps codes to routines. */
static inline uint64_t event_call(uint32_t caller_code, uint32_t callee_code)
{
    return event_word(EVENT_CALL, (uint64_t)caller_code << EVENT_CODE_BITS | callee_code);
}

static inline uint32_t event_caller_code(uint64_t word)
{
    return (uint32_t)(word >> EVENT_CODE_BITS) & ((1u << EVENT_CODE_BITS) - 1);
}

static inline uint32_t event_callee_code(uint64_t word)
{
    return (uint32_t)word & ((1u << EVENT_CODE_BITS) - 1);
}

/* `bytes` is 1 to EVENT_ACCESS_MAX_BYTES. */
static inline uint64_t event_access(enum event_word_kind load_or_store, uint64_t address,
                                    unsigned bytes)
{
    return event_word(load_or_store, (uint64_t)bytes << EVENT_ADDRESS_BITS |
                                         (address & ((UINT64_C(1) << EVENT_ADDRESS_BITS) - 1)));
}

static inline uint64_t event_address(uint64_t word)
{
    return word & ((UINT64_C(1) << EVENT_ADDRESS_BITS) - 1);
}

static inline unsigned event_bytes(uint64_t word)
{
    return (unsigned)(word >> EVENT_ADDRESS_BITS) & 0xff;
}

/* Returns a word of one of the three kinds for paths. Depending on the kind, `part` is the whole
 * path number, the number's upper part or its lower part. */
static inline uint64_t event_path_word(enum event_word_kind kind, uint32_t procedure, uint64_t part)
{
    return event_word(kind, (uint64_t)procedure << EVENT_NUMBER_BITS |
                                (part & ((UINT64_C(1) << EVENT_NUMBER_BITS) - 1)));
}

static inline uint32_t event_procedure(uint64_t word)
{
    return (uint32_t)(word >> EVENT_NUMBER_BITS) & ((1u << EVENT_PROCEDURE_BITS) - 1);
}

static inline uint64_t event_number(uint64_t word)
{
    return word & ((UINT64_C(1) << EVENT_NUMBER_BITS) - 1);
}

/* Writes one or two words and returns their number. */
static inline unsigned event_path(uint64_t words[2], uint32_t procedure, uint64_t number)
{
    if (number >> EVENT_NUMBER_BITS == 0) {
        words[0] = event_path_word(EVENT_PATH, procedure, number);
        return 1;
    }
    words[0] = event_path_word(EVENT_PATH_HIGH, procedure, number >> EVENT_NUMBER_BITS);
    words[1] = event_path_word(EVENT_PATH_LOW, procedure, number);
    return 2;
}

#endif
