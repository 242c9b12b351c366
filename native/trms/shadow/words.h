/* A strand's words, one for each cell: what is known of it, for hooks and inline checks alike.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A word has the time of the strand's latest access (ts in docs/parallel-trms.md). Words lie in a
 * *window*, at a fixed distance from their cells, where the address space allows one; else in chunks,
 * which a table finds (shadow.c). Hooks and inline checks (compile/trms/trms_pass.c) look in the
 * window: a read compares the cell's word with the strand's floor, a write stores the strand's time
 * there. A strand without a window has a few words of its own in its place, which are all zero, so
 * that all its accesses call the runtime.
 *
 * As long as a program has one strand, or strands share nothing, they are *exclusive*: the words are
 * all that is known of their cells:
 *
 *     word = time of the latest access | what is in the cell:    0: never accessed
 *         OWN           this strand has written it, after any write of the kernel
 *         READ          nobody has written it
 *         KERNEL        the kernel has written it, and this strand has not read it since
 *         KERNEL_SEEN   ... and it has
 *
 * OWN is 0, so that a write's word is the time. The floor is never below a time at which the kernel wrote, so
 * KERNEL always takes the slow path.
 *
 * When a second strand is about to exist, tokens are made of the words (trms_words_share): who wrote
 * is in written[] then, and sights.h tells whether the strand has seen it. A word that is as young as
 * the strand's latest synchronisation says what need not be looked up: nobody else has written since,
 * and
 *
 *         OWN           written[] has the strand's present token
 *         others        it may have another one
 *
 * so a write of an OWN cell is one store of the time, and a read is counted by its word. An older one
 * is UNSEEN where somebody else has written since, as was known when its time was numbered anew.
 */
#ifndef NATIVE_TRMS_SHADOW_WORDS_H
#define NATIVE_TRMS_SHADOW_WORDS_H

#include "ground/trms_words.h"
#include "native/trms/core.h"
#include "native/trms/shadow/shadow_pages.h"
#include "native/trms/shadow/sights.h"

enum trms_word_state {
    TRMS_OWN,
    TRMS_READ,
    TRMS_KERNEL,
    TRMS_KERNEL_SEEN,
    TRMS_UNSEEN = TRMS_KERNEL, /* of a shared strand */
};

/* ---------------------------------------------------------------- windows: the embedder's part */

/* Words of some cells that follow each other, all in one chunk. */
typedef void trms_words_visit(void *context, uint32_t *words, uint64_t cell, uint64_t n);

/* Calls `visit` for all words that may not be zero. Those of unmapped memory may be set to zero instead. */
void trms_window_each(struct trms_strand *strand, trms_words_visit *visit, void *context);

/* All cells [first, last] have never been accessed. */
void trms_window_clear(struct trms_strand *strand, uint64_t first, uint64_t last);

/* Gives back what trms_window_begin was given. */
void trms_window_unmap(struct trms_strand *strand);

/* ---------------------------------------------------------------- words.c */

/* A strand that has accessed nothing gets words, all zero, for the addresses & mask, and as many
 * bytes for their pages (shadow_pages.h), zero as well. */
void trms_window_begin(struct trms_strand *strand, uintptr_t words, uintptr_t mask, uint8_t *pages);

/* The bytes of pages of a strand without a window: none are wanted. */
extern uint8_t trms_no_pages;

/* A context begins, or loses its direct-mapped shadow. */
void trms_window_none(struct trms_strand *strand);

/* The strand's words move to chunks; it has no window any more. */
void trms_window_leave(struct trms_strand *strand);

/* The strand's words say all from now on. It has a token, too: where a signal handler is the second
 * strand, the token of what was interrupted must not change, for the time beside it may be about to. */
void trms_strand_be_exclusive(struct trms_strand *strand);

/* A second strand is about to exist: what the words say is put into written[]. */
void trms_words_share(struct trms_strand *strand);

/* Of an exclusive strand, whose chunks, if it has no window, are at hand. */
void trms_exclusive_read(struct trms_strand *strand, uint64_t first, uint64_t last);
/* Of one that has a window. A signal handler may be the second strand meanwhile. */
void trms_exclusive_write(struct trms_strand *strand, uint64_t first, uint64_t last);
/* HOT: for n cells, 1, 2 or 4, after a failed check. */
void trms_exclusive_read_few(struct trms_strand *strand, uint32_t *words, uintptr_t address, int n);
/* Whether one of these cells belongs to a mapped file. */
bool trms_file_is_in(const struct trms_world *world, uint64_t first, uint64_t last);
void trms_words_kernel_wrote(struct trms_strand *strand, uint64_t first, uint64_t last);

/* HOT: of 1, 2 or 4 cells, which have these words, where the look has failed. False: nothing was done;
 * a table may have to be asked, or the stack searched. */
APROF_INLINE bool trms_read_likely(struct trms_strand *strand, uint32_t *words, uintptr_t address,
                                   int n);

