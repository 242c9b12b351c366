/* The state of the compiled-in TRMS: execution contexts (`ctx` in names), and what they share.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/parallel-trms.md states the algorithm and proves it. In short: there is no common clock.
 *
 *   time     Each execution context (a thread, a coroutine or a running signal handler) has its own
 *            counter. It advances one tick at each call and at each synchronisation operation.
 *   token    The last writer of a cell and the writer's epoch (an epoch ends at a synchronisation
 *            operation). All contexts share written[l], the token of cell l.
 *   word     The shadow word that a context keeps for a cell: the time of its latest access (ts in
 *            the papers) and two bits (words.h).
 *
 * For each token, a context also keeps the time since which it has known the token
 * (seen_versions.h).
 *
 * A read is induced if somebody else wrote the cell, and the context first saw the token in
 * written[l] after its own latest access. The read is a first access of all activations younger
 * than ts. Both decisions use only the context's own data and written[l].
 *
 *     word   = time | state                     0: never accessed
 *     token  = number << 1 | kind               0: never written
 *
 * Times are multiples of TRMS_TICK, because the lower bits hold the state.
 *
 * Worked example (Figure 1a of paper 003), in ticks. f in T1 reads x at T1's time 2: word 2, rms =
 * 1. T1 unlocks. T2 locks and writes x: written[x] = (T2, 7). T1 locks, at time 3, and reads x. It
 * has known (T2, 7) since 3, and 2 < 3, so the read is induced. 2 >= f's time 2, so rms stays 1;
 * delta becomes 1.
 *
 * Invariant: an access changes nothing if the cell's word is at least `floor`, the later of the
 * latest pending activation's call and the latest synchronisation. All later comparisons have the
 * same result with the word's time as with the current one.
 *
 * Shadow words lie in a direct-mapped shadow, at a fixed distance from their cells, if the address
 * space has room for one. Without a direct-mapped shadow, words lie in chunks, which a table finds.
 *
 * While a program has one execution context, its shadow words are the whole state: a write stores
 * only its word, and synchronisation operations are ignored. trms_world_share derives the shared
 * state when a second context is about to exist.
 */
#ifndef NATIVE_TRMS_STATE_H
#define NATIVE_TRMS_STATE_H

#include "ground/basics.h"
#include "ground/trms_words.h"
#include "points/profile.h"

/* Shadow memory is a table of three levels: top, middle, chunk. A chunk has TRMS_CHUNK_CELLS cells;
 * tests make chunks smaller, to have many borders. */
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
    void ***top; /* made on first use; every level is made by compare-and-swap */
};

/* The inlined paths support a resolution of 4 bytes only. With any other, no tag ever matches
 * there. */
#define TRMS_FAST_SHIFT     2
#define TRMS_REMEMBERED     256 /* a slot is selected by one byte */
#define TRMS_TAG_OTHER      ((uint64_t)1 << 62)
#define TRMS_NOT_REMEMBERED (~(uint64_t)0)

/* A direct-mapped cache of chunks, by the lowest byte of a chunk's index. The pointers are biased:
 * cell number c of the address space is at words + 4 * c and written + 4 * c. */
struct trms_remembered {
    uint64_t tag[TRMS_REMEMBERED];
    uintptr_t words[TRMS_REMEMBERED];   /* only without a direct-mapped shadow */
    uintptr_t written[TRMS_REMEMBERED]; /* 0: the context is exclusive, and needs none */
};

/* Where a write is recorded. Inline checks call the runtime for a write unless the mode is
 * TRMS_EXCLUSIVE. */
enum trms_mode {
    TRMS_EXCLUSIVE,        /* in the word of the direct-mapped shadow alone */
    TRMS_SHARED,           /* in written[], too, with a token */
    TRMS_EXCLUSIVE_CHUNKS, /* in the word alone, which only the runtime finds */
};

/* A token has 32 bits: its number, and its kind in the lowest bit. The last block of numbers is
 * never handed out, so that the number at the end of each block fits, too. */
