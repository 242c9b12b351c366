/* A strand's window: a word for each cell, at a fixed distance from it, for code that looks itself.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * compile/trms/trms_pass.c puts the first look into the program: a read compares the cell's word with the
 * strand's floor, a write stores the strand's time there. A word has the time of the strand's latest
 * access (ts in docs/parallel-trms.md). As long as a program has one strand,
 * this is all that is known of its cells, and no table is made:
 *
 *     word = time of the latest access | what is in the cell:    0: never accessed
 *         OWN           this strand has written it, after any write of the kernel
 *         READ          nobody has written it
 *         KERNEL        the kernel has written it, and this strand has not read it since
 *         KERNEL_SEEN   ... and it has
 *
 * OWN is 0, so that a write's word is the strand's time. The floor is never below a time at which
 * the kernel wrote, so that KERNEL is looked at.
 *
 * When a second strand is about to exist, tokens are made of the words (trms_window_end), and strands
 * are `careful`: who wrote is in written[] then, and sights.h tells whether the strand has seen it.
 * There are no entries. A word that is as young as the strand's latest synchronisation says what need
 * not be looked up: nobody else has written since, and
 *
 *         OWN           written[] has the strand's present token
 *         others        it may have another one
 *
 * so a write of an OWN cell is one store of the time, and a read is counted by its word. An older one
 * is UNSEEN where somebody else has written since, as was known when its time was numbered anew. A
 * strand without a window has entries, and a few words of its own in its place, which are all zero.
 */
#ifndef NATIVE_TRMS_SHADOW_WORDS_H
#define NATIVE_TRMS_SHADOW_WORDS_H

#include "ground/trms_words.h"
#include "native/trms/core.h"
#include "native/trms/shadow/shadow_pages.h"
#include "native/trms/shadow/sights.h"

enum trms_window_state {
    TRMS_OWN,
    TRMS_READ,
    TRMS_KERNEL,
    TRMS_KERNEL_SEEN,
    TRMS_UNSEEN = TRMS_KERNEL, /* of a careful strand */
};

/* ---------------------------------------------------------------- the embedder's part */

/* Words of some cells that follow each other, all in one chunk. */
typedef void trms_window_visit(void *context, uint32_t *words, uint64_t cell, uint64_t n);

/* Calls `visit` for all words that may not be zero. Those of memory that the process does not have
 * may be made zero instead. */
void trms_window_each(struct trms_strand *strand, trms_window_visit *visit, void *context);

/* All cells [first, last] have never been accessed. */
void trms_window_clear(struct trms_strand *strand, uint64_t first, uint64_t last);

/* Gives back what trms_window_begin was given. */
void trms_window_unmap(struct trms_strand *strand);

/* ---------------------------------------------------------------- window.c */

/* A strand gets words, all zero, for the addresses & mask, and as many bytes for their pages
 * (shadow_pages.h), zero as well. The words are what is known of cells if it is the only one of the
 * world, and has accessed nothing. That one has a token from then on: where a
 * signal handler ends its window the token of what was interrupted must not change, for the time
 * beside it may be about to. */
void trms_window_begin(struct trms_strand *strand, uintptr_t words, uintptr_t mask, uint8_t *pages);

/* The bytes of pages of a strand without a window: none are wanted. */
extern uint8_t trms_no_pages;

/* A strand begins, or has no window any more. */
void trms_window_none(struct trms_strand *strand);

/* A second strand is about to exist: what the words say is put into the tables. */
void trms_window_end(struct trms_strand *strand);

/* The strand has no window any more; its tables say all. */
void trms_window_leave(struct trms_strand *strand);

void trms_window_read(struct trms_strand *strand, uint64_t first, uint64_t last);
void trms_window_write(struct trms_strand *strand, uint64_t first, uint64_t last);
/* HOT: of n cells, 1, 2 or 4, where the look has failed. */
void trms_window_read_few(struct trms_strand *strand, uintptr_t address, int n);
/* Whether a mapped file has one of these cells. */
bool trms_file_is_in(const struct trms_world *world, uint64_t first, uint64_t last);
void trms_window_kernel_wrote(struct trms_strand *strand, uint64_t first, uint64_t last);

