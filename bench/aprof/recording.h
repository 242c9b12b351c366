/* The format of a recorded stream of a run, which consume.c writes and replay.c reads.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The words have the byte order of the machine. Each section begins with its kind and the number of
 * words that follow:
 *
 *     RECORDED_EVENT    address of a descriptor, then `struct event_desc` or `struct block`, filled
 *                       up to words. From here on, the address means this descriptor.
 *     RECORDED_ROUTINE  address of a routine, then `struct routine`, filled up to words
 *     RECORDED_WORDS    one portion of the stream, which names descriptors that were listed before
 */
#ifndef BENCH_APROF_RECORDING_H
#define BENCH_APROF_RECORDING_H

#include "aprof/events.h"

enum recorded_section { RECORDED_EVENT, RECORDED_ROUTINE, RECORDED_WORDS };

struct recorded_head {
    aprof_word kind; /* enum recorded_section */
    aprof_word words;
};

APROF_INLINE aprof_word recorded_words(size_t bytes)
{
    return (bytes + sizeof(aprof_word) - 1) / sizeof(aprof_word);
}

APROF_INLINE size_t event_desc_bytes(const struct event_desc *event)
{
    if (event->kind != EVENT_BLOCK)
        return sizeof(*event);
    return block_bytes(((const struct block *)event)->n_accesses);
}

#endif
