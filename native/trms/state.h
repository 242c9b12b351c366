/* The state of the compiled-in TRMS: strands, their stacks and cells, and what all of them share.
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/parallel-trms.md states the algorithm and proves it. In short: there is no common clock.
 *
 *   time     Each strand (a thread's own stack, a signal handler, a coroutine) counts its own time:
 *            one tick at each call and at each synchronisation operation.
 *   token    Who wrote a cell last, and in which of the writer's epochs (an epoch ends at a
 *            synchronisation operation). written[l] holds one for all strands.
 *   word     What a strand keeps for a cell: its time of the latest access (ts in the papers), and
 *            two bits (words.h). For each token it keeps when it first saw it (sights.h).
 *
 * A read is induced if the strand has first seen the token in written[l] after its latest access,
 * and the writer is somebody else. It is a first access of the activations that are younger than
 * ts. Both questions need no other strand.
 *
 *     word   = time | state                     0: never accessed
 *     token  = number << 1 | kind               0: never written
 *
 * Times are multiples of TRMS_TICK, for the bits below are the state.
 *
 * Worked example (Figure 1a of paper 003), in ticks. f in T1 reads x at T1's time 2: word 2, rms = 1.
 * T1 unlocks; T2 locks, writes x: written[x] = (T2, 7). T1 locks: time 3; it reads x: (T2, 7) is
 * known since 3, and 2 < 3, so this is induced; 2 >= f's time 2, so rms stays and delta becomes 1.
 *
 * An access changes nothing if the cell's word is not older than the latest call of a pending
 * activation and the latest synchronisation, which is what `floor` holds: whatever may be asked
 * later has the same answer for the word's time as for now.
 *
 * Words lie in a direct-mapped shadow, at a fixed distance from their cells, where the address space
 * has room for one; else in chunks, which a table finds.
 *
 * While a program has one strand nothing needs to be shared: its words say all, a write is its word,
 * and synchronisation is nothing. trms_world_share makes up for it.
 */
#ifndef NATIVE_TRMS_STATE_H
#define NATIVE_TRMS_STATE_H

#include "ground/basics.h"
#include "ground/trms_words.h"
#include "points/profile.h"

/* Shadow memory in chunks of so many cells, three levels: top, middle, chunk. Tests make the chunks
 * smaller, so that there are many borders. */
#ifndef TRMS_CHUNK_LOG2
#define TRMS_CHUNK_LOG2 18
#endif
#define TRMS_CHUNK_CELLS ((uint64_t)1 << TRMS_CHUNK_LOG2)
#define TRMS_MIDDLE_LOG2 14
#define TRMS_TOP_LOG2    15
#define TRMS_ADDRESS_MASK                                                                          \
    (((uint64_t)1 << (TRMS_CHUNK_LOG2 + TRMS_MIDDLE_LOG2 + TRMS_TOP_LOG2)) - 1)

#define TRMS_TICK       4u /* from one time to the next */
#define TRMS_TIME(word) ((uint32_t)(word) & ~(TRMS_TICK - 1))

struct trms_table {
    void ***top; /* made on first use; every level is made by compare-and-swap */
};

/* The resolution that the inlined paths know, 4 bytes. With any other no tag ever matches there. */
#define TRMS_FAST_SHIFT     2
#define TRMS_REMEMBERED     256 /* as many as a byte tells apart */
#define TRMS_TAG_OTHER      ((uint64_t)1 << 62)
#define TRMS_NOT_REMEMBERED (~(uint64_t)0)

/* The chunks at hand, each at the place that the lowest byte of its index says. The pointers are
 * biased: cell number c of the address space is at words + 4 * c and written + 4 * c. */
struct trms_remembered {
    uint64_t tag[TRMS_REMEMBERED];
    uintptr_t words[TRMS_REMEMBERED];   /* of a strand whose words are in chunks */
    uintptr_t written[TRMS_REMEMBERED]; /* 0: the strand is exclusive, and needs none */
};

/* Who has to learn of a write. Inline checks call the runtime with a write unless it is
 * TRMS_EXCLUSIVE. */