enum trms_token_kind { TRMS_TOKEN_THREAD, TRMS_TOKEN_KERNEL };
#define TRMS_KIND_BITS   1
#define TRMS_TOKEN_BITS  (32 - TRMS_KIND_BITS) /* of numbers */
#define TRMS_KIND(token) ((token) & ((1u << TRMS_KIND_BITS) - 1))
/* No cell ever has this token. A context has it until its first write, which takes a block; and
 * empty entries of last seen versions have it. */
#define TRMS_NO_TOKEN ((uint32_t)TRMS_TOKEN_KERNEL)
_Static_assert(TRMS_TOKEN_KERNEL < 1 << TRMS_KIND_BITS, "a token holds its kind");

/* Last seen versions (seen_versions.h): size of the cache, initial size of the table, and the
 * number of tokens from which on those that no cell holds are dropped. Tests set smaller ones. */
#ifndef TRMS_SEEN_VERSIONS_AT_HAND_LOG2
#define TRMS_SEEN_VERSIONS_AT_HAND_LOG2 12
#define TRMS_SEEN_VERSIONS_FIRST_LOG2   9
#define TRMS_SEEN_VERSIONS_MANY         ((uint32_t)1 << 20)
#endif

/* Initial capacity of a context's stack. The capacity is large because a known call is cheap only
 * before `call_limit`, and free slots of the stack raise this limit. Tests set a smaller one. */
#ifndef TRMS_FIRST_CAPACITY
#define TRMS_FIRST_CAPACITY 512
#endif

/* seen_versions.h: since when a context has known each token. A last seen version is token << 32 |
 * since. The table is open-addressed with linear probing; a slot that is 0 is free. */
struct trms_seen_version_table {
    uint64_t *places; /* 1 << log2 slots */
    uint32_t log2, n;
};

struct trms_seen_versions {
    uint64_t at_hand[1 << TRMS_SEEN_VERSIONS_AT_HAND_LOG2];
    struct trms_seen_version_table others; /* all tokens of other contexts */
    uint32_t many;                         /* unused tokens are dropped at this size */
};

/* No stack address is below it, and no activation's slot is equal to it. */
#define TRMS_NO_SLOT 1

/* One pending activation; stack[0] represents the execution context itself. As in the papers, an
 * activation's input is the sum of the partial sums from it to the top. trms = rms + delta. */
struct trms_activation {
    struct routine_profile *profile;
    uintptr_t slot;   /* the stack pointer when its entry hook ran, or TRMS_NO_SLOT */
    uintptr_t caller; /* its return address */
    /* accumulators.h; has the call edge; also marks unmeasured activations */
    struct trms_accumulator *accumulator;
    uint64_t cost_before;
    uint64_t cost_of_callees;
    int64_t rms;
    uint32_t stamp;   /* time of its call */
    uint32_t near;    /* of the latest one: the later of its caller's stamp and `synced` */
    uint64_t induced; /* if it is 0 at the return, so are the next three */
    uint64_t induced_thread;
    int64_t delta;
    int64_t delta_thread; /* the part of delta that other threads' writes induced */
};

/* Without a direct-mapped shadow, all addresses map to one word of a small array. The array is as
 * large as the range that inline checks may read around one address. */
#define TRMS_NOWHERE       ((TRMS_WORDS_BELOW + TRMS_WORDS_ABOVE + TRMS_WORDS_WIDEST) / 4)
#define TRMS_NOWHERE_MASK  0
#define TRMS_NOWHERE_FIRST (TRMS_WORDS_BELOW / 4)

/* One range of address space that an execution context owns. */
struct trms_mapping {
    void *pages;
    size_t bytes;
    uint64_t index; /* of the chunk */
    bool is_words;  /* a chunk of shadow words; false: a level of the table */
};

/* See direct_shadow_space.c. */
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

/* Direct-mapped caches of what the addresses in calls stand for: the routine of an entry hook's
 * return address, the edge of a call's return address (edges.h), and the call of both. */
