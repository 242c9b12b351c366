/* The interface between code that emits its own events and the runtime that receives them.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/events/events_pass.c emits and explains the code; native/events implements the runtime.
 */
#ifndef GROUND_EVENT_CODE_H
#define GROUND_EVENT_CODE_H

/* Name of a thread-local variable that points to the thread's record, or to a dummy record that is
 * always busy. */
#define EVENT_CODE_SELF "aprof_events_self"

/* Names of global variables: a mask of the requested kinds of events, and a word that is 0 while
 * events may be emitted. */
#define EVENT_CODE_WANTED "aprof_events_wanted"
#define EVENT_CODE_GATE   "aprof_native_gate"

/* Name of the slow path, a function void (event), which is called if the code cannot store an event
 * into the slot. This function changes no register except r11 and vector registers. */
#define EVENT_CODE_TELL "aprof_events_tell"

/* Marks executables that contain code that emits its own events. */
#define EVENT_CODE_MARK "aprof_events_from_code"

/* Kinds of events as in analyses/event_words.h: bits of the mask, and the top bits of an event. */
enum {
    EVENT_CODE_ENTER = 1,
    EVENT_CODE_LEAVE = 2,
    EVENT_CODE_CALL = 3,
    EVENT_CODE_KIND_SHIFT = 60
};

/* Offsets in the record. */
enum {
    EVENT_CODE_IDLE = 24,   /* a word that is 0 while a hook or emitting code runs */
    EVENT_CODE_SLOT = 64,   /* address of the slot for the next event */
    EVENT_CODE_HIGHEST = 80 /* a slot may be written if its word is at most this word */
};

#endif
