/* Model of one bell for several rings: cab_bell_arm, cab_bell_sleep, cab_bell_disarm in cab.h.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Two producers ring the bell of one consumer, which polls both producers. Each producer counts the
 * items that it has made. Checked: all items are consumed, and every execution ends. This includes
 * executions in which one producer resets the bell's word just after the other has loaded the word.
 */
#include "bell.pml"

#define RINGS 2
#define ITEMS 3

byte made[RINGS], taken[RINGS];
bit sleeping, waiting;

active [RINGS] proctype producer()
{
    bit woke;

    do
    :: made[_pid] < ITEMS ->
        made[_pid]++;
        RING(sleeping, waiting, woke)
    :: else -> break
    od
}

active proctype consumer()
{
    bit found, armed;
    byte ring;

    do
    :: taken[0] == ITEMS && taken[1] == ITEMS -> break
    :: else ->
        found = 0;
        ring = 0;
        do
        :: ring < RINGS ->
            if
            :: made[ring] > taken[ring] -> taken[ring]++; found = 1
            :: else -> skip
            fi;
            ring++
        :: else -> break
        od;
        if
        :: found -> sleeping = 0; armed = 0
#ifdef NO_SECOND_LOOK /* mutation: sleeps without testing the rings again */
        :: !found -> sleeping = 1; FUTEX_WAIT(sleeping, waiting)
#else
        :: !found && !armed -> sleeping = 1; armed = 1
        :: !found && armed -> FUTEX_WAIT(sleeping, waiting); sleeping = 0; armed = 0
#endif
        fi
    od
}