#define TRMS_KNOWN 256

/* The slot of an address. Functions begin at multiples of 16, and calls at any address. */
APROF_INLINE uint32_t trms_known_slot(uintptr_t address)
{
    return (address ^ address >> 8) % TRMS_KNOWN;
}

struct trms_known_routine {
    uintptr_t pc;
    struct routine_profile *profile;
};

/* A call by return address and routine (trms_known_call_slot). Invariant: only calls without any
 * special case are cached, so a hit needs no further checks (hooks.c). */
struct trms_known_call {
    uintptr_t site, pc;
    const struct routine_profile *caller;
    struct trms_accumulator *accumulator;
};
_Static_assert(sizeof(struct trms_known_call) == 32, "a power of two: a mask finds the place");

/* Compiled code accesses the fields whose offsets ground/trms_words.h names. */
struct trms_exec_context {
    uint64_t stamp;      /* token << 32 | time; the time is also the word of a cell written now */
    uint64_t cost;       /* in the report's unit, counted up from cost_at_start */
    uint32_t floor;      /* the later of the latest activation's stamp and `synced` */
    uint32_t call_limit; /* before this time, a call needs no renumbering and no larger stack */
    uintptr_t direct_shadow; /* words.h: the word of address a is at direct_shadow + (a & mask) */
    uintptr_t mask;
    uint32_t careful; /* enum trms_mode */
    uint32_t synced;  /* time after the latest synchronisation */
    uint32_t time_limit;
    struct trms_activation *activation; /* the latest */
    struct trms_activation *stack; /* [0]: the context itself; [-1] exists, too, as a sentinel */
    struct trms_world *world;
    uintptr_t stack_low, stack_high; /* known limits of its machine stack */
    struct trms_contexts *contexts;  /* NULL: calling contexts are not kept */
    struct trms_activation *found;   /* result of the latest search; the next one tries it first */
    struct trms_edges *edges;        /* NULL: call edges are not kept */
    struct trms_accumulator **accumulators; /* by edge; by routine if edges are not kept */
    uint32_t n_accumulators;
    uint32_t capacity; /* of the stack */
    bool token_used;   /* the token was stored since the last synchronisation */
    bool is_handler;   /* a running signal handler */
    struct trms_remembered remembered;
    struct trms_known_routine known[TRMS_KNOWN];
    struct trms_known_call known_calls[TRMS_KNOWN];

    uintptr_t reserved;             /* address space of its direct-mapped shadow; 0: none */
    uint8_t *pages;                 /* which pages have been made; see shadow_pages.h */
    uint8_t direct_shadow_kind;     /* enum trms_direct_shadow_kind */
    uint32_t nowhere[TRMS_NOWHERE]; /* replaces a missing direct-mapped shadow; all zero */
    uint64_t serial;                /* unique in the process; owns blocks of tokens */
    uint32_t token_limit;           /* end of the current block of tokens; 0: no block */
    uint32_t generation;            /* the world's generation that its tables already reflect */
    uint32_t settled; /* equal to it; less if a handler has ended its epoch (trms_catch_up) */
    struct trms_seen_versions seen_versions;
    struct trms_table table;
    struct trms_mapping *mappings;
    uint32_t n_mappings, mappings_capacity;
    struct profile profile;
    uint64_t cost_at_start;
    uint64_t activations, renumberings;
    uint32_t thread; /* number in the report */
    uint32_t weights_capacity;
    struct trms_weight *weights;               /* if sampled: by position on the stack; else NULL */
    struct trms_exec_context *next, *previous; /* in the world's list */
    struct trms_exec_context *link;            /* in the list of its thread */
    struct trms_exec_context *below;           /* of a handler: the context that it interrupted */
    bool below_inside;                         /* that context was inside a hook */
    bool range_is_guess;                       /* stack_low and stack_high are estimates */
};

