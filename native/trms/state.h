/* The state of the compiled-in TRMS: execution contexts (`ctx` in names), and shared state.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/parallel-trms.md states the algorithm and proves it. Execution contexts have no common
 * clock.
 *
 *     time     Each execution context (a thread, a coroutine or a running signal handler) has a
 *              separate counter, which advances one tick at each call and each synchronisation
 *              operation.
 *     token    The last writer of a cell and the writer's epoch (an epoch ends at a synchronisation
 *              operation). All contexts share written[l], the token of cell l.
 *     word     The shadow word that a context keeps for a cell: the time of its latest access (ts
 *              in the papers) and two bits (words.h).
 *
 * For each token, a context also keeps the time since which it has known the token
 * (seen_versions.h).
 *
 * A read is induced if another writer wrote the cell, and the context first saw the token in
 * written[l] after the context's latest access to the cell. A read is a first access for each
 * activation that was called after the time ts of the cell's word. Both decisions use only the
 * context's own data and written[l].
 *
 *     word   = time | state                     0: never accessed
 *     token  = number << 1 | kind               0: never written
 *
 * Times are multiples of TRMS_TICK, because the lower bits hold the state.
 *
 * Worked example (Figure 1a of paper 003), in ticks. Routine f in T1 reads x at T1's time 2: the
 * word is 2, rms = 1. T1 unlocks. T2 locks and writes x: written[x] = (T2, 7). T1 locks, at time 3,
 * and reads x. T1 has known (T2, 7) since 3, and 2 < 3, so the read is induced. The word's time 2
 * is not before f's time 2, so rms stays 1; delta becomes 1.
 *
 * `floor` is the time of the latest pending activation's call or of the latest synchronisation,
 * whichever is later. Invariant: an access to a cell changes nothing if the cell's word is at least
 * `floor`. For such a word, all later comparisons have the same result as if the word had the
 * current time.
 *
 * Shadow words lie in a direct-mapped shadow, at a fixed distance from their cells, if the address
 * space has room for this shadow. Without a direct-mapped shadow, shadow words are in
 * chunks, and a table maps addresses to chunks.
 *
 * While a program has one execution context, the shadow words are the whole state: a write stores
 * only its word, and synchronisation operations are ignored. Before a second context exists,
 * trms_world_share derives the shared state.
 */
#ifndef NATIVE_TRMS_STATE_H
#define NATIVE_TRMS_STATE_H

#include "ground/basics.h"
#include "ground/trms_words.h"
#include "points/profile.h"

/* Shadow memory is a table of three levels: top, middle, chunk. A chunk has TRMS_CHUNK_CELLS cells;
 * tests use smaller chunks, so that many accesses are near the ends of chunks. */
#ifndef TRMS_CHUNK_LOG2
#define TRMS_CHUNK_LOG2 18
#endif
#define TRMS_CHUNK_CELLS ((uint64_t)1 << TRMS_CHUNK_LOG2)
#define TRMS_MIDDLE_LOG2 14
#define TRMS_TOP_LOG2    15
#define TRMS_ADDRESS_MASK                                                                          \
    (((uint64_t)1 << (TRMS_CHUNK_LOG2 + TRMS_MIDDLE_LOG2 + TRMS_TOP_LOG2)) - 1)

#define TRMS_TICK       4u /* difference between two successive times */
#define TRMS_TIME(word) ((uint32_t)(word) & ~(TRMS_TICK - 1))

struct trms_table {
    void ***top; /* highest level; each level is made on first use, by compare-and-swap */
};

/* The inlined paths support only a resolution of 4 bytes. With any other resolution, the cache has
 * only tags that these paths never accept, so the paths are not taken. */
#define TRMS_FAST_SHIFT     2
#define TRMS_REMEMBERED     256 /* number of slots; one byte selects a slot */
#define TRMS_TAG_OTHER      ((uint64_t)1 << 62)
#define TRMS_NOT_REMEMBERED (~(uint64_t)0)

/* A direct-mapped cache of chunks: the lowest byte of a chunk's index selects the slot. The
 * pointers are biased: cell number c of the address space is at words + 4 * c and written + 4 *
 * c. */
