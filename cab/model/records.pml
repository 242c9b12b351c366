/* Model of a ring of records: cab_records.c.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checked: every word arrives once and in order, for all lengths of chunks. After a drain, all
 * chunks have been released. Every execution ends. Each word of the payload is stored and loaded in
 * a separate step.
 */
#include "bell.pml"

#define CHUNKS   2 /* the C code requires three; with two, errors show more easily */
#define CAPACITY 2
#define WORDS    7

byte payload[CHUNKS * CAPACITY];
byte used[CHUNKS]; /* the chunk's header; 0 is CLEAR */
byte produced, consumed;
bit closed;
bit consumer_sleeping, consumer_waiting, producer_sleeping, producer_waiting;

byte expected = 1;

active proctype producer()
{
    byte word = 1, index, filled;
    bit woke;

    do
    :: word <= WORDS ->
        /* cab_chunk_begin */
        if
        :: used[index] != 0 ->
            WAIT_UNTIL(used[index] == 0, producer_sleeping, producer_waiting)
        :: else -> skip
        fi;
        filled = 0;
#ifdef PUBLISHED_EARLY /* mutation: hands the chunk over before filling it */
        used[index] = CAPACITY;
#endif
        do
        :: filled < CAPACITY && word <= WORDS ->
            payload[index * CAPACITY + filled] = word;
            filled++;
            word++
        :: filled > 0 -> break
        od;
        /* cab_chunk_end */
        produced++;
#ifdef REORDERED /* mutation: loads `sleeping` before it stores the awaited condition */
        if
        :: consumer_sleeping == 1 -> used[index] = filled;
            RING(consumer_sleeping, consumer_waiting, woke)
        :: consumer_sleeping == 0 -> used[index] = filled
        fi;
#else
        used[index] = filled;
        RING(consumer_sleeping, consumer_waiting, woke);
#endif
        index = (index + 1) % CHUNKS;
        if
        :: true -> skip
        :: true -> /* cab_chunks_drain */
            WAIT_UNTIL(consumed == produced, producer_sleeping, producer_waiting);
            assert(expected == word)
        fi
    :: else -> break
    od;
    /* cab_chunks_close */
    closed = 1;
#ifndef NO_WAKE /* mutation */
    RING(consumer_sleeping, consumer_waiting, woke)
#endif
}

active proctype consumer()
{
    byte index, offset, limit;
    bit was_closed, armed, woke;

    do
    :: true ->
        /* cab_chunk_try */
#ifdef CLOSED_LATE /* mutation: loses chunks that end between the two loads */
        limit = used[index];
        was_closed = closed;
#else
        was_closed = closed;
        limit = used[index];
#endif
        if
        :: limit == 0 && was_closed -> break
        :: limit == 0 && !was_closed && !armed -> consumer_sleeping = 1; armed = 1
        :: limit == 0 && !was_closed && armed ->
            FUTEX_WAIT(consumer_sleeping, consumer_waiting);
            consumer_sleeping = 1
        :: limit > 0 ->
            if
            :: armed -> consumer_sleeping = 0; armed = 0
            :: else -> skip
            fi;
            /* cab_chunk_release, after the analysis; with the mutation, before it */
#ifdef RELEASED_EARLY /* mutation */
            used[index] = 0;
#endif
            offset = 0;
            do
            :: offset < limit ->
                assert(payload[index * CAPACITY + offset] == expected);
                expected++;
                offset++
            :: else -> break
            od;
            consumed++;
            used[index] = 0;
#ifndef NO_RELEASE_WAKE /* mutation */
            RING(producer_sleeping, producer_waiting, woke);
#endif
            index = (index + 1) % CHUNKS
        fi
    od;
    assert(expected == WORDS + 1)
}