/* HOT: of 1, 2 or 4 cells, where the look has failed. False: nothing was done; a table may have to be
 * asked, or the stack searched. */
APROF_INLINE bool trms_window_read_likely(struct trms_strand *strand, uintptr_t address, int n);

/* HOT: of 1, 2 or 4 cells where the strand is careful. False: nothing was done, and trms_access_bytes
 * can do it. */
bool trms_careful_read_1(struct trms_strand *strand, uintptr_t address);
bool trms_careful_read_2(struct trms_strand *strand, uintptr_t address);
bool trms_careful_read_4(struct trms_strand *strand, uintptr_t address);

/* HOT: the code has stored the words of n cells, in one chunk or not. False likewise; or a signal handler has ended
 * meanwhile, and their tokens are to be stored again. */
APROF_INLINE bool trms_window_write_likely(struct trms_strand *strand, uintptr_t address, int n);

/* Of any bytes, a few hundred at most; words are stored, too. */
bool trms_careful_write_any(struct trms_strand *strand, uintptr_t address, size_t bytes);

/* A careful strand's accesses of n cells whose tokens are at `place`, if there is nothing to catch up with,
 * room for the sights of all cells, and a token. False: a signal handler has ended meanwhile, and the access is
 * to be made again. */
bool trms_words_read_now(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n);
bool trms_words_write_now(struct trms_strand *strand, uint8_t place, uint64_t cell, uint64_t n);

/* The times of words change as trms_time_renumbered says. */
void trms_window_renumber(struct trms_strand *strand);

/* Whether the words are what is known. */
APROF_INLINE bool trms_window_is_used(const struct trms_strand *strand)
{
    return !strand->careful;
}

APROF_INLINE uint32_t *trms_window_word(const struct trms_strand *strand, uint64_t cell)
{
    return (uint32_t *)(strand->window + ((cell << TRMS_FAST_SHIFT) & strand->mask));
}

APROF_INLINE bool trms_has_window(const struct trms_strand *strand)
{
    return strand->window != (uintptr_t)&strand->nowhere[TRMS_NOWHERE_FIRST];
}

/* There is memory where it has words of other cells. */
APROF_INLINE bool trms_window_must_go(const struct trms_strand *strand)
{
    return trms_has_window(strand) && strand->world->without_windows & 1u << strand->window_kind;
}

/* The tokens of these cells are at hand, and nothing needs to be caught up with. */
APROF_INLINE bool trms_tokens_are_at_hand(const struct trms_strand *strand, uintptr_t address,
                                          int n)
{
    const uintptr_t chunk = (uintptr_t)1 << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
    return trms_tokens_at_hand(strand, address) &&
           LIKELY((n == 1 || address % chunk + 4 * (uintptr_t)n <= chunk) &&
                  !trms_is_behind(strand));
}

APROF_INLINE uint32_t *trms_tokens_of(const struct trms_strand *strand, uintptr_t address)
{
    return (uint32_t *)(strand->remembered.written[(uint8_t)trms_chunk_of(address)] + address);
}

/* What was written with a token the strand has not seen all at `time`, or not at all. */
APROF_INLINE bool trms_is_unseen(uint32_t time, uint32_t state, uint32_t since)
{
    return time < since || state == TRMS_UNSEEN;
}

/* The strand is careful, and has seen the latest write of each of the cells: all have one token, which is
 * at hand or its own. */