struct trms_remembered {
    uint64_t tag[TRMS_REMEMBERED];
    /* words of a chunk; used only without a direct-mapped shadow */
    uintptr_t words[TRMS_REMEMBERED];
    /* written[] of a chunk; 0: the context is exclusive and therefore needs no tokens */
    uintptr_t written[TRMS_REMEMBERED];
};

/* The modes define where a write is recorded. Inline checks call the runtime for each write unless
 * the mode is TRMS_EXCLUSIVE. */
enum trms_mode {
    TRMS_EXCLUSIVE, /* a write is recorded only in the word of the direct-mapped shadow */
    TRMS_SHARED,    /* a write is also recorded in written[], with a token */
    /* a write is recorded only in the word, which only the runtime can find */
    TRMS_EXCLUSIVE_CHUNKS,
};

/* A token has 32 bits: its number, and its kind in the lowest bit. The last block of numbers is
 * never handed out, so the number after the end of any block also fits into a token. */
enum trms_token_kind { TRMS_TOKEN_THREAD, TRMS_TOKEN_KERNEL };
#define TRMS_KIND_BITS   1
#define TRMS_TOKEN_BITS  (32 - TRMS_KIND_BITS) /* bits of token numbers */
#define TRMS_KIND(token) ((token) & ((1u << TRMS_KIND_BITS) - 1))
/* No cell ever has this token. A context has this token until its first write, which takes a block
 * of tokens. Empty entries of last seen versions also have this token. */
#define TRMS_NO_TOKEN ((uint32_t)TRMS_TOKEN_KERNEL)
_Static_assert(TRMS_TOKEN_KERNEL < 1 << TRMS_KIND_BITS, "a token holds its kind");

/* Last seen versions (seen_versions.h): size of the cache, initial size of the table, and number of
 * tokens at which unused tokens are dropped. Tests set smaller values. */
#ifndef TRMS_SEEN_VERSIONS_AT_HAND_LOG2
#define TRMS_SEEN_VERSIONS_AT_HAND_LOG2 12
#define TRMS_SEEN_VERSIONS_FIRST_LOG2   9
#define TRMS_SEEN_VERSIONS_MANY         ((uint32_t)1 << 20)
#endif

/* Initial capacity of a context's stack. The capacity is large, because calls are fast only while
 * the time is below `call_limit`, which is higher if the stack has more free slots. Tests set a
 * smaller capacity. */
#ifndef TRMS_FIRST_CAPACITY
#define TRMS_FIRST_CAPACITY 512
#endif

/* The last seen versions of a context (seen_versions.h) hold the time since which the context has
 * known each token. A last seen version is token << 32 | since. The table is open-addressed with
 * linear probing; a slot that is 0 is free. */
struct trms_seen_version_table {
    uint64_t *places; /* table of 1 << log2 slots */
    uint32_t log2, n;
};

struct trms_seen_versions {
    uint64_t at_hand[1 << TRMS_SEEN_VERSIONS_AT_HAND_LOG2];
    struct trms_seen_version_table others; /* table of all tokens of other contexts */
    uint32_t many;                         /* size of the table at which unused tokens are
                                            * dropped */
};

/* No stack address is below this value, and no activation's slot is equal to this value. */
#define TRMS_NO_SLOT 1

/* A pending activation; stack[0] represents the execution context itself. As in the papers, `rms`
 * and `delta` are partial: an activation's input is their sum over this activation and all later
 * activations. trms = rms + delta. */
struct trms_activation {
    struct routine_profile *profile;
    uintptr_t slot;   /* stack pointer when the activation's entry hook ran, or TRMS_NO_SLOT */
    uintptr_t caller; /* return address of the activation */
    /* accumulator (accumulators.h), which has the call edge and also marks unmeasured
     * activations */
    struct trms_accumulator *accumulator;
    uint64_t cost_before;
    uint64_t cost_of_callees;
    int64_t rms;
    uint32_t stamp;   /* time of the activation's call */
    uint32_t near;    /* in the latest activation: the later of the caller's stamp and `synced` */
    uint64_t induced; /* if `induced` is 0 at the return, so are the next three members */
    uint64_t induced_thread;
    int64_t delta;
    int64_t delta_thread; /* part of `delta` for cells that other threads wrote */
};

