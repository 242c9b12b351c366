/* What code that looks for itself whether an access changes anything, and its runtime, agree on.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Written by compile/trms/trms_pass.c, answered by native/trms/quick.c, loops.c and hooks.c;
 * native/trms/shadow/window.h says what a word is.
 */
#ifndef GROUND_TRMS_WORDS_H
#define GROUND_TRMS_WORDS_H

/* A variable of each thread: the strand that runs. */
#define TRMS_WORDS_STRAND "aprof_trms_strand"

/* In a strand. */
enum {
    TRMS_WORDS_STAMP = 0,  /* its time: 32 bits, what a write stores */
    TRMS_WORDS_COST = 8,   /* 64 bits, one more for each block */
    TRMS_WORDS_FLOOR = 16, /* 32 bits: a read of a word that is not below it changes nothing */
    TRMS_WORDS_WINDOW = 24,
    TRMS_WORDS_MASK = 32,
    TRMS_WORDS_CAREFUL = 40,    /* 32 bits: not 0: a write looks, too, and synchronisation calls */
    TRMS_WORDS_SYNCED = 44,     /* 32 bits: nobody else has written since */
    TRMS_WORDS_ACTIVATION = 56, /* the latest, whose caller's lies before it */
    TRMS_WORDS_STACK = 64,      /* the same while no activation is pending */
    TRMS_WORDS_FOUND = 104      /* another that may be pending, which has read some cells last */
};

/* From an activation: its caller's, in bytes; 64 bits, one more for each first read of a cell, and
 * one less for the youngest ancestor that has accessed it; 32 bits: the times of its call, and of
 * that of the next one, if there is one; and a read of a word that is below the floor, but not
 * below this, is the first of the latest activation alone. */
enum {
    TRMS_WORDS_CALLER = -96,
    TRMS_WORDS_RMS = 48,
    TRMS_WORDS_BEGUN = 56,
    TRMS_WORDS_BEGUN_NEXT = TRMS_WORDS_BEGUN - TRMS_WORDS_CALLER,
    TRMS_WORDS_NEAR = 60
};

/* The bits of a word that are not its time; a read leaves them as they are. */
#define TRMS_WORDS_STATE 3u

/* A careful strand's write need not be told of if the word, as it was before, less the word at
 * TRMS_WORDS_SYNCED, has none of these bits: it is one that the strand has written since. */
#define TRMS_WORDS_NOT_OWN 0x80000003u

/* Slow-path entry points, which change no register but r11: accesses of so many bytes in one cell
 * or in whole cells, and of any bytes. The inline check has stored the words of a write before it
 * calls the entry point of its size. If the address is misaligned, they are in the wrong place and
 * the entry point clears them. TRMS_WORDS_WRITE needs no stored words. */
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

/* Words that lie so many bytes below and above the one of an address are at the same distance from
 * it as their cells are, whatever the mask: a power of two together. */
enum { TRMS_WORDS_BELOW = 64, TRMS_WORDS_ABOVE = 64 };

/* The widest access that is looked at. */
enum { TRMS_WORDS_WIDEST = 64 };

/* Ordinary ones, in front of loops: n pieces of so many bytes are read, or written, the first at an
 * address and each `stride` bytes behind the one before, which may be fewer than they have, and 0.
 * Between these accesses there is neither a call nor synchronisation. Words of written pieces are
 * stored, too.
 *
 *     void (uintptr_t address, size_t bytes, size_t stride, size_t n)
 */
#define TRMS_WORDS_READ_ROWS  "aprof_trms_read_rows"
#define TRMS_WORDS_WRITE_ROWS "aprof_trms_write_rows"

/* Ordinary ones: a routine begins, and ends; a landing pad of it has been reached (each with the
 * place of its return address); synchronisation is about to happen. */
#define TRMS_WORDS_ENTER "aprof_trms_enter"
#define TRMS_WORDS_LEAVE "aprof_trms_leave"
#define TRMS_WORDS_LAND  "aprof_trms_land"
#define TRMS_WORDS_SYNC  "aprof_trms_sync"

/* In place of the former where a routine has two versions, gets the routine's toss besides, or
 * NULL: while an activation is pending that is not recorded. Returns 0 if the
 * version that measures nothing runs. A toss is made of zeroes for each routine, in executables for
 * each thread; its first word has the calls until it must ask. */
#define TRMS_WORDS_CHOOSE "aprof_trms_choose"
enum { TRMS_WORDS_TOSS_WORDS = 3 }; /* of 64 bits */

/* Stands in executables some of whose code looks itself. */
#define TRMS_WORDS_MARK "aprof_trms_looks_itself"

/* ... and in those some of whose code has two versions. */
#define TRMS_WORDS_MARK_TWO "aprof_trms_two_versions"

#endif
