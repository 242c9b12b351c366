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

/* Offsets in an execution context. */
enum {
    TRMS_WORDS_STAMP = 0,  /* 32 bits: the current time, which a write stores */
    TRMS_WORDS_COST = 8,   /* 64 bits: the cost, increased by one for each block */
    TRMS_WORDS_FLOOR = 16, /* 32 bits: a read changes nothing if its word is not below this */
    TRMS_WORDS_DIRECT_SHADOW = 24,
    TRMS_WORDS_MASK = 32,
    TRMS_WORDS_CAREFUL = 40,    /* 32 bits: if not 0, writes are checked too, and synchronisation
                                 * calls the runtime */
    TRMS_WORDS_SYNCED = 44,     /* 32 bits: no other context has written since this time */
    TRMS_WORDS_ACTIVATION = 56, /* the latest activation; its caller's activation precedes it */
    TRMS_WORDS_STACK = 64,      /* the value of the latest activation while none is pending */
    TRMS_WORDS_FOUND = 104      /* another pending activation, which was the last to access some
                                 * cells */
};

/* Size in bytes and fields of an activation. 64 bits: increased by one for each first read of a
 * cell, and decreased for the youngest ancestor that has accessed the cell. 32 bits: the times of
 * its call, and of the next activation's call, if there is one. A read of a word that is below the
 * floor, but not below this time, is first for the latest activation only. */
enum {
    TRMS_WORDS_CALLER = -96,
    TRMS_WORDS_RMS = 48,
    TRMS_WORDS_BEGUN = 56,
    TRMS_WORDS_BEGUN_NEXT = TRMS_WORDS_BEGUN - TRMS_WORDS_CALLER,
    TRMS_WORDS_NEAR = 60
};

/* The bits of a word that are not its time; a read does not change them. */
#define TRMS_WORDS_STATE 3u

/* In shared mode, a write need not be reported if the old word minus the word at TRMS_WORDS_SYNCED
 * has none of these bits: then the context itself has written the cell since its latest
 * synchronisation. */
#define TRMS_WORDS_NOT_OWN 0x80000003u

/* Slow-path entry points, which change no register except r11. There is one slow path for each
 * access size in one cell or in whole cells, and one for any size. The inline check has stored the
 * words of a write before it calls the entry point of its size. If the address is misaligned, they
 * are at the wrong address and the entry point clears them. TRMS_WORDS_WRITE needs no stored
 * words. */
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

/* Writes after short checks. The second argument, of 64 bits, has the words before the write: the
 * entry point tests them for TRMS_WORDS_NOT_OWN. */
#define TRMS_WORDS_STORED_1 "aprof_trms_stored_1"
#define TRMS_WORDS_STORED_2 "aprof_trms_stored_2"
#define TRMS_WORDS_STORED_4 "aprof_trms_stored_4"
#define TRMS_WORDS_STORED_8 "aprof_trms_stored_8"

/* Words within this many bytes below and above the word of an address are as far from it as their
 * cells are from the address, for any mask. The sum is a power of two. */
enum { TRMS_WORDS_BELOW = 64, TRMS_WORDS_ABOVE = 64 };

/* The widest access that is checked inline. */
enum { TRMS_WORDS_WIDEST = 64 };

/* Ordinary functions, called before loops that read or write n ranges of `bytes` bytes. The first
 * range is at `address`, and each further one `stride` bytes after the previous one. The stride may
 * be less than the size of a range, or 0. Between these accesses there is neither a call nor
 * synchronisation. The functions also store the words of written ranges.
 *
 *     void (uintptr_t address, size_t bytes, size_t stride, size_t n)
 */
#define TRMS_WORDS_READ_ROWS  "aprof_trms_read_rows"
#define TRMS_WORDS_WRITE_ROWS "aprof_trms_write_rows"

/* Ordinary functions, called when a routine begins or ends, when control has reached a landing pad
 * of it, and before synchronisation. The first three get the address of the routine's return
 * address. */
#define TRMS_WORDS_ENTER "aprof_trms_enter"
#define TRMS_WORDS_LEAVE "aprof_trms_leave"
#define TRMS_WORDS_LAND  "aprof_trms_land"
#define TRMS_WORDS_SYNC  "aprof_trms_sync"

/* Replaces TRMS_WORDS_ENTER in a routine with two versions. The function also gets the routine's
 * sampling state, or NULL if no decision is due. Returns 0 if the version without measurement must
 * run. Each routine has one sampling state; in executables, each routine has one for each thread.
 * The sampling state is zero at first; its first word counts the calls until the next sampling
 * decision. */
#define TRMS_WORDS_CHOOSE "aprof_trms_choose"
enum { TRMS_WORDS_SAMPLING_WORDS = 3 }; /* of 64 bits */

/* Marks executables that contain code with inline checks. */
#define TRMS_WORDS_MARK "aprof_trms_checks_itself"

/* Marks executables that contain code in two versions. */
#define TRMS_WORDS_MARK_TWO "aprof_trms_two_versions"

#endif
