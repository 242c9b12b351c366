/* The file of counters of an instrumented program, and data that identify the program.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The counters are in a shared file mapping, so they survive _exit() and SIGKILL. The file has
 * native words and is not portable.
 *
 *     page 0        struct counters_header
 *     lanes         one page with a struct counters_lane, then `slots` counters, then padding to a
 *                   page. The first lane follows page 0, and each lane has the offset of the next
 *                   lane. A running thread has a lane of its own; the result is the sum over all
 *                   lanes.
 *     tables        a lane's hash table, `capacity` entries of struct counters_entry. A half-full
 *                   table is copied to a table of twice the size at the file's end.
 */
#ifndef PATHS_COUNTERS_H
#define PATHS_COUNTERS_H

#include <stdint.h>

#define COUNTERS_MAGIC      "APRPATH1"
#define COUNTERS_PAGE_BYTES 4096

enum counters_flag {
    /* the program is one of several copies; threads would make the copies' counts incomparable */
    COUNTERS_PARTIAL = 1,
    COUNTERS_LANES = 2, /* the program was compiled for threads */
    /* the copy counts only in some intervals of the run; threads are not allowed, as in partial
     * copies */
    COUNTERS_SLICED = 4,
    /* the program has no counters: finished paths are events, which an analysis counts */
    COUNTERS_EVENTS = 8,
};

/* The first slots of counters in a sliced copy. Each start of a path decrements SLICE_LEFT; when
 * SLICE_LEFT is 0, the next interval begins. Therefore SLICE_INTERVALS * interval - SLICE_LEFT
 * paths have started. */
enum counters_slice {
    SLICE_LEFT,
    SLICE_RECORDING, /* not 0 while this copy counts in the current interval */
    SLICE_INTERVALS,
    SLICE_SIGNATURE, /* hash of the positions where intervals began; it is equal in all copies */
    SLICE_SLOTS,
};

/* The identity of the program; `plan` distinguishes copies of different plans. */
struct counters_identity {
    char magic[8];
    uint64_t plan;
    uint32_t copy, copies; /* copies are numbered from 1 */
    uint32_t flags;
    uint32_t interval; /* number of path starts per interval, if the copy is sliced */
    uint64_t slots;
};

enum counters_state {
    COUNTERS_RUNNING,
    COUNTERS_THREADS_REFUSED, /* the program was ended because it tried to start a thread */
};

struct counters_header {
    struct counters_identity identity;
    uint64_t first_lane; /* offset of the first lane in the file */
    uint32_t state;
    uint32_t unused;
};

struct counters_lane {
    uint64_t next;  /* offset of the next lane; 0: there is none */
    uint64_t table; /* offset of the lane's table; 0: there is none */
    uint64_t capacity, used;
};

struct counters_entry {
    uint64_t value;
    uint64_t procedure; /* number of the procedure plus one; 0: the entry is free */
    uint64_t count;
};

/* Returns the hash of an entry, whose low bits are the slot that is tried first. If a slot is in
 * use, the next slot is tried; slot 0 follows the last slot of the table. */
static inline uint64_t counters_hash(uint64_t procedure, uint64_t value)
{
    uint64_t hash = (value + procedure * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

#endif
