/* Shadow words of an execution context (`ctx`), one per cell, for hooks and inline checks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A word has the time of the context's latest access (ts in docs/parallel-trms.md). Words lie in a
 * direct-mapped shadow (`direct_shadow`), at a fixed distance from their cells, if the address
 * space has room. Without a direct-mapped shadow, words lie in chunks, which a table finds
 * (shadow.c).
 *
 * Hooks and inline checks (compile/trms/trms_pass.c) use the direct-mapped shadow. A read compares
 * the cell's word with the context's floor; a write stores the context's time in the word. A
 * context without a direct-mapped shadow has a small array of zeros instead (`nowhere`). Because of
 * these zeros, each access calls the runtime.
 *
 * A context is *exclusive* if it is the program's only context, or if contexts share nothing
 * because activations are sampled. The words of an exclusive context are the only state of their
 * cells.
 *
 *     word = time of the latest access | state of the cell:    0: never accessed
 *         OWN           this context has written it, after any write of the kernel
 *         READ          nobody has written it
 *         KERNEL        the kernel has written it, and this context has not read it afterwards
 *         KERNEL_SEEN   the kernel has written it, and this context has read it afterwards
 *
 * OWN is 0, so that the word of a write is simply the time. Invariant: the floor is not below any
 * time at which the kernel wrote. So a read of a cell in the state KERNEL always takes the slow
 * path.
 *
 * When a second context is about to exist, trms_words_share derives tokens from the words. In
 * shared mode, written[] has the writer of each cell, and the last seen versions (seen_versions.h)
 * show whether a context has seen the write.
 *
 * If a word is not older than the context's latest synchronisation, no other writer has written the
 * cell after the time of the word. For such a word, neither written[] nor the table of last seen
 * versions is needed:
 *
 *         OWN           written[] has the context's current token; a write only stores the time
 *         others        written[] may have another token
 *
 * If a word is older than that, and another writer has written the cell after the time of the word,
 * renumbering makes the word UNSEEN.
 */
#ifndef NATIVE_TRMS_SHADOW_WORDS_H
#define NATIVE_TRMS_SHADOW_WORDS_H

#include "ground/trms_words.h"
#include "native/trms/core.h"
#include "native/trms/shadow/shadow_pages.h"
#include "native/trms/shadow/seen_versions.h"

enum trms_word_state {
    TRMS_OWN,
    TRMS_READ,
    TRMS_KERNEL,
    TRMS_KERNEL_SEEN,
    TRMS_UNSEEN = TRMS_KERNEL, /* in shared mode */
};

/* ------------------------------------------------------------ provided by the embedding runtime */

/* Visits the words of n consecutive cells of one chunk. */
typedef void trms_words_visit(void *context, uint32_t *words, uint64_t cell, uint64_t n);

/* Calls `visit` for all words that may differ from zero. Instead of calling `visit`, the function
 * may set words of unmapped memory to zero. */
void trms_direct_shadow_each(struct trms_exec_context *ctx, trms_words_visit *visit, void *context);

/* Makes all cells [first, last] count as never accessed. */
void trms_direct_shadow_clear(struct trms_exec_context *ctx, uint64_t first, uint64_t last);

/* Unmaps the memory that trms_direct_shadow_begin received. */
void trms_direct_shadow_unmap(struct trms_exec_context *ctx);

/* ---------------------------------------------------------------- words.c */

/* Gives a direct-mapped shadow to a context that has not yet accessed any cell. `words` has a
 * shadow word for each masked cell address. `pages` has a byte for each page of these addresses
 * (shadow_pages.h). At first, all these words and bytes are zero. */
void trms_direct_shadow_begin(struct trms_exec_context *ctx, uintptr_t words, uintptr_t mask,
                              uint8_t *pages);

/* A context without a direct-mapped shadow uses this byte for all pages. */
extern uint8_t trms_no_pages;

/* Sets the context's fields for the mode without a direct-mapped shadow. Call this function when
 * the context starts, and when the context loses its shadow. */