/* Without a direct-mapped shadow, all addresses map to one word of a small array. The array covers
 * all words that inline checks may read around one address. */
#define TRMS_NOWHERE       ((TRMS_WORDS_BELOW + TRMS_WORDS_ABOVE + TRMS_WORDS_WIDEST) / 4)
#define TRMS_NOWHERE_MASK  0
#define TRMS_NOWHERE_FIRST (TRMS_WORDS_BELOW / 4)

/* A range of address space that an execution context owns. */
struct trms_mapping {
    void *pages;
    size_t bytes;
    uint64_t index; /* index of the chunk */
    bool is_words;  /* true: a chunk of shadow words; false: a level of the table */
};

/* The kinds of direct-mapped shadows (direct_shadow_space.c). */
enum trms_direct_shadow_kind {
    TRMS_DIRECT_SHADOW_WIDE,
    TRMS_DIRECT_SHADOW_NARROW,
    TRMS_DIRECT_SHADOW_KINDS
};

struct process_contexts;
struct trms_contexts;
struct trms_edges;
struct trms_accumulator;
struct trms_weight;
struct trms_world;

/* Direct-mapped caches for addresses in calls. One cache maps an entry hook's return address to its
 * routine; another (edges.h) maps a call's return address to its edge; a third maps both addresses
 * together to the call. */
#define TRMS_KNOWN 256

/* Returns the slot of an address. The hash includes higher bits, because functions begin at
 * multiples of 16. */
APROF_INLINE uint32_t trms_known_slot(uintptr_t address)
{
    return (address ^ address >> 8) % TRMS_KNOWN;
}

struct trms_known_routine {
    uintptr_t pc;
    struct routine_profile *profile;
};

/* A cached call, found by return address and routine (trms_known_call_slot). Invariant: calls that
 * need a special treatment are never cached, so a hit needs no further checks (hooks.c). */
struct trms_known_call {
    uintptr_t site, pc;
    const struct routine_profile *caller;
    struct trms_accumulator *accumulator;
};
_Static_assert(sizeof(struct trms_known_call) == 32, "a power of two: a mask finds the place");

/* Totals of an execution context, pending activations included. */
struct trms_totals {
    uint64_t cost, reads, induced_thread, induced_external;
};

/* Compiled code accesses the fields for which ground/trms_words.h defines offsets. */
struct trms_exec_context {
    uint64_t stamp;      /* token << 32 | time; a write stores the time as the cell's word */
    uint64_t cost;       /* cost in the report's unit, counted from reported.cost */
    uint32_t floor;      /* floor: the later of the latest activation's stamp and `synced` */
    uint32_t call_limit; /* before this time, a call needs no renumbering and no larger stack */
    /* the word of address a is at direct_shadow + (a & mask), see words.h */
    uintptr_t direct_shadow;
    uintptr_t mask;
    uint32_t careful; /* enum trms_mode */
    uint32_t synced;  /* the context's time after its latest synchronisation */
    uint32_t time_limit;
    struct trms_activation *activation; /* latest activation */
    struct trms_activation *stack;      /* [0]: the context itself; [-1] is a sentinel */
    struct trms_world *world;
    uintptr_t stack_low, stack_high; /* known limits of the context's machine stack */
    struct trms_contexts *contexts;  /* NULL: calling contexts are not kept */
    /* result of the latest search, which the next search tries first */
    struct trms_activation *found;
    struct trms_edges *edges; /* NULL: call edges are not kept */
    /* one accumulator per edge, or per routine if edges are not kept */
    struct trms_accumulator **accumulators;
    uint32_t n_accumulators;
    uint32_t capacity; /* capacity of the stack */
    bool token_used;   /* whether the token has been stored since the last synchronisation */
    bool is_handler;   /* whether the context is a running signal handler */
    struct trms_remembered remembered;
    struct trms_known_routine known[TRMS_KNOWN];
    struct trms_known_call known_calls[TRMS_KNOWN];

