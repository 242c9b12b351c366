/* What code that makes its own events and the runtime that takes them agree on.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written by compile/events/events_pass.c, which explains it; answered by native/events.
 */
#ifndef GROUND_EVENT_CODE_H
#define GROUND_EVENT_CODE_H

/* A variable of each thread: its record, or one in which somebody is always inside. */
#define EVENT_CODE_SELF "aprof_events_self"

/* Global variables: which kinds of events are wanted (a mask), and if any may be made now (0). */
#define EVENT_CODE_WANTED "aprof_events_wanted"
#define EVENT_CODE_GATE   "aprof_native_gate"

/* void (event), which changes no register but r11 and those of vectors: where the code cannot put
 * the event into its slot. */
#define EVENT_CODE_TELL "aprof_events_tell"

/* Stands in executables some of whose code makes its own events. */
#define EVENT_CODE_MARK "aprof_events_from_code"

/* Kinds of events, as analyses/event_words.h has them: bits of the mask, and what stands above the
 * routine's address in an event. */
enum {
    EVENT_CODE_ENTER = 1,
    EVENT_CODE_LEAVE = 2,
    EVENT_CODE_CALL = 3,
    EVENT_CODE_KIND_SHIFT = 60
};

/* In the record. */
enum {
    EVENT_CODE_IDLE = 24,   /* a word, 0 inside */
    EVENT_CODE_SLOT = 64,   /* where the next event goes */
    EVENT_CODE_HIGHEST = 80 /* a slot may be written if its word is not above this one */
};

#endif