void trms_direct_shadow_none(struct trms_exec_context *ctx);

/* Moves the context's words from the direct-mapped shadow to chunks, and frees the shadow. */
void trms_direct_shadow_leave(struct trms_exec_context *ctx);

/* Makes the context exclusive: from now on the context's words are the whole state. The context
 * gets a token at once, although it needs none yet: a signal handler may become the second context,
 * and the token of the interrupted code must not change at this moment. The token and the time
 * share the member `stamp`, which the interrupted code may be about to store. */
void trms_exec_context_be_exclusive(struct trms_exec_context *ctx);

/* Derives written[] from the words, when a second context is about to exist. */
void trms_words_share(struct trms_exec_context *ctx);

/* Records a read in exclusive mode. Without a direct-mapped shadow, the chunks must be cached. */
void trms_exclusive_read(struct trms_exec_context *ctx, uint64_t first, uint64_t last);
/* Records a write with a direct-mapped shadow. A signal handler may become the second context while
 * this function runs. */
void trms_exclusive_write(struct trms_exec_context *ctx, uint64_t first, uint64_t last);
/* HOT: records a read of n cells (1, 2 or 4) after the inline check has failed. */
void trms_exclusive_read_few(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address,
                             int n);
/* Returns whether any of these cells belongs to a mapped file. */
bool trms_file_is_in(const struct trms_world *world, uint64_t first, uint64_t last);
void trms_words_kernel_wrote(struct trms_exec_context *ctx, uint64_t first, uint64_t last);

/* HOT: records a read of n cells (1, 2 or 4) with these words after the inline check has failed.
 * Returns false, without any effect, if a table look-up or a search of the stack may be
 * necessary. */
APROF_INLINE bool trms_read_likely(struct trms_exec_context *ctx, uint32_t *words,
                                   uintptr_t address, int n);

/* HOT: these functions record reads in shared mode. If they cannot decide the case, they return
 * false without any effect, and the caller uses trms_access_bytes, which handles all cases. */
bool trms_shared_read_1(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address);
bool trms_shared_read_2(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address);
bool trms_shared_read_4(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address);

/* HOT: records a write of n cells. The inline check has already stored the cells' words in the
 * direct-mapped shadow. Returns false if the write was not recorded, or if a signal handler has
 * ended in the meantime and the tokens must be stored again. */
APROF_INLINE bool trms_write_likely(struct trms_exec_context *ctx, uintptr_t address, int n);

/* Records a write of any size up to a few hundred bytes, in any mode, and stores the words of the
 * written cells. */
bool trms_write_at_hand(struct trms_exec_context *ctx, uintptr_t address, size_t bytes);

/* These functions record accesses in shared mode to n cells of one cached chunk. The caller ensures
 * that trms_is_behind() is false, the context has a token, and the table has room for the last seen
 * versions of all cells. The functions return false if a signal handler has ended in the meantime;
 * the access must then be repeated. */
bool trms_shared_read(struct trms_exec_context *ctx, uint64_t cell, uint64_t n);
bool trms_shared_write(struct trms_exec_context *ctx, uint64_t cell, uint64_t n);

/* Renumbers the times of all words with trms_time_renumbered. */
void trms_words_renumber(struct trms_exec_context *ctx);

/* Returns whether the context's words are the only state of their cells. */
APROF_INLINE bool trms_is_exclusive(const struct trms_exec_context *ctx)
{
    return __atomic_load_n(&ctx->careful, __ATOMIC_RELAXED) != TRMS_SHARED;
}

/* Returns whether the context is exclusive and its words lie in a direct-mapped shadow, so that
 * inline checks need no call of the runtime. */
APROF_INLINE bool trms_is_alone_in_direct_shadow(const struct trms_exec_context *ctx)
{
    return __atomic_load_n(&ctx->careful, __ATOMIC_RELAXED) == TRMS_EXCLUSIVE;
}

