/* Finds accesses that need no inline check, because an earlier access has covered their bytes.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * On every path to a known access, an earlier access of the same activation has accessed the same
 * bytes, with no synchronisation in between.
 *
 *     int f(int *p, int c)      a read of p[0]: checked
 *     {
 *         int x = p[0];
 *         if (c)
 *             x += p[0];        known
 *         else
 *             g();              discards all facts: g may synchronise
 *         return x + p[0];      checked, because a path goes through g
 *     }
 *
 * A fact says that the bytes from `offset` on, counted from `base`, were accessed or written. If
 * these bytes were written, later writes to them are also known. A fact is available at an
 * instruction if it holds on every path to the instruction (the classical forward analysis of
 * available expressions). A base is a value of the program. The definition of a base comes before
 * each fact about the base. So facts of an earlier iteration are not available once the base has a
 * new value.
 */
#include "compile/trms/trms_checks.h"

#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <string.h>

/* If a routine's sets of facts need more bits than this number, the routine keeps all its
 * checks. */
#define MOST_BITS ((size_t)1 << 28)

struct fact {
    LLVMValueRef base;
    int64_t offset;
    uint64_t bytes;
    bool written;
};

struct flow {
    LLVMBasicBlockRef block;
    uint64_t *out;  /* set of facts at the end of the block */
    uint64_t *made; /* set of facts since the last synchronisation in the block */
    bool forgets;
};

struct known_facts {
    const struct measuring *to;
    VECTOR(struct fact) facts;
    VECTOR(struct flow) flows;
    size_t words; /* number of words in a set */
};

static unsigned mark_of(const struct measuring *to)
{
    static const char name[] = "aprof.known";
    return LLVMGetMDKindIDInContext(to->context, name, sizeof name - 1);
}

void checks_mark(const struct measuring *to, LLVMValueRef access)
{
    LLVMSetMetadata(access, mark_of(to), LLVMMDNodeInContext(to->context, NULL, 0));
}

/* ---------------------------------------------------------------- Accesses */

/* Returns whether the access is a load or store that cannot synchronise: neither volatile nor
 * atomic. */
static bool is_plain(LLVMValueRef access)
{
    return (LLVMIsALoadInst(access) || LLVMIsAStoreInst(access)) && !LLVMGetVolatile(access) &&
           LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static struct fact fact_of(const struct measuring *to, LLVMValueRef access)
{
    bool writes = LLVMIsAStoreInst(access) != NULL;
    LLVMValueRef pointer = LLVMGetOperand(access, writes);
    LLVMTypeRef type = LLVMTypeOf(writes ? LLVMGetOperand(access, 0) : access);
    struct fact fact = {.bytes = LLVMStoreSizeOfType(to->layout, type), .written = writes};
    fact.base = checks_find_base(to, pointer, &fact.offset);
    return fact;
}

/* Returns whether an instruction may synchronise: true except for arithmetic, plain accesses, and
 * intrinsics that become neither calls nor fences. */
static bool may_synchronise(LLVMValueRef at)
{
    if (LLVMIsALoadInst(at) || LLVMIsAStoreInst(at))
        return !is_plain(at);
    if (LLVMIsACallInst(at)) {
        size_t length;
        LLVMValueRef callee = inst_direct_callee(at);
        const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
        return !inst_is_intrinsic_call(at) || strncmp(name, "llvm.mem", 8) == 0;
    }
    LLVMOpcode code = LLVMGetInstructionOpcode(at);
    return code == LLVMInvoke || code == LLVMCallBr || code == LLVMFence || code == LLVMAtomicRMW ||
           code == LLVMAtomicCmpXchg;
}

/* ---------------------------------------------------------------- Facts */

static bool covers(const struct fact *known, const struct fact *asked)
{
    return known->base == asked->base && known->offset <= asked->offset &&
           known->offset + (int64_t)known->bytes >= asked->offset + (int64_t)asked->bytes &&
           (known->written || !asked->written);
}

static bool is_same(const struct fact *a, const struct fact *b)
{
    return covers(a, b) && covers(b, a);
}

static size_t number_of(const struct known_facts *known_facts, const struct fact *fact)
{
    size_t i = 0;
    while (i < known_facts->facts.count && !is_same(&known_facts->facts.at[i], fact))
        i++;
    return i;
}

static bool has(const uint64_t *set, size_t i)
{
    return set[i / 64] >> i % 64 & 1;
}

static bool is_known(const struct known_facts *known_facts, const uint64_t *set,
                     const struct fact *fact)
{
    for (size_t i = 0; i < known_facts->facts.count; i++)
        if (has(set, i) && covers(&known_facts->facts.at[i], fact))
            return true;
    return false;
}

/* Walks through a block with the available facts; marks known accesses if requested. */
static bool pass_block(const struct known_facts *known_facts, LLVMBasicBlockRef block,
                       uint64_t *set, bool marks)
{
    bool forgets = false;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
        if (may_synchronise(at)) {
            forgets = true;
            memset(set, 0, known_facts->words * sizeof *set);
        }
        if (!is_plain(at))
            continue;
        struct fact fact = fact_of(known_facts->to, at);
        size_t i = number_of(known_facts, &fact);
        if (marks && is_known(known_facts, set, &fact))
            checks_mark(known_facts->to, at);
        set[i / 64] |= (uint64_t)1 << i % 64;
    }
    return forgets;
}