    /* address space of the context's direct-mapped shadow; 0: the context has none */
    uintptr_t reserved;
    uint8_t *pages;             /* kinds of pages that have been made (shadow_pages.h) */
    uint8_t direct_shadow_kind; /* enum trms_direct_shadow_kind */
    /* array of zeros that replaces a missing direct-mapped shadow */
    uint32_t nowhere[TRMS_NOWHERE];
    /* unique number in the process, which identifies the owner of blocks of tokens */
    uint64_t serial;
    uint32_t token_limit; /* end of the current block of tokens; 0: no block */
    uint32_t generation;  /* the world's generation that the context's tables already reflect */
    /* less than `generation` if a handler has ended the context's epoch (trms_catch_up); otherwise
     * equal */
    uint32_t settled;
    struct trms_seen_versions seen_versions;
    struct trms_table table;
    struct trms_mapping *mappings;
    uint32_t n_mappings, mappings_capacity;
    struct profile profile;
    uint64_t activations, renumberings;
    struct trms_totals reported; /* totals at the end of the previous part of the report */
    struct trms_totals dividing; /* totals at the end of the part that is being reported */
    uint32_t thread;             /* number of the thread in the report */
    uint32_t weights_capacity;
    struct trms_weight *weights; /* if sampled: weights by position on the stack; otherwise NULL */
    struct trms_exec_context *next, *previous; /* neighbours in the world's list */
    struct trms_exec_context *link;            /* next context in the list of its thread */
    struct trms_exec_context *below; /* for a handler: the context that the handler interrupted */
    bool below_inside;               /* whether the context `below` was inside a hook */
    bool range_is_guess;             /* whether stack_low and stack_high are estimates */
};

/* Tokens are handed out in blocks; each block has one owner. */
struct trms_tokens {
    uint32_t block_log2; /* tokens per block */
    uint32_t n_blocks;   /* block 0 is never handed out */
    uint32_t next;       /* blocks from this number to n_blocks - 1 were never handed out */
    uint64_t *owners;    /* serial number of the context that owns each block */
    uint32_t *recycled;  /* generation in which each block was recycled; 0: never */
    uint32_t *free;      /* blocks that the latest search found free */
    uint32_t n_free;
    uint64_t stuck; /* number of times that all blocks were in use (tokens.c) */
};

struct trms_config {
    uint8_t shift;      /* log2 of the bytes of a cell, 0 to 4 */
    uint8_t time_bits;  /* log2 of the ticks until times are renumbered; 29 except in tests */
    uint8_t token_bits; /* number of bits of token numbers; TRMS_TOKEN_BITS, or fewer in tests */
    uint8_t token_block_log2;
    unsigned metrics; /* mask of 1 << enum metric for the metrics to measure */
    bool edges;       /* whether call edges are kept */
};

/* A range of cells that were forgotten in some generation. While a context's generation is earlier,
 * its words for these cells are invalid. */
struct trms_range {
    uint64_t first, last; /* cells */
    uint32_t generation;
    uint32_t token; /* for a mapped file: initial value of new chunks of written[]; otherwise 0 */
};

/* The state that execution contexts share. A thread holds a lock of the runtime only briefly, and
 * never holds two locks. */
struct trms_world {
    struct trms_config config;
    uint32_t generation;          /* how often tokens were recycled or ranges forgotten */
    uint32_t recycled_generation; /* latest generation in which tokens were recycled */
    bool shared;                  /* whether a second execution context exists or has existed */
    bool collecting;
    bool sampled; /* whether activations are sampled; if so, contexts share nothing (sample.h) */
    /* whether the cost is time; if so, the code that reports calls and returns reads the clock */
    bool timed;
    /* mask of 1 << kind for kinds of direct-mapped shadows that are no longer possible, because
     * newly mapped memory would share words with other cells */
    uint32_t without_direct_shadows;
    struct trms_table written;
    uint32_t lock;    /* lock that guards all following members */
    uint64_t signals; /* signals that were blocked when the lock was taken */
    struct trms_exec_context *exec_contexts;
    uint32_t n_exec_contexts;
    uint64_t serials;
    struct trms_tokens tokens;
    struct trms_range *ranges; /* sorted, disjoint */
    uint32_t n_ranges, ranges_capacity;
    uint32_t n_files; /* number of ranges that have a token */
    /* profiles of ended threads, by thread number; only [0] if all threads share one profile */
    struct profile *gathered;
    uint32_t n_gathered;
    struct process_contexts *contexts; /* calling contexts of ended threads; NULL: not kept */
    struct trms_edges *edges;          /* edges of ended threads; NULL: edges are not kept */
    /* totals of ended threads */
    uint64_t cost, activations, reads, induced_thread, induced_external;
};

