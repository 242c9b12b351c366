/* The interface between inline checks of accesses and their runtime.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/trms/trms_pass.c emits the code; native/trms/quick.c, loops.c and hooks.c implement the
 * runtime. native/trms/shadow/words.h defines shadow words.
 */
#ifndef GROUND_TRMS_WORDS_H
#define GROUND_TRMS_WORDS_H

/* Name of the thread-local variable that points to the running execution context. */
#define TRMS_WORDS_EXEC_CONTEXT "aprof_trms_exec_context"

/* Offsets in an execution context. */
enum {
    TRMS_WORDS_STAMP = 0, /* 32 bits: the current time, which a write stores in the word */
    TRMS_WORDS_COST = 8,  /* 64 bits: the cost, increased by one for each block */
    /* 32 bits: a read changes nothing if its word is at least this value, the floor */
    TRMS_WORDS_FLOOR = 16,
    TRMS_WORDS_DIRECT_SHADOW = 24,
    TRMS_WORDS_MASK = 32,
    /* 32 bits: if not 0, writes are also checked, and synchronisation calls the runtime */
    TRMS_WORDS_CAREFUL = 40,
    /* 32 bits: no other context has written any cell since this time */
    TRMS_WORDS_SYNCED = 44,
    TRMS_WORDS_ACTIVATION = 56, /* the latest activation; its caller's activation precedes it */
    TRMS_WORDS_STACK = 64, /* the value of TRMS_WORDS_ACTIVATION while no activation is pending */
    /* the pending activation that the latest search found as last accessor of a cell */
    TRMS_WORDS_FOUND = 104
};

/* Size in bytes and fields of an activation. TRMS_WORDS_RMS (64 bits) grows by one for each first
 * read of a cell. In the youngest ancestor that has accessed the cell, this field is decreased by
 * one. TRMS_WORDS_BEGUN (32 bits) is the time of the activation's call. TRMS_WORDS_BEGUN_NEXT (32
 * bits) is the time of the next activation's call, if there is one. A read with a word below the
 * floor, but not below TRMS_WORDS_NEAR, is a first access of the latest activation only. */
enum {
    TRMS_WORDS_CALLER = -96,
    TRMS_WORDS_RMS = 48,
    TRMS_WORDS_BEGUN = 56,
    TRMS_WORDS_BEGUN_NEXT = TRMS_WORDS_BEGUN - TRMS_WORDS_CALLER,
    TRMS_WORDS_NEAR = 60
};

/* The bits of a word that are not its time; a read does not change them. */
#define TRMS_WORDS_STATE 3u

/* In shared mode, a write need not be reported if (old word - word at TRMS_WORDS_SYNCED) has none
 * of these bits. In this case, the context itself has written the cell since its latest
 * synchronisation. */
#define TRMS_WORDS_NOT_OWN 0x80000003u

/* Names of slow-path entry points, which change no register except r11; on arm64, they are called
 * like C functions. There is one slow path for each access size in one cell or in whole cells, and
 * one slow path for any access. The inline check stores the words of a write before it calls the
 * entry point for the write's size. If the address is misaligned, the words were stored at the
 * wrong address and the entry point clears them. Before a call of TRMS_WORDS_WRITE, the words need
 * not be stored. */
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

/* Names of entry points for writes after short checks. The second argument (64 bits) contains the
 * old words, from before the write; the entry point tests the old words for TRMS_WORDS_NOT_OWN. */
#define TRMS_WORDS_STORED_1 "aprof_trms_stored_1"
#define TRMS_WORDS_STORED_2 "aprof_trms_stored_2"
#define TRMS_WORDS_STORED_4 "aprof_trms_stored_4"
#define TRMS_WORDS_STORED_8 "aprof_trms_stored_8"

/* If two addresses differ by at most these distances, the words of their cells are as far apart as
 * the cells. This is true for any mask. The sum of the two constants is a power of two. */
enum { TRMS_WORDS_BELOW = 64, TRMS_WORDS_ABOVE = 64 };

/* The widest access that is checked inline. */
enum { TRMS_WORDS_WIDEST = 64 };

/* Names of ordinary functions that are called before loops that read or write n ranges of `bytes`
 * bytes each. The first range is at `address`, and each further range is `stride` bytes after the
 * previous one. The stride may be less than the size of a range, or 0. In a loop that accesses the
 * ranges, there is neither a call nor synchronisation between the accesses. The functions also
 * store the words of written ranges.
 *
 *     void (uintptr_t address, size_t bytes, size_t stride, size_t n)
 */
#define TRMS_WORDS_READ_ROWS  "aprof_trms_read_rows"
#define TRMS_WORDS_WRITE_ROWS "aprof_trms_write_rows"

/* Names of ordinary functions for the start and the end of a routine, for arrival at one of its
 * landing pads, and for synchronisation. All functions except the function for synchronisation get
 * the address of the routine's return address. On arm64, the arguments are the address of the word
 * below the stack pointer at the routine's entry, and the return address. */
#define TRMS_WORDS_ENTER "aprof_trms_enter"
#define TRMS_WORDS_LEAVE "aprof_trms_leave"
#define TRMS_WORDS_LAND  "aprof_trms_land"
#define TRMS_WORDS_SYNC  "aprof_trms_sync"

/* Name of the function that replaces TRMS_WORDS_ENTER in a routine with two versions. The function
 * also gets the routine's sampling state, or NULL if no sampling decision is due. The function
 * returns 0 if the version without measurement must run. On x86-64, the function changes no general
 * register except rax and r11 (preserve_most). Each routine has one sampling state in
 * libraries, and one for each thread in executables. The sampling state is zero at first; its first
 * word counts the calls until the next sampling decision. */
#define TRMS_WORDS_CHOOSE "aprof_trms_choose"
enum { TRMS_WORDS_SAMPLING_WORDS = 5 }; /* of 64 bits */

/* Marks executables with inline checks. */
#define TRMS_WORDS_MARK "aprof_trms_checks_itself"

/* Marks executables with code in two versions. */
#define TRMS_WORDS_MARK_TWO "aprof_trms_two_versions"

#endif