/* Tokens are handed out in blocks; a block has one owner. */
struct trms_tokens {
    uint32_t block_log2; /* tokens per block */
    uint32_t n_blocks;   /* block 0 is never handed out */
    uint32_t next;       /* blocks from here to n_blocks - 1 were never handed out */
    uint64_t *owners;    /* by block: the serial of its context */
    uint32_t *recycled;  /* by block: the generation in which it was recycled; 0: never */
    uint32_t *free;      /* blocks found free by the latest search */
    uint32_t n_free;
    uint64_t stuck; /* how often every block was in use: see tokens.c */
};

struct trms_config {
    uint8_t shift;      /* log2 of the bytes of a cell, 0 to 4 */
    uint8_t time_bits;  /* log2 of the ticks until times are renumbered; 29 except in tests */
    uint8_t token_bits; /* of token numbers; TRMS_TOKEN_BITS, or fewer in tests */
    uint8_t token_block_log2;
    unsigned metrics; /* mask of 1 << enum metric */
    bool edges;       /* call edges are kept */
};

/* Cells that were forgotten in some generation. A context's words for them are invalid while its
 * own generation is earlier. */
struct trms_range {
    uint64_t first, last; /* cells */
    uint32_t generation;
    uint32_t token; /* of a mapped file: initial value of new chunks of written[]; else 0 */
};

/* The state that execution contexts share. A lock is held only briefly, and never while another one
 * of the runtime's is. */
struct trms_world {
    struct trms_config config;
    uint32_t generation;          /* counts recyclings and forgotten ranges */
    uint32_t recycled_generation; /* the latest in which tokens were recycled */
    bool shared;                  /* a second execution context exists or has existed */
    bool collecting;
    bool sampled; /* not all activations are measured, and contexts share nothing: see sample.h */
    bool timed;   /* the cost is a clock: code that reports calls and returns sets it */
    /* mask of 1 << kind: no more direct-mapped shadows of that kind, since memory was mapped whose
     * words would belong to other cells, too */
    uint32_t without_direct_shadows;
    struct trms_table written;
    uint32_t lock;    /* guards everything below */
    uint64_t signals; /* signals that were blocked when the lock was taken */
    struct trms_exec_context *exec_contexts;
    uint32_t n_exec_contexts;
    uint64_t serials;
    struct trms_tokens tokens;
    struct trms_range *ranges; /* sorted, disjoint */
    uint32_t n_ranges, ranges_capacity;
    uint32_t n_files;         /* of the ranges, those with a token */
    struct profile *gathered; /* by thread number, or [0] */
    uint32_t n_gathered;
    struct process_contexts *contexts; /* of ended threads; NULL: none are kept */
    struct trms_edges *edges;          /* likewise */
    uint64_t cost, activations, reads, induced_thread, induced_external; /* of ended threads */
};

/* The world's lock, which the embedding runtime provides. No signal handler may run in a thread
 * that holds it, because the handler's hooks could wait forever. */
void trms_lock(struct trms_world *world);
void trms_unlock(struct trms_world *world);

/* Between the two calls, no signal handler of the program runs in this thread, which is inside a
 * hook. So no handler finds or leaves an update that is half done. The embedding runtime provides
 * them; a program without handlers pays one comparison. */
struct trms_quiet {
    uint64_t signals;
    bool is_blocked;
};
void trms_quiet_begin(struct trms_quiet *quiet);
void trms_quiet_end(const struct trms_quiet *quiet);

/* activations.c: ends the context's epoch, for trms_sync in shared mode and for each kernel
 * write. */
void trms_epoch_end(struct trms_exec_context *ctx);

/* activations.c: if activations are sampled, takes into account how other contexts changed the
 * memory map. */
void trms_look_around(struct trms_exec_context *ctx);

/* Whether this execution context has the token, which is not the kernel's. */
APROF_INLINE bool trms_token_is_own(const struct trms_exec_context *ctx, uint32_t token)
{
    const struct trms_tokens *tokens = &ctx->world->tokens;
    uint32_t block = token >> TRMS_KIND_BITS >> tokens->block_log2;
    return TRMS_KIND(token) == TRMS_TOKEN_THREAD && tokens->owners[block] == ctx->serial;
}