enum trms_mode {
    TRMS_EXCLUSIVE,        /* nobody: the word in the direct-mapped shadow says it all */
    TRMS_SHARED,           /* written[] has to have its token */
    TRMS_EXCLUSIVE_CHUNKS, /* nobody, but only the runtime finds the word */
};

/* A token is a word: its number, and its kind in the lowest bit. The last block of numbers is never
 * handed out, so that the end of each block is a token too. */
enum trms_token_kind { TRMS_TOKEN_THREAD, TRMS_TOKEN_KERNEL };
#define TRMS_KIND_BITS   1
#define TRMS_TOKEN_BITS  (32 - TRMS_KIND_BITS) /* of numbers */
#define TRMS_KIND(token) ((token) & ((1u << TRMS_KIND_BITS) - 1))
/* That no cell ever has: of a strand that has none yet, whose first write takes a block, and of what
 * has not been seen. */
#define TRMS_NO_TOKEN ((uint32_t)TRMS_TOKEN_KERNEL)
_Static_assert(TRMS_TOKEN_KERNEL < 1 << TRMS_KIND_BITS, "a token holds its kind");

/* Sights at hand, first places of the table, and how many are so many that they are looked through:
 * tests have fewer. */
#ifndef TRMS_SIGHTS_AT_HAND_LOG2
#define TRMS_SIGHTS_AT_HAND_LOG2 12
#define TRMS_SIGHTS_FIRST_LOG2   9
#define TRMS_SIGHTS_MANY         ((uint32_t)1 << 20)
#endif

/* Activations that a strand has room for at first: so many that known calls are many between two looks at
 * what is left; tests have fewer. */
#ifndef TRMS_FIRST_CAPACITY
#define TRMS_FIRST_CAPACITY 512
#endif

/* sights.h: since when a strand has known tokens. A sight is token << 32 | since. */
struct trms_sight_table {
    uint64_t
        *places; /* 1 << log2 of them, each sight at the first free one from its hash; 0: free */
    uint32_t log2, n;
};

struct trms_sights {
    uint64_t at_hand[1 << TRMS_SIGHTS_AT_HAND_LOG2];
    struct trms_sight_table others; /* of others' tokens, all */
    uint32_t many;                  /* as many are looked through */
};

/* Nothing is below it, and nothing has it. */
#define TRMS_NO_SLOT 1

/* One pending activation; stack[0] is the strand itself. As in the papers, what an activation read
 * is the sum of the partials from it to the top. trms = rms + delta. */
struct trms_activation {
    struct routine_profile *profile;
    uintptr_t slot;           /* the stack pointer when its entry hook ran, or TRMS_NO_SLOT */
    uintptr_t caller;         /* its return address */
    struct trms_tally *tally; /* tallies.h; says by which edge, and whether it is measured */
    uint64_t cost_before;
    uint64_t cost_of_callees;
    int64_t rms;
    uint32_t stamp;   /* the time of its call */
    uint32_t near;    /* if it is the latest: the later of its caller's stamp and `synced` */
    uint64_t induced; /* 0: so are the next three, when it returns */
    uint64_t induced_thread;
    int64_t delta;
    int64_t delta_thread; /* of which by other threads' writes */
};

/* Words that stand in place of a window: those that code may look at around the one of an address. All
 * addresses have the same one. */
#define TRMS_NOWHERE       ((TRMS_WORDS_BELOW + TRMS_WORDS_ABOVE + TRMS_WORDS_WIDEST) / 4)
#define TRMS_NOWHERE_MASK  0
#define TRMS_NOWHERE_FIRST (TRMS_WORDS_BELOW / 4)

/* One piece of address space that a strand owns. */
struct trms_mapping {
    void *pages;
    size_t bytes;
    uint64_t index; /* of the chunk */
    bool is_words;  /* else a level of the table */
};

/* See window_space.c. */
enum trms_window_kind { TRMS_WINDOW_WIDE, TRMS_WINDOW_NARROW, TRMS_WINDOW_KINDS };

struct process_contexts;
struct trms_contexts;
struct trms_edges;
struct trms_tally;
struct trms_weight;
struct trms_world;

/* Routines at hand, by where their entry hooks return to. */
struct trms_known_routine {
    uintptr_t pc;
    struct routine_profile *profile;
};
#define TRMS_KNOWN           256
#define TRMS_KNOWN_INDEX(pc) (((pc) >> 4 ^ (pc) >> 12) % TRMS_KNOWN)