/* HOT: the same of a shared strand. False: nothing was done, and trms_access_bytes can do it. */
bool trms_shared_read_1(struct trms_strand *strand, uint32_t *words, uintptr_t address);
bool trms_shared_read_2(struct trms_strand *strand, uint32_t *words, uintptr_t address);
bool trms_shared_read_4(struct trms_strand *strand, uint32_t *words, uintptr_t address);

/* HOT: the code has stored the words of n cells in the window. False likewise; or a signal handler has
 * ended meanwhile, and their tokens are to be stored again. */
APROF_INLINE bool trms_write_likely(struct trms_strand *strand, uintptr_t address, int n);

/* Of any bytes, a few hundred at most, of any strand; words are stored, too. */
bool trms_write_at_hand(struct trms_strand *strand, uintptr_t address, size_t bytes);

/* A shared strand's accesses of n cells of one chunk at hand, if there is nothing to catch up with,
 * room for the sights of all cells, and a token. False: a signal handler has ended meanwhile, and the access is
 * to be made again. */
bool trms_shared_read(struct trms_strand *strand, uint64_t cell, uint64_t n);
bool trms_shared_write(struct trms_strand *strand, uint64_t cell, uint64_t n);

/* The times of words change as trms_time_renumbered says. */
void trms_words_renumber(struct trms_strand *strand);

/* Whether the words are the state. */
APROF_INLINE bool trms_is_exclusive(const struct trms_strand *strand)
{
    return __atomic_load_n(&strand->careful, __ATOMIC_RELAXED) != TRMS_SHARED;
}

/* ... and lie where inline checks find them, so that nothing here needs the guard. */
APROF_INLINE bool trms_is_alone_in_window(const struct trms_strand *strand)
{
    return __atomic_load_n(&strand->careful, __ATOMIC_RELAXED) == TRMS_EXCLUSIVE;
}

APROF_INLINE bool trms_has_window(const struct trms_strand *strand)
{
    return strand->window != (uintptr_t)&strand->nowhere[TRMS_NOWHERE_FIRST];
}

APROF_INLINE uint32_t *trms_window_word(const struct trms_strand *strand, uint64_t cell)
{
    return (uint32_t *)(strand->window + ((cell << TRMS_FAST_SHIFT) & strand->mask));
}

/* The words from that of `cell` on, up to the end of its chunk, which is at hand ... */
APROF_INLINE uint32_t *trms_words_now(const struct trms_strand *strand, uint64_t cell)
{
    if (LIKELY(trms_has_window(strand)))
        return trms_window_word(strand, cell);
    return (uint32_t *)(strand->remembered.words[(uint8_t)(cell >> TRMS_CHUNK_LOG2)] + 4 * cell);
}

/* ... or is made. */
APROF_INLINE uint32_t *trms_words(struct trms_strand *strand, uint64_t cell)
{
    if (UNLIKELY(!trms_has_window(strand)))
        trms_remember(strand, cell >> TRMS_CHUNK_LOG2);
    return trms_words_now(strand, cell);
}

/* Whether n cells at an address lie in a chunk at hand. */
APROF_INLINE bool trms_cells_at_hand(const struct trms_strand *strand, uintptr_t address, int n)
{
    const uintptr_t chunk = (uintptr_t)1 << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
    return trms_at_hand(strand, address) &&
           LIKELY(n == 1 || address % chunk + 4 * (uintptr_t)n <= chunk);
}

/* HOT: the words of n cells. NULL: they are in a chunk that is not at hand, or in two. */
APROF_INLINE uint32_t *trms_words_at_hand(const struct trms_strand *strand, uintptr_t address,
                                          int n)
{
    if (LIKELY(trms_has_window(strand)))
        return (uint32_t *)(strand->window + (address & strand->mask));
    return trms_cells_at_hand(strand, address, n)
               ? trms_words_now(strand, address >> TRMS_FAST_SHIFT)
               : NULL;
}

/* HOT: the first look of a read: whether all n cells were accessed since the floor. Also where there is no
 * window, or the address misaligned. */
APROF_INLINE bool trms_is_read(const struct trms_strand *strand, uintptr_t address, int n)
{
    const uint32_t *words = (const uint32_t *)(strand->window + (address & strand->mask));
    for (int i = 0; i < n; i++)
        if (UNLIKELY(words[i] < strand->floor))
            return false;
    return true;
}

/* HOT: stores the words of n cells that a shared strand writes. Whether that is all: it has written them since
 * its latest synchronisation. */
