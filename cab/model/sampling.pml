/* Model of a sampling ring: the producer never waits; the consumer copies words, then checks them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checked: every word that the consumer keeps has the value that belongs to its position in the
 * stream, and no word is kept twice. If all words are sampled, each word is either kept or counted
 * as overwritten. Every execution ends. -DPAPER is the paper's Figure 5 as printed, in which only
 * the first slot of a chunk shows whether the chunk is complete. With -DPAPER, the check must fail.
 */
#include "bell.pml"

#define CHUNKS 3
#define K      2
#define EVENTS 15

byte slot[CHUNKS * K];
byte produced, flush_chunk = 255, flush_words, flush_ticket;
bit closed;
bit consumer_sleeping, consumer_waiting;

active proctype producer()
{
    byte event = 1, chunk, index, offset;
    bit woke;

    do
    :: event <= EVENTS ->
        if
        :: offset == K ->
            chunk++;
            index = (index + 1) % CHUNKS;
            offset = 0;
#ifdef NUMBER_LATE /* mutation: writes into the next chunk before storing its number */
            slot[index * K] = event;
#endif
            produced = chunk;
            RING(consumer_sleeping, consumer_waiting, woke)
        :: else -> skip
        fi;
        slot[index * K + offset] = event;
        offset++;
        event++
    :: else -> break
    od;
    flush_words = offset;
    flush_chunk = chunk;
    flush_ticket++;
    closed = 1;
    RING(consumer_sleeping, consumer_waiting, woke)
}

active proctype consumer()
{
    byte chunk, offset, limit, flushed, seen, lost, copy[K], i;
    bit was_closed, armed, intact;

    do
    :: true ->
        if
        :: offset == K ->
#ifdef PAPER
            slot[(chunk % CHUNKS) * K] = 0;
#endif
            offset = 0;
            chunk++
        :: else -> skip
        fi;
        was_closed = closed;
#ifdef PAPER
        if
        :: slot[((chunk + 2) % CHUNKS) * K] != 0 -> limit = K
        :: else -> limit = 0
        fi;
        if
        :: limit == 0 && was_closed && flush_chunk >= chunk ->
            limit = (flush_chunk > chunk -> K : flush_words)
        :: else -> skip
        fi;
#else
        if
        :: produced >= chunk + 2 -> limit = K
        :: else ->
            flushed = flush_chunk;
            limit = flush_words;
            if
            :: flushed == chunk -> skip
            :: flushed != chunk && flushed != 255 && flushed > chunk -> limit = K
            :: flushed != chunk && (flushed == 255 || flushed < chunk) -> limit = 0
            fi
        fi;
#endif
        if
        :: limit <= offset && was_closed -> break
        :: limit <= offset && !was_closed && !armed -> consumer_sleeping = 1; armed = 1
        :: limit <= offset && !was_closed && armed ->
            FUTEX_WAIT(consumer_sleeping, consumer_waiting);
            consumer_sleeping = 1
        :: limit > offset ->
            if
            :: armed -> consumer_sleeping = 0; armed = 0
            :: else -> skip
            fi;
#ifdef ASKED_EARLY /* mutation: checks the words before copying them */
            intact = produced < chunk + CHUNKS;
#endif
            i = offset;
            do
            :: i < limit -> copy[i] = slot[(chunk % CHUNKS) * K + i]; i++
            :: else -> break
            od;
#ifdef PAPER
            intact = 1;
#else
#ifndef ASKED_EARLY
            intact = produced < chunk + CHUNKS;
#endif
#endif
            if
            :: intact ->
                do
                :: offset < limit ->
                    assert(copy[offset] == chunk * K + offset + 1);
                    copy[offset] = 0;
                    seen++;
                    offset++
                :: else -> break
                od
            :: else -> /* overwritten_skip */
                flushed = produced - 2;
                lost = lost + (flushed - chunk) * K - offset;
                chunk = flushed;
                offset = 0
            fi
        fi
    od;
    assert(seen + lost == EVENTS)
}