static void list_facts(struct known_facts *known_facts, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        vector_push(&known_facts->flows, ((struct flow){.block = block}));
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
             at = LLVMGetNextInstruction(at)) {
            if (!is_plain(at))
                continue;
            struct fact fact = fact_of(known_facts->to, at);
            if (number_of(known_facts, &fact) == known_facts->facts.count)
                vector_push(&known_facts->facts, fact);
        }
    }
}

/* ---------------------------------------------------------------- Ways */

static int compare_flows(const void *left, const void *right)
{
    const struct flow *a = left, *b = right;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* Computes the available facts `in` at the beginning of each block. Initially, all facts are
 * available, except at the routine's entry, where no fact is available. */
static void flow_on(const struct known_facts *known_facts, const struct flow *from, uint64_t *in,
                    bool *changed)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from->block);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        struct flow key = {.block = LLVMGetSuccessor(end, s)};
        const struct flow *to = bsearch(&key, known_facts->flows.at, known_facts->flows.count,
                                        sizeof key, compare_flows);
        uint64_t *set = in + (size_t)(to - known_facts->flows.at) * known_facts->words;
        for (size_t w = 0; w < known_facts->words; w++) {
            uint64_t met = set[w] & from->out[w];
            *changed |= met != set[w];
            set[w] = met;
        }
    }
}

static void find_available(struct known_facts *known_facts, LLVMValueRef function, uint64_t *in)
{
    size_t n = known_facts->flows.count, words = known_facts->words;
    memset(in, 0xff, n * words * sizeof *in);
    for (size_t b = 0; b < n; b++) {
        struct flow *flow = &known_facts->flows.at[b];
        if (flow->block == LLVMGetEntryBasicBlock(function))
            memset(in + b * words, 0, words * sizeof *in);
        flow->made = memory_get_zeroed(words, sizeof *flow->made);
        flow->out = memory_get_zeroed(words, sizeof *flow->out);
        flow->forgets = pass_block(known_facts, flow->block, flow->made, false);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < n; b++) {
            struct flow *flow = &known_facts->flows.at[b];
            for (size_t w = 0; w < words; w++)
                flow->out[w] = flow->made[w] | (flow->forgets ? 0 : in[b * words + w]);
            flow_on(known_facts, flow, in, &changed);
        }
    }
}

/* ---------------------------------------------------------------- Routines */

void checks_mark_known(const struct measuring *to, LLVMValueRef function)
{
    struct known_facts known_facts = {.to = to};
    list_facts(&known_facts, function);
    size_t n = known_facts.flows.count;
    known_facts.words = (known_facts.facts.count + 63) / 64;
    if (known_facts.facts.count && n * known_facts.words < MOST_BITS / 64) {
        uint64_t *in = memory_get_zeroed(n * known_facts.words, sizeof *in);
        qsort(known_facts.flows.at, n, sizeof *known_facts.flows.at, compare_flows);
        find_available(&known_facts, function, in);
        for (size_t b = 0; b < n; b++)
            pass_block(&known_facts, known_facts.flows.at[b].block, in + b * known_facts.words,
                       true);
        free(in);
    }
    for (size_t b = 0; b < n; b++) {
        free(known_facts.flows.at[b].made);
        free(known_facts.flows.at[b].out);
    }
    vector_free(&known_facts.facts);
    vector_free(&known_facts.flows);
}

bool checks_is_marked(const struct measuring *to, LLVMValueRef access)
{
    return LLVMGetMetadata(access, mark_of(to)) != NULL;
}

bool checks_is_known(const struct measuring *to, LLVMValueRef access)
{
    bool is = checks_is_marked(to, access);
    if (is)
        LLVMSetMetadata(access, mark_of(to), NULL);
    return is;
}
