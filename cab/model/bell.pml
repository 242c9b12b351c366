/* How a side sleeps and is woken: cab_bell_arm, cab_bell_ring, futex(2). Included by the models.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A bell has two variables. `sleeping` is the futex word; `waiting` is 1 while the kernel keeps the
 * bell's thread asleep. Each statement below is one step; steps of other processes may come between
 * two statements.
 */

/* FUTEX_WAIT: compares the word and puts the thread to sleep in one step. */
#define FUTEX_WAIT(sleeping, waiting)                                                              \
    atomic {                                                                                       \
        if                                                                                         \
        :: sleeping == 1 -> waiting = 1                                                            \
        :: else -> skip                                                                            \
        fi                                                                                         \
    };                                                                                             \
    (waiting == 0)

/* bell_ring: load, exchange, FUTEX_WAKE. */
#define RING(sleeping, waiting, woke)                                                              \
    if                                                                                             \
    :: sleeping == 1 ->                                                                            \
        atomic { woke = sleeping; sleeping = 0 };                                                  \
        if                                                                                         \
        :: woke == 1 -> atomic { waiting = 0; woke = 0 }                                           \
        :: else -> skip                                                                            \
        fi                                                                                         \
    :: else -> skip                                                                                \
    fi

/* cab_wait_until: tests the condition once before the bell is armed. This test represents spinning,
 * which may find the condition true at any time, or give up. Then the bell is armed, the condition
 * is tested again, and the thread sleeps. */
#ifdef LATE_ARM /* mutation: tests the condition before it arms the bell */
#define WAIT_UNTIL(holds, sleeping, waiting)                                                       \
    do                                                                                             \
    :: (holds) -> break                                                                            \
    :: !(holds) -> sleeping = 1; FUTEX_WAIT(sleeping, waiting)                                     \
    od;                                                                                            \
    sleeping = 0
#else
#define WAIT_UNTIL(holds, sleeping, waiting)                                                       \
    if                                                                                             \
    :: (holds) -> skip                                                                             \
    :: true ->                                                                                     \
        do                                                                                         \
        :: true ->                                                                                 \
            sleeping = 1;                                                                          \
            if                                                                                     \
            :: (holds) -> break                                                                    \
            :: else -> FUTEX_WAIT(sleeping, waiting)                                               \
            fi                                                                                     \
        od;                                                                                        \
        sleeping = 0                                                                               \
    fi
#endif