/* Calls at hand, by the place that they return to and the routine's (trms_known_call_at): of calls without
 * anything unusual, so that what has this entry needs no further look (hooks.c). */
struct trms_known_call {
    uintptr_t site, pc;
    const struct routine_profile *caller;
    struct trms_tally *tally;
};
#define TRMS_KNOWN_CALLS 256
_Static_assert(sizeof(struct trms_known_call) == 32, "a power of two: a mask finds the place");

/* Compiled code knows the places that ground/trms_words.h names. */
struct trms_strand {
    uint64_t stamp; /* token << 32 | time: the latter is the word of a cell that it writes now */
    uint64_t cost;  /* in the report's unit, from cost_at_start on */
    uint32_t floor; /* the later of the latest activation's stamp and `synced` */
    uint32_t call_limit; /* until then there is time for a call, and a place on the stack */
    uintptr_t window;    /* words.h: the word of address a is at window + (a & mask) */
    uintptr_t mask;
    uint32_t careful; /* enum trms_mode */
    uint32_t synced;  /* time after the latest synchronisation */
    uint32_t time_limit;
    struct trms_activation *activation; /* the latest */
    struct trms_activation *stack; /* from the strand itself on, which has one like it before it */
    struct trms_world *world;
    uintptr_t stack_low, stack_high; /* of its machine stack, as far as known */
    struct trms_contexts *contexts;  /* NULL: none are kept */
    struct trms_activation *found;   /* the latest that was found by a search: the likeliest */
    struct trms_edges *edges;        /* NULL: none are kept */
    struct trms_tally **tallies;     /* by edge, without edges by routine; those that exist */
    uint32_t n_tallies;
    uint32_t capacity; /* of the stack */
    bool token_used;   /* stored somewhere since the last synchronisation */
    bool is_handler;   /* of a signal */
    struct trms_remembered remembered;
    struct trms_known_routine known[TRMS_KNOWN];
    struct trms_known_call known_calls[TRMS_KNOWN_CALLS];

    uintptr_t reserved;             /* its window's address space; 0: it has none */
    uint8_t *pages;                 /* which pages have been made; see shadow_pages.h */
    uint8_t window_kind;            /* enum trms_window_kind */
    uint32_t nowhere[TRMS_NOWHERE]; /* the words of a strand without a window: all zero */
    uint64_t serial;                /* of all strands ever; owns blocks of tokens */
    uint32_t token_limit;           /* the current block ends here; 0: it has none */
    uint32_t generation; /* of recycled tokens and forgotten ranges, that what it keeps knows of */
    uint32_t
        settled; /* the same; less: it was interrupted, and its epoch has ended (trms_catch_up) */
    struct trms_sights sights;
    struct trms_table table;
    struct trms_mapping *mappings;
    uint32_t n_mappings, mappings_capacity;
    struct profile profile;
    uint64_t cost_at_start;
    uint64_t activations, renumberings;
    uint32_t thread; /* number in the report */
    uint32_t weights_capacity;
    struct trms_weight *weights; /* where samples are taken: by place on the stack; else NULL */
    struct trms_strand *next, *previous; /* in the world's list */
    struct trms_strand *link;            /* in the list of its thread */
    struct trms_strand *below;           /* of a handler: the strand that it interrupted */
    bool below_inside;                   /* ... in a hook */
    bool range_is_guess;                 /* stack_low and stack_high */
};

/* Tokens are handed out in blocks; a block has one owner. */
struct trms_tokens {
    uint32_t block_log2; /* tokens per block */
    uint32_t n_blocks;   /* block 0 is never handed out */
    uint32_t next;       /* never handed out yet: next .. n_blocks - 1 */
    uint64_t *owners;    /* by block: the serial of its strand */
    uint32_t *recycled;  /* by block: the generation in which it became free again, 0 = never */
    uint32_t *free;      /* blocks found free by the latest search */
    uint32_t n_free;
    uint64_t stuck; /* times that every block was in use: see tokens.c */
};