APROF_INLINE bool trms_has_direct_shadow(const struct trms_exec_context *ctx)
{
    return ctx->direct_shadow != (uintptr_t)&ctx->nowhere[TRMS_NOWHERE_FIRST];
}

APROF_INLINE uint32_t *trms_direct_shadow_word(const struct trms_exec_context *ctx, uint64_t cell)
{
    return (uint32_t *)(ctx->direct_shadow + ((cell << TRMS_FAST_SHIFT) & ctx->mask));
}

/* Returns the words from the word of `cell` to the end of the cell's chunk, which must be
 * cached. */
APROF_INLINE uint32_t *trms_words_now(const struct trms_exec_context *ctx, uint64_t cell)
{
    if (LIKELY(trms_has_direct_shadow(ctx)))
        return trms_direct_shadow_word(ctx, cell);
    return (uint32_t *)(ctx->remembered.words[(uint8_t)(cell >> TRMS_CHUNK_LOG2)] + 4 * cell);
}

/* Returns the word of a cell in any chunk. If the chunk does not exist, it is made. After the call,
 * the chunk is cached. */
APROF_INLINE uint32_t *trms_words(struct trms_exec_context *ctx, uint64_t cell)
{
    if (UNLIKELY(!trms_has_direct_shadow(ctx)))
        trms_remember(ctx, cell >> TRMS_CHUNK_LOG2);
    return trms_words_now(ctx, cell);
}

/* Returns whether n cells at an address lie in one cached chunk. */
APROF_INLINE bool trms_cells_at_hand(const struct trms_exec_context *ctx, uintptr_t address, int n)
{
    const uintptr_t chunk = (uintptr_t)1 << (TRMS_CHUNK_LOG2 + TRMS_FAST_SHIFT);
    return trms_at_hand(ctx, address) &&
           LIKELY(n == 1 || address % chunk + 4 * (uintptr_t)n <= chunk);
}

/* HOT: returns the words of n cells, or NULL if their chunk is not cached or they lie in two
 * chunks. */
APROF_INLINE uint32_t *trms_words_at_hand(const struct trms_exec_context *ctx, uintptr_t address,
                                          int n)
{
    if (LIKELY(trms_has_direct_shadow(ctx)))
        return (uint32_t *)(ctx->direct_shadow + (address & ctx->mask));
    return trms_cells_at_hand(ctx, address, n) ? trms_words_now(ctx, address >> TRMS_FAST_SHIFT)
                                               : NULL;
}

/* HOT: the inline check of a read, which returns whether all n cells were accessed since the floor.
 * The check is also valid without a direct-mapped shadow, and for a misaligned address. */
APROF_INLINE bool trms_is_read(const struct trms_exec_context *ctx, uintptr_t address, int n)
{
    const uint32_t *words = (const uint32_t *)(ctx->direct_shadow + (address & ctx->mask));
    for (int i = 0; i < n; i++)
        if (UNLIKELY(words[i] < ctx->floor))
            return false;
    return true;
}

/* HOT: stores the words of n cells that are written in shared mode. Returns true if the write is
 * complete, because the context has already written all cells since its latest synchronisation. */
APROF_INLINE bool trms_words_rewrite(struct trms_exec_context *ctx, uint32_t *words, int n)
{
    uint32_t now = (uint32_t)__atomic_load_n(&ctx->stamp, __ATOMIC_RELAXED), old[16], others = 0;
    for (int i = 0; i < n; i++) {
        old[i] = words[i];
        words[i] = now;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    for (int i = 0; i < n; i++)
        others |= old[i] - __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED);
    return LIKELY(!(others & TRMS_WORDS_NOT_OWN));
}

/* HOT: the inline check of a write of n cells, which stores their words if there is a direct-mapped
 * shadow. Returns false if the runtime must record the write. The mode is tested before and after
 * the stores. Between the two tests, a signal handler may become the second context; words that are
 * stored after that are missing in the tokens that trms_words_share has derived. */
