/* How a side sleeps and is woken: cab_bell_arm, cab_bell_ring, futex(2). Included by the models.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A bell is two variables: `sleeping`, the word, and `waiting`, the kernel's knowledge that its
 * thread waits for it. Each statement below is one step that others may precede or follow.
 */

/* FUTEX_WAIT: looks at the word and falls asleep in one step. */
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

/* cab_wait_until: looks once without being armed (spinning, which may end by success at any time,
 * or by exhaustion), then arms, looks, and sleeps. */
#ifdef LATE_ARM /* mutation: looks before it arms */
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
