/* Shadow words: the effect of reads and writes, conversion to tokens, and moves to chunks.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * This file is compiled without vector registers, like core.c.
 */
#include "native/trms/shadow/words.h"
#include "native/trms/core.h"
#include "native/trms/shadow/seen_versions.h"
#include "ground/host.h"

uint8_t trms_no_pages = TRMS_PAGE_ALL;

/* ---------------------------------------------------------- location of words, and modes */

/* Sets the mode. The function must not overwrite TRMS_SHARED, which a signal handler that becomes
 * the second execution context may set at any time. */
static void mode_set(struct trms_exec_context *ctx)
{
    ctx->careful = trms_has_direct_shadow(ctx) ? TRMS_EXCLUSIVE : TRMS_EXCLUSIVE_CHUNKS;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (UNLIKELY(__atomic_load_n(&ctx->world->shared, __ATOMIC_RELAXED)))
        ctx->careful = TRMS_SHARED;
}

void trms_exec_context_be_exclusive(struct trms_exec_context *ctx)
{
    if (!ctx->token_limit)
        trms_token_next(ctx);
    mode_set(ctx);
}

void trms_direct_shadow_none(struct trms_exec_context *ctx)
{
    ctx->careful = TRMS_SHARED; /* inline checks take the slow path while the other fields change */
    ctx->direct_shadow = (uintptr_t)&ctx->nowhere[TRMS_NOWHERE_FIRST];
    ctx->mask = TRMS_NOWHERE_MASK;
    ctx->pages = &trms_no_pages;
    mode_set(ctx);
}

void trms_direct_shadow_begin(struct trms_exec_context *ctx, uintptr_t words, uintptr_t mask,
                              uint8_t *pages)
{
    ctx->direct_shadow = words;
    ctx->mask = mask;
    ctx->pages = pages;
    mode_set(ctx);
}

/* Calls `visit` for all words that may differ from zero. */
static void each_word(struct trms_exec_context *ctx, trms_words_visit *visit, void *context)
{
    if (trms_has_direct_shadow(ctx)) {
        trms_direct_shadow_each(ctx, visit, context);
        return;
    }
    for (uint32_t i = 0; i < ctx->n_mappings; i++)
        if (ctx->mappings[i].is_words)
            visit(context, ctx->mappings[i].pages, ctx->mappings[i].index << TRMS_CHUNK_LOG2,
                  TRMS_CHUNK_CELLS);
}

static void copy_words(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    uint32_t *chunk = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (!words[i])
            continue;
        if (!chunk)
            chunk = trms_words_make(context, cell >> TRMS_CHUNK_LOG2) + cell % TRMS_CHUNK_CELLS;
        chunk[i] = words[i];
    }
}

void trms_direct_shadow_leave(struct trms_exec_context *ctx)
{
    if (trms_has_direct_shadow(ctx))
        trms_direct_shadow_each(ctx, copy_words, ctx);
    trms_direct_shadow_none(ctx);
    trms_remembered_clear(ctx);
}

/* ---------------------------------------------------------------- exclusive execution contexts */

bool trms_file_is_in(const struct trms_world *world, uint64_t first, uint64_t last)
{
    for (uint32_t i = 0; i < world->n_ranges; i++)
        if (last >= world->ranges[i].first && first <= world->ranges[i].last &&
            world->ranges[i].token)
            return true;
    return false;
}

/* Returns whether the cell has input from the kernel that the context has not read yet. */
static bool is_from_kernel(const struct trms_exec_context *ctx, uint32_t word, uint64_t cell)
{
    if (word)
        return word % TRMS_TICK == TRMS_KERNEL;
    return ctx->world->n_files && trms_file_is_in(ctx->world, cell, cell);
}

/* Returns the number of cells, from `cell` on, with the same word and writer. If files are mapped,
 * each cell that was never accessed is counted alone, because the kernel may have written it
 * (is_from_kernel). */
static uint64_t n_alike(const struct trms_exec_context *ctx, uint64_t cell, uint64_t last)
{
    uint64_t n = 1;
    uint32_t word = *trms_words_now(ctx, cell);
    if (word || !ctx->world->n_files)
        while (cell + n <= last && *trms_words_now(ctx, cell + n) == word)
            n++;
    return n;
}

void trms_exclusive_read(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    trms_pages_want_all(ctx, first, last - first + 1, TRMS_PAGE_WORDS);
    for (uint64_t cell = first, n = 1; cell <= last; cell += n, n = 1) {
        uint32_t word = *trms_words_now(ctx, cell), state = word % TRMS_TICK;
        if (word >= ctx->floor)
            continue;
        n = n_alike(ctx, cell, last);
        if (is_from_kernel(ctx, word, cell)) {
            trms_count_induced(ctx, TRMS_TIME(word), TRMS_TOKEN_KERNEL, (int64_t)n);
            state = TRMS_KERNEL_SEEN;
        } else {
            trms_count_firsts(ctx, TRMS_TIME(word), (int64_t)n);
            state = word ? state : TRMS_READ;
        }
        for (uint64_t i = 0; i < n; i++)
            *trms_words_now(ctx, cell + i) = (uint32_t)ctx->stamp | state;
    }
}