/* tokens.c: sets the context's next token in `stamp`. Called when an epoch ends that has used its
 * token. */
void trms_token_next(struct trms_exec_context *ctx);

/* ranges.c: drops what the context keeps of recycled tokens and forgotten ranges, and begins a new
 * epoch if it was interrupted. Must be called before any comparison or write if trms_is_behind(),
 * and only where memory may be mapped. */
void trms_catch_up(struct trms_exec_context *ctx);

/* Sets the time at which times are renumbered. If the pending activations alone need more ticks
 * than that, the limit is higher while they are pending. An eighth of the range is reserved for
 * signal handlers: each may take a tick where renumbering is impossible (trms_catch_up), 2^26 of
 * them between two calls. */
APROF_INLINE void trms_time_limit_set(struct trms_exec_context *ctx)
{
    uint64_t ticks = ((uint64_t)1 << ctx->world->config.time_bits) - 1, limit = ticks - ticks / 8;
    uint64_t least = (uint32_t)ctx->stamp / TRMS_TICK + limit / 4 + 2;
    ctx->time_limit = TRMS_TICK * (uint32_t)(limit < least ? least : limit);
    ctx->call_limit = 0;
}

/* The number of pending activations, and whether there are any. */
APROF_INLINE size_t trms_depth(const struct trms_exec_context *ctx)
{
    return (size_t)(ctx->activation - ctx->stack);
}

APROF_INLINE bool trms_is_pending(const struct trms_exec_context *ctx)
{
    return ctx->activation != ctx->stack;
}

/* Sets `floor` and `near`, each the later of `synced` and a stamp. The end of a signal handler may
 * raise all three between any two instructions (trms_interrupted); so they are set again if
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

/* contexts.c, if calling contexts are kept: called after each call, before each return (`m` is NULL
 * if nothing was measured), and when an execution context begins or ends. trms_contexts_gather is
 * called with the lock held and without pending activations. */
void trms_contexts_call(struct trms_exec_context *ctx, const struct routine_profile *profile,
                        bool measured);
void trms_contexts_return(struct trms_exec_context *ctx, const struct measurement *m);
void trms_contexts_begin(struct trms_exec_context *ctx);
void trms_contexts_gather(struct trms_exec_context *ctx);
void trms_contexts_restart(struct trms_exec_context *ctx);
void trms_contexts_end(struct trms_exec_context *ctx);

/* core.c: counts a read of a cell that was last accessed at `time`, before the floor.
 * trms_count_induced counts n cells that the owner of `token` has written since. */
void trms_count_fresh(struct trms_exec_context *ctx, uint32_t time);
void trms_count_induced(struct trms_exec_context *ctx, uint32_t time, uint32_t token, int64_t n);
struct trms_activation *trms_ancestor(struct trms_exec_context *ctx, uint32_t time);

/* The result of trms_ancestor if it is the same as the last time; else NULL. */
APROF_INLINE struct trms_activation *trms_ancestor_again(const struct trms_exec_context *ctx,
                                                         uint32_t time)
{
    struct trms_activation *found = ctx->found;
    bool is_it = found < ctx->activation && found->stamp <= time && found[1].stamp > time;
    return is_it ? found : NULL;
}

/* The result of trms_ancestor for a time other than 0, if it is among the next activations below
 * the top, or the same as the last time; else NULL. The search ends at the latest at stack[0],
 * which has the earliest time. The result is kept in `found`, except the direct caller, which
 * inline checks test first anyway. */
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

/* activations.c: the new value of `time` when all times are renumbered. */
uint32_t trms_time_renumbered(const struct trms_exec_context *ctx, uint32_t time);

/* exec_contexts.c */
void trms_stack_grow(struct trms_exec_context *ctx);

/* shadow.c: an execution context's chunks of words, and the shared chunks of tokens. trms_remember
 * puts both chunks of an index into the cache and returns their slot. */
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