/* The world's lock, which the embedding runtime provides. No signal handler may run in a thread
 * that holds the lock, because the handler's hooks could wait for the lock forever. */
void trms_lock(struct trms_world *world);
void trms_unlock(struct trms_world *world);

/* Between trms_quiet_begin and trms_quiet_end, inside a hook, no signal handler of the program runs
 * in this thread. So no handler sees a partial update, and no update remains partial because a
 * handler ends by a jump. The embedding runtime provides trms_quiet_begin and trms_quiet_end; in a
 * program without handlers, each takes one comparison. */
struct trms_quiet {
    uint64_t signals;
    bool is_blocked;
};
void trms_quiet_begin(struct trms_quiet *quiet);
void trms_quiet_end(const struct trms_quiet *quiet);

/* In activations.c: ends the context's epoch, for trms_sync in shared mode and for each kernel
 * write. */
void trms_epoch_end(struct trms_exec_context *ctx);

/* In activations.c: if activations are sampled, applies changes that other contexts made to the
 * memory map. */
void trms_refresh(struct trms_exec_context *ctx);

/* Returns whether this execution context owns the token, which must not be a token of the
 * kernel. */
APROF_INLINE bool trms_token_is_own(const struct trms_exec_context *ctx, uint32_t token)
{
    const struct trms_tokens *tokens = &ctx->world->tokens;
    uint32_t block = token >> TRMS_KIND_BITS >> tokens->block_log2;
    return TRMS_KIND(token) == TRMS_TOKEN_THREAD && tokens->owners[block] == ctx->serial;
}

/* In tokens.c: stores the context's next token in `stamp`. Call this function at the end of an
 * epoch that has used its token. */
void trms_token_next(struct trms_exec_context *ctx);

/* In ranges.c: drops the context's data about recycled tokens and forgotten ranges, and begins a
 * new epoch if the context was interrupted. If trms_is_behind(), call this function before any
 * comparison with a token and before any write. It may map memory, so call it only where this is
 * allowed. */
void trms_catch_up(struct trms_exec_context *ctx);

/* Sets the time at which times are renumbered. If the pending activations alone need most of the
 * ticks, the limit is raised until these activations have ended. An eighth of the range is reserved
 * for signal handlers. Each handler may take a tick where renumbering is impossible
 * (trms_catch_up); up to 2^26 handlers may run between two calls. */
APROF_INLINE void trms_time_limit_set(struct trms_exec_context *ctx)
{
    uint64_t ticks = ((uint64_t)1 << ctx->world->config.time_bits) - 1, limit = ticks - ticks / 8;
    uint64_t least = (uint32_t)ctx->stamp / TRMS_TICK + limit / 4 + 2;
    ctx->time_limit = TRMS_TICK * (uint32_t)(limit < least ? least : limit);
    ctx->call_limit = 0;
}

/* trms_depth returns the number of pending activations; trms_is_pending returns whether there are
 * any. */
APROF_INLINE size_t trms_depth(const struct trms_exec_context *ctx)
{
    return (size_t)(ctx->activation - ctx->stack);
}

APROF_INLINE bool trms_is_pending(const struct trms_exec_context *ctx)
{
    return ctx->activation != ctx->stack;
}

/* Sets `floor` to the later of `synced` and the latest activation's stamp, and `near` to the later
 * of `synced` and the caller's stamp. The end of a signal handler may raise `floor`, `near` and
 * `synced` between any two instructions (trms_interrupted). So `floor` and `near` are set again if
 * `synced` has changed. */