APROF_INLINE bool trms_words_rewrite(struct trms_strand *strand, uint32_t *words, int n)
{
    uint32_t now = (uint32_t)__atomic_load_n(&strand->stamp, __ATOMIC_RELAXED), old[16], others = 0;
    for (int i = 0; i < n; i++) {
        old[i] = words[i];
        words[i] = now;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (int i = 0; i < n; i++)
        others |= old[i] - __atomic_load_n(&strand->synced, __ATOMIC_RELAXED);
    return LIKELY(!(others & TRMS_WORDS_NOT_OWN));
}

/* HOT: the first look of a write of n cells, whose words it stores if there is a window. False: the runtime has
 * to be told. Exclusiveness is asked before and after: a signal handler between the two may be the second strand,
 * and has then taken what this one had written (trms_words_share). */
APROF_INLINE bool trms_is_written(struct trms_strand *strand, uintptr_t address, int n)
{
    uint32_t *words = (uint32_t *)(strand->window + (address & strand->mask));
    if (UNLIKELY(!trms_is_alone_in_window(strand)))
        return trms_has_window(strand) && trms_words_rewrite(strand, words, n);
    for (int i = 0; i < n; i++)
        words[i] = (uint32_t)strand->stamp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return LIKELY(trms_is_alone_in_window(strand));
}

/* HOT: the same two looks at words in a chunk at hand. */
APROF_INLINE bool trms_chunk_is_read(const struct trms_strand *strand, uintptr_t address, int n)
{
    const uint32_t *words = trms_words_at_hand(strand, address, n);
    if (!words)
        return false;
    for (int i = 0; i < n; i++)
        if (words[i] < strand->floor)
            return false;
    return true;
}

APROF_INLINE bool trms_chunk_is_written(struct trms_strand *strand, uintptr_t address, int n)
{
    uint32_t *words = trms_words_at_hand(strand, address, n);
    return words && !trms_is_exclusive(strand) && trms_words_rewrite(strand, words, n);
}

/* An access of so many bytes that should lie in whole cells, or in one. */
#define TRMS_IS_MISALIGNED(address, bytes) ((address) % ((bytes) < 4 ? (bytes) : 4))

/* There is memory whose words belong to other cells. */
APROF_INLINE bool trms_window_must_go(const struct trms_strand *strand)
{
    return trms_has_window(strand) && strand->world->without_windows & 1u << strand->window_kind;
}

/* The tokens of these cells are at hand, and the context is up to date. */
APROF_INLINE bool trms_tokens_are_at_hand(const struct trms_strand *strand, uintptr_t address,
                                          int n)
{
    return trms_cells_at_hand(strand, address, n) && LIKELY(!trms_is_behind(strand));
}

APROF_INLINE uint32_t *trms_tokens_of(const struct trms_strand *strand, uintptr_t address)
{
    return (uint32_t *)(strand->remembered.written[(uint8_t)trms_chunk_of(address)] + address);
}

/* Data written with a token are unseen at `time` either completely or not at all. */
APROF_INLINE bool trms_is_unseen(uint32_t time, uint32_t state, uint32_t since)
{
    return time < since || state == TRMS_UNSEEN;
}

/* The strand is shared, and has seen the latest write of each of the cells: all have one token, which is
 * at hand or its own. */
APROF_INLINE bool trms_words_are_seen(const struct trms_strand *strand, uintptr_t address,
                                      uint32_t word, int n)
{
    uint32_t since, differs = 0;
    if (UNLIKELY(!trms_tokens_are_at_hand(strand, address, n)))
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
APROF_INLINE bool trms_read_likely(struct trms_strand *strand, uint32_t *words, uintptr_t address,
                                   int n)
{
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
        if (!trms_is_exclusive(strand)) {
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

/* Stores the tokens of n cells of a shared strand. */
APROF_INLINE bool trms_tokens_store(struct trms_strand *strand, uintptr_t address, int n)
{
    if (UNLIKELY(!strand->token_limit || !trms_tokens_are_at_hand(strand, address, n) ||
                 !trms_pages_are_made(strand, address, TRMS_PAGE_ALL)))
        return false;
    uint32_t *written = trms_tokens_of(strand, address), token = (uint32_t)(strand->stamp >> 32);
    strand->token_used = true;
    for (int i = 0; i < n; i++)
        __atomic_store_n(&written[i], token, __ATOMIC_RELAXED);
    return trms_is_still_settled(strand);
}

APROF_INLINE bool trms_write_likely(struct trms_strand *strand, uintptr_t address, int n)
{
    return LIKELY(trms_has_window(strand)) && trms_tokens_store(strand, address, n);
}

/* After cells of one chunk at hand have been written. */
APROF_INLINE void trms_words_own(const struct trms_strand *strand, uint64_t cell, uint64_t n)
{
    uint32_t *words = trms_words_now(strand, cell);
    for (uint64_t i = 0; i < n; i++)
        words[i] = (uint32_t)strand->stamp | TRMS_OWN;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* A write has stored a time at a wrong place: the address was misaligned, or there is no direct-mapped shadow. */
APROF_INLINE void trms_nowhere_clear(struct trms_strand *strand)
{
    uint32_t *words = (uint32_t *)(strand->window - TRMS_WORDS_BELOW);
    for (int i = 0; i < TRMS_NOWHERE; i++)
        words[i] = 0;
}

#endif