APROF_INLINE bool trms_words_are_seen(const struct trms_strand *strand, uintptr_t address,
                                      uint32_t word, int n)
{
    uint32_t since, differs = 0;
    if (UNLIKELY(!trms_has_window(strand) || !trms_tokens_are_at_hand(strand, address, n)))
        return false;
    const uint32_t *written = trms_tokens_of(strand, address);
    uint32_t token = __atomic_load_n(&written[0], __ATOMIC_RELAXED);
    for (int i = 1; i < n; i++)
        differs |= __atomic_load_n(&written[i], __ATOMIC_RELAXED) ^ token;
    if (UNLIKELY(!trms_sight_at_hand(strand, token, &since))) {
        if (!trms_token_is_own(strand, token))
            return false;
        since = 0;
    }
    return LIKELY(!differs && !trms_is_unseen(TRMS_TIME(word), word % TRMS_TICK, since));
}

/* First accesses of n cells by all activations younger than `time`. */
APROF_INLINE void trms_count_firsts(struct trms_strand *strand, uint32_t time, int64_t n)
{
    if (time >= strand->activation->stamp)
        return;
    strand->activation->rms += n;
    if (!time)
        return;
    if (LIKELY(time >= strand->activation[-1].stamp))
        strand->activation[-1].rms -= n; /* the caller: the likeliest */
    else
        trms_ancestor(strand, time)->rms -= n;
}

/* Cells of one variable mostly have the same past. The time is loaded first, and once: a signal handler's
 * end raises `synced` above it. */
APROF_INLINE bool trms_window_read_likely(struct trms_strand *strand, uintptr_t address, int n)
{
    uint32_t *words = (uint32_t *)(strand->window + (address & strand->mask));
    uint32_t now = (uint32_t)__atomic_load_n(&strand->stamp, __ATOMIC_RELAXED);
    uint32_t word = words[0], time = TRMS_TIME(word), differs = 0;
    uint32_t state = word ? word % TRMS_TICK : TRMS_READ;
    struct trms_activation *ancestor = NULL;
    for (int i = 1; i < n; i++)
        differs |= words[i] ^ word;
    if (UNLIKELY(differs))
        return false;
    if (word < strand->synced) {
        if (UNLIKELY(!word && !trms_pages_are_made(strand, address, TRMS_PAGE_WORDS)))
            return false;
        if (strand->careful) {
            if (UNLIKELY(!trms_words_are_seen(strand, address & ~(uintptr_t)3, word, n)))
                return false;
            state = TRMS_READ;
        } else if (UNLIKELY(state == TRMS_KERNEL || (!word && strand->world->n_files))) {
            return false;
        }
    }
    bool is_first = time < strand->activation->stamp;
    if (is_first && time) {
        ancestor = trms_ancestor_near(strand, time);
        if (UNLIKELY(!ancestor))
            return false;
        ancestor->rms -= n;
    }
    if (is_first)
        strand->activation->rms += n;
    for (int i = 0; i < n; i++)
        words[i] = now | state;
    return true;
}

APROF_INLINE bool trms_window_write_likely(struct trms_strand *strand, uintptr_t address, int n)
{
    if (UNLIKELY(!trms_has_window(strand) || !strand->token_limit ||
                 !trms_tokens_are_at_hand(strand, address, n) ||
                 !trms_pages_are_made(strand, address, TRMS_PAGE_ALL)))
        return false;
    uint32_t *written = trms_tokens_of(strand, address), token = (uint32_t)(strand->stamp >> 32);
    strand->token_used = true;
    for (int i = 0; i < n; i++)
        __atomic_store_n(&written[i], token, __ATOMIC_RELAXED);
    return trms_is_still_settled(strand);
}

/* After cells have been written. */
APROF_INLINE void trms_words_own(const struct trms_strand *strand, uint64_t cell, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        *trms_window_word(strand, cell + i) = (uint32_t)strand->stamp | TRMS_OWN;
}

/* A write has stored a time where no cell's word is: the address was misaligned, or there is no window. */
APROF_INLINE void trms_nowhere_clear(struct trms_strand *strand)
{
    uint32_t *words = (uint32_t *)(strand->window - TRMS_WORDS_BELOW);
    for (int i = 0; i < TRMS_NOWHERE; i++)
        words[i] = 0;
}

#endif