struct trms_config {
    uint8_t shift;      /* log2 of the bytes of a cell, 0 to 4 */
    uint8_t time_bits;  /* a strand's clock counts so many ticks; 29 but in tests */
    uint8_t token_bits; /* of their numbers; TRMS_TOKEN_BITS but in tests, never more */
    uint8_t token_block_log2;
    unsigned metrics; /* mask of 1 << enum metric */
    bool edges;       /* of calls are kept */
};

/* Cells that were forgotten in some generation: words for them are void in strands that know only
 * of earlier ones. */
struct trms_range {
    uint64_t first, last; /* cells */
    uint32_t generation;
    uint32_t token; /* a file is mapped here: chunks of written[] begin with this; else 0 */
};

/* What strands share. Locks are held for short times and never inside another one of ours. */
struct trms_world {
    struct trms_config config;
    uint32_t generation;          /* counts recyclings and forgotten ranges */
    uint32_t recycled_generation; /* the latest in which tokens were recycled */
    bool shared;                  /* a second strand exists or has existed */
    bool collecting;
    bool sampled; /* not all activations are measured; then strands share nothing: see sample.h */
    bool timed;   /* cost runs by itself: whoever calls and returns sets it */
    uint32_t without_windows; /* 1 << kind: memory has come to where words of other cells are, so
                               * there are no windows of that kind from now on */
    struct trms_table written;
    uint32_t lock;    /* of everything below */
    uint64_t signals; /* those that were blocked when the lock was taken */
    struct trms_strand *strands;
    uint32_t n_strands;
    uint64_t serials;
    struct trms_tokens tokens;
    struct trms_range *ranges; /* sorted, disjoint */
    uint32_t n_ranges, ranges_capacity;
    uint32_t n_files;         /* of the ranges, those with a token */
    struct profile *gathered; /* by thread number, or [0] */
    uint32_t n_gathered;
    struct process_contexts *contexts; /* of ended strands; NULL: none are kept */
    struct trms_edges *edges;          /* likewise */
    uint64_t cost, activations, reads, induced_thread, induced_external; /* of ended strands */
};

/* The world's lock, which whoever embeds the core provides: no signal handler may run in a thread
 * that holds it, or the handler's hooks could wait for ever. */
void trms_lock(struct trms_world *world);
void trms_unlock(struct trms_world *world);

/* Between the two, no signal handler of the program runs in this thread, which is inside a hook: what is
 * of no use in part no handler finds or leaves so. Whoever embeds the core provides it; where there is no
 * handler it costs a comparison. */
struct trms_quiet {
    uint64_t signals;
    bool is_blocked;
};
void trms_quiet_begin(struct trms_quiet *quiet);
void trms_quiet_end(const struct trms_quiet *quiet);

/* activations.c: what trms_sync does where strands are many, and each kernel write does. */
void trms_epoch_end(struct trms_strand *strand);

/* activations.c: where samples are taken, what strands learn of each other's memory. */
void trms_look_around(struct trms_strand *strand);

/* A token of this strand, not the kernel's. */
APROF_INLINE bool trms_token_is_own(const struct trms_strand *strand, uint32_t token)
{
    const struct trms_tokens *tokens = &strand->world->tokens;
    uint32_t block = token >> TRMS_KIND_BITS >> tokens->block_log2;
    return TRMS_KIND(token) == TRMS_TOKEN_THREAD && tokens->owners[block] == strand->serial;
}

/* tokens.c: the strand's next token, in stamp; called when an epoch ends that has used one. */
void trms_token_next(struct trms_strand *strand);

/* ranges.c: a strand must keep nothing of what was recycled or forgotten, and has another epoch once
 * it was interrupted. To be called before anything is compared or written if it is behind; where
 * memory may be mapped. */
void trms_catch_up(struct trms_strand *strand);

/* A clock too narrow for the pending activations alone is wider for as long as they are so many. An eighth of it is
 * left for signal handlers, each of which may take a tick where times cannot be numbered anew (trms_catch_up):
 * 2^26 of them between two calls. */
APROF_INLINE void trms_time_limit_set(struct trms_strand *strand)
{
    uint64_t ticks = ((uint64_t)1 << strand->world->config.time_bits) - 1,
             limit = ticks - ticks / 8;
    uint64_t least = (uint32_t)strand->stamp / TRMS_TICK + limit / 4 + 2;
    strand->time_limit = TRMS_TICK * (uint32_t)(limit < least ? least : limit);
    strand->call_limit = 0;
}