void trms_exclusive_write(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    for (uint64_t cell = first; cell <= last; cell++)
        *trms_direct_shadow_word(ctx, cell) = (uint32_t)ctx->stamp | TRMS_OWN;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* All cells are recorded together if they have the same past, as the cells of one variable usually
 * do. */
void trms_exclusive_read_few(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address,
                             int n)
{
    uint32_t word = words[0], time = TRMS_TIME(word), differs = 0;
    if (!word)
        trms_pages_want(ctx, address, TRMS_PAGE_WORDS);
    for (int i = 1; i < n; i++)
        differs |= words[i] ^ word;
    if (UNLIKELY(differs || word % TRMS_TICK == TRMS_KERNEL || (!word && ctx->world->n_files) ||
                 word >= ctx->floor)) {
        uint64_t cell = address >> TRMS_FAST_SHIFT;
        trms_exclusive_read(ctx, cell, cell + (uint64_t)n - 1);
        return;
    }
    uint32_t now = (uint32_t)ctx->stamp | (word ? word % TRMS_TICK : TRMS_READ);
    for (int i = 0; i < n; i++)
        words[i] = now;
    trms_count_firsts(ctx, time, n);
}

/* --------------------------------------------------------------- HOT: shared execution contexts */

/* The context's time is loaded only once, and before `synced`: the end of a signal handler raises
 * `synced` above this time. */
APROF_INLINE bool read_few(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address, int n)
{
    uint32_t word = words[0], time = TRMS_TIME(word), state = word % TRMS_TICK, differs = 0;
    uint32_t now = (uint32_t)__atomic_load_n(&ctx->stamp, __ATOMIC_RELAXED), since, token = 0;
    bool is_induced = false;
    for (int i = 1; i < n; i++)
        differs |= words[i] ^ word;
    if (time < ctx->synced) {
        if (UNLIKELY(!trms_tokens_are_at_hand(ctx, address, n)))
            return false;
        if (!word)
            trms_pages_want(ctx, address, TRMS_PAGE_WORDS);
        const uint32_t *written = trms_tokens_of(ctx, address);
        token = __atomic_load_n(&written[0], __ATOMIC_RELAXED);
        for (int i = 1; i < n; i++)
            differs |= __atomic_load_n(&written[i], __ATOMIC_RELAXED) ^ token;
        if (UNLIKELY(!trms_seen_version_at_hand(ctx, token, &since))) {
            if (!trms_token_is_own(ctx, token))
                return false;
            since = 0;
        }
        is_induced = trms_is_unseen(time, state, since);
        state = TRMS_READ;
    }
    if (UNLIKELY(differs))
        return false;
    for (int i = 0; i < n; i++)
        words[i] = now | state;
    if (is_induced)
        trms_count_induced(ctx, time, token, n);
    else
        trms_count_firsts(ctx, time, n);
    return true;
}

#define READ_FEW(n)                                                                                \
    bool trms_shared_read_##n(struct trms_exec_context *ctx, uint32_t *words, uintptr_t address)   \
    {                                                                                              \
        return read_few(ctx, words, address, n);                                                   \
    }
READ_FEW(1)
READ_FEW(2)
READ_FEW(4)

/* A signal handler may become the second execution context while this function runs. */
bool trms_write_at_hand(struct trms_exec_context *ctx, uintptr_t address, size_t bytes)
{
    uintptr_t first = address & ~(uintptr_t)3;
    uint64_t cell = address >> TRMS_FAST_SHIFT;
    uint64_t n = ((address + bytes - 1) >> TRMS_FAST_SHIFT) - cell + 1;
    bool was_exclusive = trms_is_exclusive(ctx);
    bool is_at_hand = was_exclusive ? trms_cells_at_hand(ctx, first, (int)n)
                                    : trms_tokens_store(ctx, first, (int)n);
    if (!is_at_hand)
        return false;
    trms_words_own(ctx, cell, n);
    return trms_is_exclusive(ctx) == was_exclusive;
}

/* --------------------------------------------------------- shared execution contexts: any cells */

/* Records a read. The token is loaded before the times. If a signal handler ends between these
 * loads, it raises `synced` above the current time; the function then returns false and does
 * nothing. Events after these loads do not concern this read. If a handler ended before the loads,
 * the time of a new token would be later than the word. */
static bool read_word(struct trms_exec_context *ctx, uint32_t *at, const uint32_t *written)
{
    uint32_t token = __atomic_load_n(written, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t synced = __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED);
    uint32_t word = *at, time = TRMS_TIME(word), state = word % TRMS_TICK;
    uint32_t now = (uint32_t)__atomic_load_n(&ctx->stamp, __ATOMIC_RELAXED);
    if (UNLIKELY(synced > now))
        return false;
    if (word >= ctx->floor)
        return true;
    bool is_old = word < synced;
    if (is_old && trms_is_unseen(time, state, trms_seen_version(ctx, token, synced)))
        trms_count_induced(ctx, time, token, 1);
    else
        trms_count_fresh(ctx, time);
    *at = now | (is_old ? TRMS_READ : state);
    return true;
}

static uint32_t *tokens_now(const struct trms_exec_context *ctx, uint64_t cell)
{
    return (uint32_t *)(ctx->remembered.written[(uint8_t)(cell >> TRMS_CHUNK_LOG2)] + 4 * cell);
}

bool trms_shared_read(struct trms_exec_context *ctx, uint64_t cell, uint64_t n)
{
    const uint32_t *written = tokens_now(ctx, cell);
    uint32_t *words = trms_words_now(ctx, cell);
    trms_pages_want_all(ctx, cell, n, TRMS_PAGE_WORDS);
    for (uint64_t i = 0; i < n; i++)
        if (UNLIKELY(!read_word(ctx, &words[i], &written[i])))
            return false;
    return true;
}

bool trms_shared_write(struct trms_exec_context *ctx, uint64_t cell, uint64_t n)
{
    uint32_t *written = tokens_now(ctx, cell);
    trms_pages_want_all(ctx, cell, n, TRMS_PAGE_ALL);
    ctx->token_used = true;
    for (uint64_t i = 0; i < n; i++)
        __atomic_store_n(&written[i], (uint32_t)(ctx->stamp >> 32), __ATOMIC_RELAXED);
    trms_words_own(ctx, cell, n);
    return trms_is_still_settled(ctx);
}

/* ---------------------------------------------------------------- the kernel, and time */

/* Records a kernel write. The context's time has advanced, so every word is older than the
 * floor. */
void trms_words_kernel_wrote(struct trms_exec_context *ctx, uint64_t first, uint64_t last)
{
    trms_pages_want_all(ctx, first, last - first + 1, TRMS_PAGE_WORDS);
    for (uint64_t cell = first; cell <= last; cell++) {
        uint32_t *at = trms_words(ctx, cell);
        *at = TRMS_TIME(*at) | TRMS_KERNEL;
    }
}

/* Returns the current tokens of a chunk's cells, from this cell on; NULL if these cells were never
 * written. */
static const uint32_t *tokens_from(const struct trms_exec_context *ctx, uint64_t cell)
{
    const uint32_t *chunk = trms_written_find(ctx->world, cell >> TRMS_CHUNK_LOG2);
    return chunk ? chunk + cell % TRMS_CHUNK_CELLS : NULL;
}

static bool was_seen(const struct trms_exec_context *ctx, uint32_t word, uint32_t token)
{
    uint32_t since;
    if (!trms_seen_version_at_hand(ctx, token, &since))
        since = trms_seen_version_find(ctx, token);
    return !trms_is_unseen(TRMS_TIME(word), word % TRMS_TICK, since);
}

/* Renumbers words. In shared mode, times are also compared with last seen versions; the renumbering
 * sets all of these to the earliest time. */
static void renumber_words(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    const struct trms_exec_context *ctx = context;
    const uint32_t *written = trms_is_exclusive(ctx) ? NULL : tokens_from(ctx, cell);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t word = words[i], state = word % TRMS_TICK;
        if (!TRMS_TIME(word))
            continue;
        if (written && !was_seen(ctx, word, __atomic_load_n(&written[i], __ATOMIC_RELAXED)))
            state = TRMS_UNSEEN;
        words[i] = trms_time_renumbered(ctx, TRMS_TIME(word)) | state;
    }
}