APROF_INLINE void trms_floor_set(struct trms_exec_context *ctx)
{
    uint32_t synced, top = ctx->activation->stamp, parent = ctx->activation[-1].stamp;
    do {
        synced = __atomic_load_n(&ctx->synced, __ATOMIC_RELAXED);
        ctx->floor = synced > top ? synced : top;
        ctx->activation->near = synced > parent ? synced : parent;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (UNLIKELY(__atomic_load_n(&ctx->synced, __ATOMIC_RELAXED) != synced));
}

/* The following functions in contexts.c are called only if calling contexts are kept. These
 * functions must be called after each call, before each return, and when an execution context
 * begins or ends. At a return without measurements, `m` is NULL. trms_contexts_gather must be
 * called with the lock held and without pending activations. */
void trms_contexts_call(struct trms_exec_context *ctx, const struct routine_profile *profile,
                        bool measured);
void trms_contexts_return(struct trms_exec_context *ctx, const struct measurement *m);
void trms_contexts_begin(struct trms_exec_context *ctx);
void trms_contexts_gather(struct trms_exec_context *ctx);
void trms_contexts_restart(struct trms_exec_context *ctx);
void trms_contexts_end(struct trms_exec_context *ctx);

/* In core.c: trms_count_fresh counts a read of a cell whose latest access was at `time`, which is
 * before the floor. trms_count_induced counts n cells that the owner of `token` has written since
 * the context's latest access. */
void trms_count_fresh(struct trms_exec_context *ctx, uint32_t time);
void trms_count_induced(struct trms_exec_context *ctx, uint32_t time, uint32_t token, int64_t n);
struct trms_activation *trms_ancestor(struct trms_exec_context *ctx, uint32_t time);

/* Returns the previous result of trms_ancestor (`found`) if it is also the right result for this
 * time, otherwise NULL. */
APROF_INLINE struct trms_activation *trms_ancestor_again(const struct trms_exec_context *ctx,
                                                         uint32_t time)
{
    struct trms_activation *found = ctx->found;
    bool is_it = found < ctx->activation && found->stamp <= time && found[1].stamp > time;
    return is_it ? found : NULL;
}

/* Finds the same activation as trms_ancestor, for a time other than 0, but tests only the previous
 * result and the next activations below the top. If neither is the right ancestor, returns NULL.
 * The search does not pass stack[0], which has the earliest time. The result is stored in `found`,
 * unless it is the direct caller, which inline checks test first. */
#define TRMS_NEAR 8
APROF_INLINE struct trms_activation *trms_ancestor_near(struct trms_exec_context *ctx,
                                                        uint32_t time)
{
    struct trms_activation *at = ctx->activation - 1;
    if (at->stamp <= time)
        return at;
    for (int i = 1; i < TRMS_NEAR; i++)
        if ((--at)->stamp <= time)
            return ctx->found = at;
    return trms_ancestor_again(ctx, time);
}

/* In activations.c: returns the new value of `time` when all times are renumbered. */
uint32_t trms_time_renumbered(const struct trms_exec_context *ctx, uint32_t time);

/* exec_contexts.c */
void trms_stack_grow(struct trms_exec_context *ctx);

/* In shadow.c: an execution context's chunks of words, and the shared chunks of tokens.
 * trms_remember puts both chunks of an index into the cache and returns their slot. */
uint8_t trms_remember(struct trms_exec_context *ctx, uint64_t index);
void trms_remembered_clear(struct trms_exec_context *ctx);
void trms_remembered_drop(struct trms_exec_context *ctx, uint8_t place);
uint32_t *trms_words_make(struct trms_exec_context *ctx, uint64_t index);
uint32_t *trms_written_find(struct trms_world *world, uint64_t index);
uint32_t *trms_written_make(struct trms_world *world, uint64_t index);
void trms_exec_context_unmap(struct trms_exec_context *ctx);
/* Calls `visit` for every chunk of written[] that exists. */
void trms_written_each(struct trms_world *world,
                       void (*visit)(void *context, uint32_t *tokens, uint64_t index),
                       void *context);
void trms_written_unmap(struct trms_world *world);

#endif