APROF_INLINE bool trms_is_written(struct trms_exec_context *ctx, uintptr_t address, int n)
{
    uint32_t *words = (uint32_t *)(ctx->direct_shadow + (address & ctx->mask));
    if (UNLIKELY(!trms_is_alone_in_direct_shadow(ctx)))
        return trms_has_direct_shadow(ctx) && trms_words_rewrite(ctx, words, n);
    for (int i = 0; i < n; i++)
        words[i] = (uint32_t)ctx->stamp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return LIKELY(trms_is_alone_in_direct_shadow(ctx));
}

/* HOT: the checks of trms_is_read and trms_is_written for words in a cached chunk. */
APROF_INLINE bool trms_chunk_is_read(const struct trms_exec_context *ctx, uintptr_t address, int n)
{
    const uint32_t *words = trms_words_at_hand(ctx, address, n);
    if (!words)
        return false;
    for (int i = 0; i < n; i++)
        if (words[i] < ctx->floor)
            return false;
    return true;
}

APROF_INLINE bool trms_chunk_is_written(struct trms_exec_context *ctx, uintptr_t address, int n)
{
    uint32_t *words = trms_words_at_hand(ctx, address, n);
    return words && !trms_is_exclusive(ctx) && trms_words_rewrite(ctx, words, n);
}

/* An access of 4 bytes or more should lie in whole cells, and a smaller access in one cell. */
#define TRMS_IS_MISALIGNED(address, bytes) ((address) % ((bytes) < 4 ? (bytes) : 4))

/* Returns whether the direct-mapped shadow must be freed, because newly mapped memory would share
 * words with other cells. */
APROF_INLINE bool trms_direct_shadow_must_go(const struct trms_exec_context *ctx)
{
    return trms_has_direct_shadow(ctx) &&
           ctx->world->without_direct_shadows & 1u << ctx->direct_shadow_kind;
}

/* Returns whether the tokens of these cells are cached, and the context is up to date. */
APROF_INLINE bool trms_tokens_are_at_hand(const struct trms_exec_context *ctx, uintptr_t address,
                                          int n)
{
    return trms_cells_at_hand(ctx, address, n) && LIKELY(!trms_is_behind(ctx));
}

APROF_INLINE uint32_t *trms_tokens_of(const struct trms_exec_context *ctx, uintptr_t address)
{
    return (uint32_t *)(ctx->remembered.written[(uint8_t)trms_chunk_of(address)] + address);
}

/* Returns whether an access at `time` came before the context learned of a write. `since` is
 * the time at which the context learned of the write's token. All data written with one token
 * become visible to a context at the same time. */
APROF_INLINE bool trms_is_unseen(uint32_t time, uint32_t state, uint32_t since)
{
    return time < since || state == TRMS_UNSEEN;
}

/* In shared mode, returns whether the context has seen the latest write of each cell. Returns
 * false, too, if the cells have different tokens, or if their token is neither the context's own
 * nor in the cache of last seen versions. */
APROF_INLINE bool trms_words_are_seen(const struct trms_exec_context *ctx, uintptr_t address,
                                      uint32_t word, int n)
{
    uint32_t since, differs = 0;
    if (UNLIKELY(!trms_tokens_are_at_hand(ctx, address, n)))
        return false;
    const uint32_t *written = trms_tokens_of(ctx, address);
    uint32_t token = __atomic_load_n(&written[0], __ATOMIC_RELAXED);
    for (int i = 1; i < n; i++)
        differs |= __atomic_load_n(&written[i], __ATOMIC_RELAXED) ^ token;
    if (UNLIKELY(!trms_seen_version_at_hand(ctx, token, &since))) {
        if (!trms_token_is_own(ctx, token))
            return false;
        since = 0;
    }
    return LIKELY(!differs && !trms_is_unseen(TRMS_TIME(word), word % TRMS_TICK, since));
}

