/* Model of an exhaustive ring of words: cab_producer.c, cab_consumer.c.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checked: every event arrives once and in order. After a drain, all events have been consumed. A
 * closed ring is consumed to its end. Every execution ends: there is no deadlock, no lost wake-up,
 * and no endless spinning. The model covers enqueue, wrap, full, empty, distance, flush, drain and
 * close. It also covers sleep and wake-up of both sides, and chunk numbers that overflow. Each load
 * and store is one step, and all steps have one order. docs/cab.md justifies the weaker memory
 * orders of the C code.
 *
 * Each mutation (-DNAME) contains one error, which tests/cab/model.sh must find.
 */
#include "bell.pml"

#ifndef CHUNKS
#define CHUNKS 3
#endif
#define K      2  /* events of a chunk; MAGIC, the word after the events, is not modelled */
#define NUMBER 16 /* chunk numbers are modulo NUMBER; in C, modulo 2^32 */
#define START  14 /* first chunk number, so large that chunk numbers overflow */
#define EVENTS 8
#define EXTRAS 2  /* largest number of flushes and drains, which may come after any event */

#ifdef AHEAD_TOO_FAR /* mutation */
#define AHEAD (CHUNKS - 1)
#else
#define AHEAD (CHUNKS - 2)
#endif
#ifdef TOO_CLOSE /* mutation: takes a chunk as soon as the producer has begun it */
#define DISTANCE 0
#else
#define DISTANCE 2
#endif

#define DIFF(a, b)     ((a + NUMBER - b) % NUMBER)
#define NEGATIVE(diff) (diff >= NUMBER / 2)

byte slot[CHUNKS * K]; /* 0 is CLEAR */
byte produced = START, consumed = START;
byte flush_chunk = START - 1, flush_words, flush_ticket, flush_done;
bit closed;
bit consumer_sleeping, consumer_waiting, producer_sleeping, producer_waiting;

byte expected = 1; /* the event that must arrive next */

active proctype producer()
{
    byte event = 1, chunk = START, index, offset, extras;
    bit woke;

    do
    :: event <= EVENTS ->
        /* cab_enqueue, with its slow path cab_slot_wait */
        if
        :: offset == K ->
            chunk = (chunk + 1) % NUMBER;
            index = (index + 1) % CHUNKS;
            offset = 0;
            produced = chunk;
            if
            :: DIFF(chunk, consumed) >= 2 -> RING(consumer_sleeping, consumer_waiting, woke)
            :: else -> skip
            fi;
            if
            :: DIFF(chunk, flush_chunk) >= NUMBER / 4 ->
                flush_words = 0;
                flush_chunk = (chunk + NUMBER - 2) % NUMBER
            :: else -> skip
            fi
        :: else -> skip
        fi;
#ifndef NO_TEST /* mutation: stores even if the slot is not clear */
        if
        :: slot[index * K + offset] != 0 ->
            WAIT_UNTIL(!NEGATIVE(DIFF(consumed, ((chunk + AHEAD + NUMBER - CHUNKS + 1) % NUMBER))),
                       producer_sleeping, producer_waiting)
        :: else -> skip
        fi;
        assert(slot[index * K + offset] == 0);
#endif
        slot[index * K + offset] = event;
        offset++;
        event++;
        if
        :: extras < EXTRAS -> extras++;
#ifdef FLUSH_ORDER /* mutation */
            flush_chunk = chunk;
            flush_words = offset;
#else
            flush_words = offset;
            flush_chunk = chunk;
#endif
#ifdef REORDERED /* mutation: loads `sleeping` before it stores the awaited condition */
            if
            :: consumer_sleeping == 1 -> flush_ticket++;
                RING(consumer_sleeping, consumer_waiting, woke)
            :: consumer_sleeping == 0 -> flush_ticket++
            fi;
#else
            flush_ticket++;
            RING(consumer_sleeping, consumer_waiting, woke);
#endif
            if
            :: true -> skip
            :: true -> /* cab_drain */
                WAIT_UNTIL(flush_done == flush_ticket, producer_sleeping, producer_waiting);
                assert(expected == event)
            fi
        :: true -> skip
        fi
    :: else -> break
    od;
    /* cab_close */
    flush_words = offset;
    flush_chunk = chunk;
    flush_ticket++;
    RING(consumer_sleeping, consumer_waiting, woke);
    closed = 1;
    RING(consumer_sleeping, consumer_waiting, woke)
}

active proctype consumer()
{
    byte chunk = START, index, offset, limit, ticket, flushed;
    bit was_closed, armed, woke;

    do
    :: true ->
        /* cab_batch_try */
        if
        :: offset == K ->
            offset = 0;
            index = (index + 1) % CHUNKS;
            chunk = (chunk + 1) % NUMBER;
            consumed = chunk;
#ifndef NO_WAKE /* mutation: a producer that waits for space continues to sleep */
            RING(producer_sleeping, producer_waiting, woke)
#endif
        :: else -> skip
        fi;
#ifndef CLOSED_LATE
        was_closed = closed;
#endif
#ifndef TICKET_LATE
        ticket = flush_ticket;
#endif
        if
        :: slot[((index + DISTANCE) % CHUNKS) * K] != 0 -> limit = K
        :: else ->
            if
            :: DIFF(produced, chunk) >= 2 && !NEGATIVE(DIFF(produced, chunk)) -> limit = K
            :: else ->
                flushed = flush_chunk;
                limit = flush_words;
                if
                :: flushed == chunk -> skip
                :: flushed != chunk && !NEGATIVE(DIFF(flushed, chunk)) -> limit = K
                :: NEGATIVE(DIFF(flushed, chunk)) -> limit = 0
                fi
            fi
        fi;
#ifdef CLOSED_LATE /* mutation: loses events that are flushed in between */
        was_closed = closed;
#endif
#ifdef TICKET_LATE /* mutation: acknowledges a flush that it has not read */
        ticket = flush_ticket;
#endif
        if
        :: limit <= offset ->
            if
            :: flush_done != ticket -> flush_done = ticket;
                RING(producer_sleeping, producer_waiting, woke)
            :: else -> skip
            fi;
            if
            :: was_closed -> break
            :: !was_closed && !armed -> consumer_sleeping = 1; armed = 1
            :: !was_closed && armed ->
                FUTEX_WAIT(consumer_sleeping, consumer_waiting);
                consumer_sleeping = 1
            fi
        :: else ->
            if
            :: armed -> consumer_sleeping = 0; armed = 0
            :: else -> skip
            fi;
            do
            :: offset < limit ->
                assert(slot[index * K + offset] == expected);
                expected++;
                slot[index * K + offset] = 0;
                offset++
            :: else -> break
            od
        fi
    od;
    assert(expected == EVENTS + 1)
}
