/* The interface between code that checks its accesses inline and its runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Emitted by compile/trms/trms_pass.c, implemented by native/trms/quick.c, loops.c and hooks.c;
 * native/trms/shadow/words.h defines the words of cells.
 */
#ifndef GROUND_TRMS_WORDS_H
#define GROUND_TRMS_WORDS_H

/* A thread-local variable: the running execution context. */
#define TRMS_WORDS_EXEC_CONTEXT "aprof_trms_exec_context"

/* In an execution context. */
enum {
    TRMS_WORDS_STAMP = 0,  /* its time: 32 bits, the value that a write stores */
    TRMS_WORDS_COST = 8,   /* 64 bits, increased by one for each block */
    TRMS_WORDS_FLOOR = 16, /* 32 bits: a read of a word that is not below it changes nothing */
    TRMS_WORDS_DIRECT_SHADOW = 24,
    TRMS_WORDS_MASK = 32,
    TRMS_WORDS_CAREFUL = 40,    /* 32 bits: if not 0, writes are checked too, and synchronisation
                                 * calls the runtime */
    TRMS_WORDS_SYNCED = 44,     /* 32 bits: no other context has written since this time */
    TRMS_WORDS_ACTIVATION = 56, /* the latest activation; its caller's lies before it */
    TRMS_WORDS_STACK = 64,      /* the same while no activation is pending */
    TRMS_WORDS_FOUND = 104      /* another pending activation, which has read some cells last */
};

/* Fields of an activation. The size of its caller's, in bytes. 64 bits, increased by one for
 * each first read of a cell, and decreased for the youngest ancestor that has accessed the cell.
 * 32 bits: the times of its call, and of the next one, if there is one. A read of a word that is
 * below the floor, but not below this time, is first for the latest activation only. */
enum {
    TRMS_WORDS_CALLER = -96,
    TRMS_WORDS_RMS = 48,
    TRMS_WORDS_BEGUN = 56,
    TRMS_WORDS_BEGUN_NEXT = TRMS_WORDS_BEGUN - TRMS_WORDS_CALLER,
    TRMS_WORDS_NEAR = 60
};

/* The bits of a word that are not its time; a read does not change them. */
#define TRMS_WORDS_STATE 3u

/* In shared mode a write need not be reported if the old word minus the word at
 * TRMS_WORDS_SYNCED has none of these bits: the context itself has written the cell since. */
#define TRMS_WORDS_NOT_OWN 0x80000003u

/* Slow-path entry points, which change no register except r11. The variants: an access of so
 * many bytes in one cell or in whole cells, and one of any bytes. The inline check has stored
 * the words of a write before it calls the entry point of its size. If the address is
 * misaligned, they are in the wrong place and the entry point clears them. TRMS_WORDS_WRITE
 * needs no stored words. */
#define TRMS_WORDS_READ_1   "aprof_trms_read_1"
#define TRMS_WORDS_READ_2   "aprof_trms_read_2"
#define TRMS_WORDS_READ_4   "aprof_trms_read_4"
#define TRMS_WORDS_READ_8   "aprof_trms_read_8"
#define TRMS_WORDS_READ_16  "aprof_trms_read_16"
#define TRMS_WORDS_READ     "aprof_trms_read"
#define TRMS_WORDS_WRITE_1  "aprof_trms_write_1"
#define TRMS_WORDS_WRITE_2  "aprof_trms_write_2"
#define TRMS_WORDS_WRITE_4  "aprof_trms_write_4"
#define TRMS_WORDS_WRITE_8  "aprof_trms_write_8"
#define TRMS_WORDS_WRITE_16 "aprof_trms_write_16"
#define TRMS_WORDS_WRITE    "aprof_trms_write"
enum { TRMS_WORDS_MOST = 16 };

/* For a word up to so many bytes below or above the word of an address, the distance of the
 * words equals the distance of their cells, for any mask. The sum is a power of two. */
enum { TRMS_WORDS_BELOW = 64, TRMS_WORDS_ABOVE = 64 };

/* The widest access that is checked inline. */
enum { TRMS_WORDS_WIDEST = 64 };

/* Ordinary functions, called before loops: n ranges of so many bytes are read, or written. The
 * first is at an address, and each `stride` bytes after the previous one. The stride may be less
 * than the size of a range, or 0. Between these accesses there is neither a call nor
 * synchronisation. Words of written ranges are stored, too.
 *
 *     void (uintptr_t address, size_t bytes, size_t stride, size_t n)
 */
#define TRMS_WORDS_READ_ROWS  "aprof_trms_read_rows"
#define TRMS_WORDS_WRITE_ROWS "aprof_trms_write_rows"

/* Ordinary functions: a routine begins, or ends; control has reached a landing pad of it (each
 * with the address of its return address); synchronisation is about to happen. */
#define TRMS_WORDS_ENTER "aprof_trms_enter"
#define TRMS_WORDS_LEAVE "aprof_trms_leave"
#define TRMS_WORDS_LAND  "aprof_trms_land"
#define TRMS_WORDS_SYNC  "aprof_trms_sync"

/* Replaces TRMS_WORDS_ENTER where a routine has two versions. It also gets the routine's
 * sampling state, or NULL while an activation is pending that is not recorded. Returns 0 if the
 * version that measures nothing runs. Sampling states start as zeroes, one for each routine, and
 * in executables for each thread; the first word counts the calls until the next decision. */
#define TRMS_WORDS_CHOOSE "aprof_trms_choose"
enum { TRMS_WORDS_SAMPLING_WORDS = 3 }; /* of 64 bits */

/* Marks executables that contain code with inline checks. */
#define TRMS_WORDS_MARK "aprof_trms_checks_itself"

/* ... and those that contain code in two versions. */
#define TRMS_WORDS_MARK_TWO "aprof_trms_two_versions"

#endif