/* Counts n first accesses for all activations that were called after `time`. */
APROF_INLINE void trms_count_firsts(struct trms_exec_context *ctx, uint32_t time, int64_t n)
{
    if (time >= ctx->activation->stamp)
        return;
    ctx->activation->rms += n;
    if (!time)
        return;
    if (LIKELY(time >= ctx->activation[-1].stamp))
        ctx->activation[-1].rms -= n; /* usually, only the latest activation is younger */
    else
        trms_ancestor(ctx, time)->rms -= n;
}

/* The function handles only cells with equal words, because the cells of one variable mostly have
 * equal words. The context's time is loaded only once, and before `synced`: the end of a signal
 * handler raises `synced` above this time. */
APROF_INLINE bool trms_read_likely(struct trms_exec_context *ctx, uint32_t *words,
                                   uintptr_t address, int n)
{
    uint32_t now = (uint32_t)__atomic_load_n(&ctx->stamp, __ATOMIC_RELAXED);
    uint32_t word = words[0], time = TRMS_TIME(word), differs = 0;
    uint32_t state = word ? word % TRMS_TICK : TRMS_READ;
    struct trms_activation *ancestor = NULL;
    for (int i = 1; i < n; i++)
        differs |= words[i] ^ word;
    if (UNLIKELY(differs))
        return false;
    if (word < ctx->synced) {
        if (UNLIKELY(!word && !trms_pages_are_made(ctx, address, TRMS_PAGE_WORDS)))
            return false;
        if (!trms_is_exclusive(ctx)) {
            if (UNLIKELY(!trms_words_are_seen(ctx, address & ~(uintptr_t)3, word, n)))
                return false;
            state = TRMS_READ;
        } else if (UNLIKELY(state == TRMS_KERNEL || (!word && ctx->world->n_files))) {
            return false;
        }
    }
    bool is_first = time < ctx->activation->stamp;
    if (is_first && time) {
        ancestor = trms_ancestor_near(ctx, time);
        if (UNLIKELY(!ancestor))
            return false;
        ancestor->rms -= n;
    }
    if (is_first)
        ctx->activation->rms += n;
    for (int i = 0; i < n; i++)
        words[i] = now | state;
    return true;
}

/* Stores the tokens of n cells in shared mode. */
APROF_INLINE bool trms_tokens_store(struct trms_exec_context *ctx, uintptr_t address, int n)
{
    if (UNLIKELY(!ctx->token_limit || !trms_tokens_are_at_hand(ctx, address, n) ||
                 !trms_pages_are_made(ctx, address, TRMS_PAGE_ALL)))
        return false;
    uint32_t *written = trms_tokens_of(ctx, address), token = (uint32_t)(ctx->stamp >> 32);
    ctx->token_used = true;
    for (int i = 0; i < n; i++)
        __atomic_store_n(&written[i], token, __ATOMIC_RELAXED);
    return trms_is_still_settled(ctx);
}

APROF_INLINE bool trms_write_likely(struct trms_exec_context *ctx, uintptr_t address, int n)
{
    return LIKELY(trms_has_direct_shadow(ctx)) && trms_tokens_store(ctx, address, n);
}

/* Stores the words of n cells of one cached chunk after a write. */
APROF_INLINE void trms_words_own(const struct trms_exec_context *ctx, uint64_t cell, uint64_t n)
{
    uint32_t *words = trms_words_now(ctx, cell);
    for (uint64_t i = 0; i < n; i++)
        words[i] = (uint32_t)ctx->stamp | TRMS_OWN;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Clears words in which a write has wrongly stored its time, because the address was misaligned or
 * there is no direct-mapped shadow. */
APROF_INLINE void trms_nowhere_clear(struct trms_exec_context *ctx)
{
    uint32_t *words = (uint32_t *)(ctx->direct_shadow - TRMS_WORDS_BELOW);
    for (int i = 0; i < TRMS_NOWHERE; i++)
        words[i] = 0;
}

#endif
