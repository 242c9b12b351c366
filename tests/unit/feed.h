/* Hand-made event streams for unit tests: one call, one record, consumed at once.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     feed_block(&f, &main, BLOCK_ENTRY, BLOCK_CALL, write_8(0xff8));      main calls (slot 0xff8)
 *     feed_block(&f, &g, BLOCK_ENTRY, BLOCK_RETURN, slot(0xff8));          g, and its return
 */
#ifndef TESTS_UNIT_FEED_H
#define TESTS_UNIT_FEED_H

#include <stdint.h>

#include "aprof/state.h"

enum { FEED_BLOCKS_MAX = 512 };

struct feed {
    struct engine *engine;
    struct block *blocks[FEED_BLOCKS_MAX];
    unsigned n_blocks;
    uint32_t cost; /* cost of the next blocks, initially 1 */
};

/* The content of a block's record: at most one access, and at most one other word. */
struct payload {
    unsigned n_accesses, n_words;
    enum access_kind kind;
    unsigned size_bytes;
    aprof_word address, word;
};

struct payload nothing(void);
struct payload access_of(enum access_kind kind, aprof_word address, unsigned size_bytes);
struct payload pushed(aprof_word slot); /* for BLOCK_CALL */
struct payload slot(aprof_word slot);   /* for BLOCK_RETURN */
struct payload pointer(aprof_word sp);  /* for BLOCK_INDIRECT */

/* An engine of resolution 4 with both metrics, in which thread 1 runs; its stack ends at 0x100000.
 */
void feed_new(struct feed *f);
void feed_new_with(struct feed *f, const struct engine_config *config);
extern const struct engine_config feed_config;
void feed_delete(struct feed *f);

/* The descriptor, which may still be changed before feed_again. */
struct block *feed_block(struct feed *f, struct routine *routine, unsigned flags,
                         enum block_end end, struct payload payload);
void feed_again(struct feed *f, struct block *block, struct payload payload);
void feed_event(struct feed *f, enum event_kind kind, unsigned n, const aprof_word *payload);
#define FEED(f, kind, ...)                                                                         \
    feed_event(f, kind, sizeof((aprof_word[]){__VA_ARGS__}) / sizeof(aprof_word),                  \
               (aprof_word[]){__VA_ARGS__})

/* Pending activations of the running execution context; the routine of the i-th (1 is the
 * outermost). */
size_t feed_depth(const struct feed *f);
const struct routine *feed_pending(const struct feed *f, size_t i);
/* The measurements of a routine in all ended execution contexts, after engine_gather. */
struct routine_profile *feed_profile(struct feed *f, struct routine *routine);
/* The number of a routine's activations with one input size. */
uint64_t feed_calls(struct feed *f, struct routine *routine, enum metric metric, uint64_t input);

#endif