/* How many activations are pending; and whether any is. */
APROF_INLINE size_t trms_depth(const struct trms_strand *strand)
{
    return (size_t)(strand->activation - strand->stack);
}

APROF_INLINE bool trms_is_pending(const struct trms_strand *strand)
{
    return strand->activation != strand->stack;
}

/* Both are the later of `synced` and a stamp. A signal handler's end may raise `synced`, and both words,
 * between any two instructions (trms_interrupted): then once more. */
APROF_INLINE void trms_floor_set(struct trms_strand *strand)
{
    uint32_t synced, top = strand->activation->stamp, parent = strand->activation[-1].stamp;
    do {
        synced = __atomic_load_n(&strand->synced, __ATOMIC_RELAXED);
        strand->floor = synced > top ? synced : top;
        strand->activation->near = synced > parent ? synced : parent;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (UNLIKELY(__atomic_load_n(&strand->synced, __ATOMIC_RELAXED) != synced));
}

/* contexts.c, where contexts are kept: after each call, before each return (`m` NULL: nothing
 * was measured), and in the life of a strand; gather is called with the lock, without pending
 * activations. */
void trms_contexts_call(struct trms_strand *strand, const struct routine_profile *profile,
                        bool measured);
void trms_contexts_return(struct trms_strand *strand, const struct measurement *m);
void trms_contexts_begin(struct trms_strand *strand);
void trms_contexts_gather(struct trms_strand *strand);
void trms_contexts_restart(struct trms_strand *strand);
void trms_contexts_end(struct trms_strand *strand);

/* core.c: a read of a cell that was last accessed at `time`, before the floor. Induced: n of them,
 * written by somebody else since, who has this token. */
void trms_count_fresh(struct trms_strand *strand, uint32_t time);
void trms_count_induced(struct trms_strand *strand, uint32_t time, uint32_t token, int64_t n);
struct trms_activation *trms_ancestor(struct trms_strand *strand, uint32_t time);

/* What trms_ancestor would find, if it is the one that it found last; else NULL. */
APROF_INLINE struct trms_activation *trms_ancestor_again(const struct trms_strand *strand,
                                                         uint32_t time)
{
    struct trms_activation *found = strand->found;
    bool is_it = found < strand->activation && found->stamp <= time && found[1].stamp > time;
    return is_it ? found : NULL;
}

/* What trms_ancestor would find of a time that is not 0, if that is one of the next few below the top, or the one that
 * was found last; else NULL. The strand itself has the earliest time. What is found is noted but for the caller, which code
 * that looks itself knows. */
#define TRMS_NEAR 8
APROF_INLINE struct trms_activation *trms_ancestor_near(struct trms_strand *strand, uint32_t time)
{
    struct trms_activation *at = strand->activation - 1;
    if (at->stamp <= time)
        return at;
    for (int i = 1; i < TRMS_NEAR; i++)
        if ((--at)->stamp <= time)
            return strand->found = at;
    return trms_ancestor_again(strand, time);
}

/* activations.c: the time that stands for `time` when all are numbered anew. */
uint32_t trms_time_renumbered(const struct trms_strand *strand, uint32_t time);

/* strands.c */
void trms_stack_grow(struct trms_strand *strand);

/* shadow.c: a strand's chunk of words, and the common chunk of tokens. trms_remember returns
 * its place. */
uint8_t trms_remember(struct trms_strand *strand, uint64_t index);
void trms_remembered_clear(struct trms_strand *strand);
void trms_remembered_drop(struct trms_strand *strand, uint8_t place);
uint32_t *trms_words_make(struct trms_strand *strand, uint64_t index);
uint32_t *trms_written_find(struct trms_world *world, uint64_t index);
uint32_t *trms_written_make(struct trms_world *world, uint64_t index);
void trms_strand_unmap(struct trms_strand *strand);
/* Calls `visit` for every chunk of written[] that exists. */
void trms_written_each(struct trms_world *world,
                       void (*visit)(void *context, uint32_t *tokens, uint64_t index),
                       void *context);
void trms_written_unmap(struct trms_world *world);

#endif
