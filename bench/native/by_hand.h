/* Path events that are placed by hand: one number for each path through a routine.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     PATH;                        at the beginning
 *     if (TURN(x < y)) ...         each branch adds a bit
 *     PATH_END(3);                 the routine's number, before it returns and at loop ends
 *
 * Without EVENTS_PATHS, the macros are empty.
 */
#ifndef BENCH_NATIVE_BY_HAND_H
#define BENCH_NATIVE_BY_HAND_H

#ifdef EVENTS_PATHS
void aprof_event_path(unsigned procedure, unsigned long number);

__attribute__((no_instrument_function)) static inline int by_hand_turn(unsigned long *path,
                                                                       int taken)
{
    *path = *path * 2 + (unsigned long)taken;
    return taken;
}

#define PATH                unsigned long path_ = 1
#define TURN(condition)     by_hand_turn(&path_, !!(condition))
#define PATH_END(procedure) (aprof_event_path(procedure, path_), path_ = 1)
#else
#define PATH                (void)0
#define TURN(condition)     (condition)
#define PATH_END(procedure) (void)0
#endif

#endif