void trms_words_renumber(struct trms_exec_context *ctx)
{
    each_word(ctx, renumber_words, ctx);
    trms_seen_versions_renumber(ctx);
}

/* ---------------------------------------------------------------- a second execution context */

/* Derives tokens from words. The context's own token and the kernel's token stand for the tokens of
 * all earlier epochs, because no other context can have seen an earlier token. The state of the
 * word shows whether the context has read the kernel's data. */
static void share_words(void *context, uint32_t *words, uint64_t cell, uint64_t n)
{
    struct trms_exec_context *ctx = context;
    uint32_t own = (uint32_t)(ctx->stamp >> 32), kernel = own | TRMS_TOKEN_KERNEL;
    const uint32_t token_of[] = {
        [TRMS_OWN] = own, [TRMS_KERNEL] = kernel, [TRMS_KERNEL_SEEN] = kernel};
    uint32_t *tokens = NULL;
    for (uint64_t i = 0; i < n; i++) {
        if (!words[i])
            continue;
        if (!tokens)
            tokens =
                trms_written_make(ctx->world, cell >> TRMS_CHUNK_LOG2) + cell % TRMS_CHUNK_CELLS;
        if (words[i] % TRMS_TICK != TRMS_READ)
            __atomic_store_n(&tokens[i], token_of[words[i] % TRMS_TICK], __ATOMIC_RELAXED);
    }
}

/* If a signal handler interrupts an inline check and calls this function, the check notices the new
 * mode after its store and takes the slow path. */
void trms_words_share(struct trms_exec_context *ctx)
{
    ctx->token_used = true;
    trms_seen_version_add_first(ctx, (uint32_t)(ctx->stamp >> 32) | TRMS_TOKEN_KERNEL);
    each_word(ctx, share_words, ctx);
    ctx->careful = TRMS_SHARED;
}
