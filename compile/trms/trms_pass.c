/* Adds code to a module that measures input sizes by inline checks.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * native/trms/shadow/words.h explains the words that the code checks. In C:
 *
 *     int f(int *p)                enter(&return address);
 *     {                            blocks++;                            in each block: trms_cost.c
 *         int x = *p;              if (ctx->direct_shadow[p & ctx->mask] < ctx->floor)
 *                                      read_1(p);                         x = *p;
 *         *p = x + 1;              ctx->direct_shadow[p & ctx->mask] = ctx->stamp;
 *                                  if (ctx->careful) write(p, 4);      *p = x + 1;
 *         return x;                leave(&return address); return x;
 *     }
 *
 * Accesses to bytes that were already accessed are not checked (trms_known.c). Wider accesses check
 * the words of all their cells; misaligned accesses call the runtime. The pass works on optimised
 * bitcode, so inlined code counts as part of its caller. The code between two calls is a region
 * without calls. In a region, the fields of the execution context that checks use do not change, so
 * each field is loaded once (trms_regions.c).
 */
#include "compile/ir/copy.h"
#include "compile/trms/trms_rows.h"
#include "compile/trms/trms_regions.h"
#include "compile/trms/trms_versions.h"

#include "ground/trms_words.h"
#include "lib/base/memory.h"
#include "lib/base/vector.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

/* Calls of memory functions are expanded up to this number of bytes. */
#define EXPANDED_MOST 64

/* Routines with more than WHOLE_MOST accesses get short checks; for accesses in loops, the limit is
 * WHOLE_MOST_IN_LOOPS. In routines with more than CHECKS_MOST accesses, all accesses become calls.
 * Before these limits existed, an interpreter's loop of 4697 accesses (duktape) became 51 419
 * blocks. The code generator took 100 s for these blocks (docs/measurements/compiled.md). */
#define WHOLE_MOST          16
#define WHOLE_MOST_IN_LOOPS 64
#define CHECKS_MOST         1000

struct values {
    LLVMValueRef *at;
    size_t count, room;
};

/* An original block, which may have been split into several blocks. */
struct piece {
    LLVMBasicBlockRef began, ended;
    size_t number; /* number of the block in the order of the routine's blocks */
    /* whether the block is reachable from itself or a later block, as in a loop */
    bool comes_again;
    /* whether the block lies between a loop's first block and a block that leads back to it */
    bool is_in_loop;
    enum checks_form form;
    /* whether the block needs no separate count, because it replaces other blocks */
    bool is_counted;
    bool is_bare; /* whether the block contains no code of the program */
    /* number of further blocks that are counted at the end of this block; NULL: no further
     * blocks */
    LLVMValueRef times;
};

struct pieces {
    struct piece *at;
    size_t count, room;
};

/* ---------------------------------------------------------------- Instructions */

static struct checked access_to(const struct measuring *to, LLVMValueRef pointer, LLVMTypeRef type,
                                unsigned alignment)
{
    return (struct checked){pointer, LLVMStoreSizeOfType(to->layout, type), alignment};
}

/* Returns whether the pointer points to memory of the program: it is not relative to %fs or %gs,
 * and its type has a size. */
static bool is_memory(const struct measuring *to, LLVMValueRef pointer, LLVMTypeRef type)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == 0 &&
           LLVMStoreSizeOfType(to->layout, type) > 0;
}

static void measure_load(struct measured *routine, LLVMValueRef load, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    LLVMTypeRef type = LLVMTypeOf(load);
    bool is_atomic = LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic;
    if (!is_memory(to, pointer, type) || checks_is_known(to, load))
        return;
    if (is_atomic || LLVMGetVolatile(load))
        checks_build_sync(routine, load);
    struct checked access = access_to(to, pointer, type, LLVMGetAlignment(load));
    checks_build_read(routine, &access, is_atomic ? next : load);
}

/* Measures a store. An atomic store ends an epoch; its write still belongs to this epoch
 * (native/base/atomics.c). */
static void measure_store(struct measured *routine, LLVMValueRef store)
{
    const struct measuring *to = routine->to;
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    if (!is_memory(to, pointer, type) || checks_is_known(to, store))
        return;
    struct checked access = access_to(to, pointer, type, LLVMGetAlignment(store));
    checks_build_write(routine, &access, store);
    if (LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(store))
        checks_build_sync(routine, store);
}

static void measure_modification(struct measured *routine, LLVMValueRef atomic)
{
    const struct measuring *to = routine->to;
    LLVMValueRef pointer = LLVMGetOperand(atomic, 0);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(atomic, 1));
    if (!is_memory(to, pointer, type))
        return;
    checks_build_sync(routine, atomic);
    struct checked access = access_to(to, pointer, type, LLVMGetAlignment(atomic));
    checks_build_read(routine, &access, atomic);
    checks_build_write(routine, &access, atomic);
    checks_build_sync(routine, atomic);
}

/* Measures a compare-and-exchange. The write is recorded after the exchange, because only the
 * result shows whether memory was written. */
static void measure_comparison(struct measured *routine, LLVMValueRef atomic, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef pointer = LLVMGetOperand(atomic, 0);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(atomic, 1));
    if (!is_memory(to, pointer, type))
        return;
    checks_build_sync(routine, atomic);
    struct checked access = access_to(to, pointer, type, LLVMGetAlignment(atomic));
    checks_build_read(routine, &access, atomic);
    LLVMValueRef address = checks_start(to, &access, next);
    LLVMValueRef done = LLVMBuildExtractValue(b, atomic, 1, "");
    LLVMBasicBlockRef rest = checks_cut_before(to, next), writes = checks_rare_block(routine);
    LLVMBuildCondBr(b, done, writes, rest);
    LLVMPositionBuilderAtEnd(b, writes);
    checks_build_call(to, TRMS_WORDS_WRITE, &access, address);
    LLVMBuildBr(b, rest);
}

/* ---------------------------------------------------------------- Calls */

static bool has_beginning(const char *name, const char *const *beginnings)
{
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

static const char *callee_name(LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = inst_direct_callee(call);
    return callee ? LLVMGetValueName2(callee, &length) : "";
}

static unsigned argument_alignment(LLVMValueRef call, unsigned argument)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
    LLVMAttributeRef found = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
    return found ? (unsigned)LLVMGetEnumAttributeValue(found) : 1;
}

/* Replaces the intrinsic by a call of the C library's function. The interposed function records its
 * accesses (native/trms/interpose/memory.c). */
static void call_instead(const struct measuring *to, LLVMValueRef intrinsic, const char *name,
                         bool fills)
{
    LLVMBuilderRef b = to->builder;
    LLVMTypeRef types[] = {to->pointer, fills ? to->half : to->pointer, to->word};
    LLVMTypeRef type = LLVMFunctionType(to->pointer, types, 3, false);
    LLVMValueRef callee = LLVMGetNamedFunction(to->module, name);
    LLVMPositionBuilderBefore(b, intrinsic);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(intrinsic));
    if (!callee)
        callee = LLVMAddFunction(to->module, name, type);
    callee = LLVMConstBitCast(callee, LLVMPointerType(type, 0));
    LLVMValueRef second = LLVMGetOperand(intrinsic, 1);
    LLVMValueRef arguments[] = {
        LLVMBuildBitCast(b, LLVMGetOperand(intrinsic, 0), to->pointer, ""),
        fills ? LLVMBuildZExt(b, second, to->half, "")
              : LLVMBuildBitCast(b, second, to->pointer, ""),
        LLVMBuildZExtOrBitCast(b, LLVMGetOperand(intrinsic, 2), to->word, "")};
    LLVMBuildCall2(b, type, callee, arguments, 3, "");
    LLVMInstructionEraseFromParent(intrinsic);
}

static uint64_t length_of(LLVMValueRef call)
{
    LLVMValueRef length = LLVMGetOperand(call, 2);
    return LLVMIsAConstantInt(length) ? LLVMConstIntGetZExtValue(length) : ~(uint64_t)0;
}

/* Returns whether this use of a memory function must be a call; with few bytes, the use is expanded
 * to inline code. */
static bool becomes_call(LLVMValueRef call, const char *name)
{
    uint64_t bytes = length_of(call);
    bool is_inline = strstr(name, ".inline.") && bytes != ~(uint64_t)0;
    return bytes > EXPANDED_MOST && !is_inline;
}

static void measure_memory_function(struct measured *routine, LLVMValueRef call, const char *name)
{
    const struct measuring *to = routine->to;
    bool fills = strncmp(name, "llvm.memset", 11) == 0, moves = name[8] == 'm' && name[9] == 'o';
    uint64_t bytes = length_of(call);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(call, 0))) || !bytes)
        return;
    if (LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)))
        checks_build_sync(routine, call);
    if (becomes_call(call, name)) {
        call_instead(to, call, fills ? "memset" : moves ? "memmove" : "memcpy", fills);
        checks_forget(routine);
        return;
    }
    struct checked written = {LLVMGetOperand(call, 0), bytes, argument_alignment(call, 0)};
    if (!fills) {
        struct checked read = {LLVMGetOperand(call, 1), bytes, argument_alignment(call, 1)};
        checks_build_read(routine, &read, call);
    }
    checks_build_write(routine, &written, call);
}

/* If the call is of an interposed library function, marks the call, so that the compiler does not
 * replace it by inline code. */
static void keep_library_call(const struct measuring *to, LLVMValueRef call)
{
    static const char *const beginnings[] = {"mem", "str", "stp", "bc", "bz", "wmem", "wcs", NULL};
    LLVMValueRef callee = inst_direct_callee(call);
    if (!callee || !LLVMIsDeclaration(callee) || !has_beginning(callee_name(call), beginnings))
        return;
    unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", strlen("nobuiltin"));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(to->context, kind, 0));
}

/* Returns whether inline assembly may synchronise: it has a locked instruction, or is declared to
 * change memory. On arm64, a locked instruction is an exclusive access (ldxr, stlxr), an atomic
 * instruction, an ordered access (ldar, stlr) or a barrier. */
static bool may_synchronise(LLVMValueRef asm_call)
{
    static const char *const of_amd64[] = {"~{memory}", "lock", "xchg", NULL};
    static const char *const of_arm64[] = {"~{memory}", "xr",    "xp",    "cas",   "swp",
                                           "ldadd",     "ldclr", "ldeor", "ldset", "ldar",
                                           "stlr",      "dmb",   NULL};
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(asm_call));
    bool is_amd64 = inst_is_amd64(LLVMGetGlobalParent(function)), may = false;
    char *text = LLVMPrintValueToString(LLVMGetCalledValue(asm_call));
    for (const char *const *part = is_amd64 ? of_amd64 : of_arm64; *part; part++)
        may |= strstr(text, *part) != NULL;
    LLVMDisposeMessage(text);
    return may;
}

static const char *const memory_functions[] = {"llvm.memcpy.", "llvm.memmove.", "llvm.memset.",
                                               NULL};

static void measure_call(struct measured *routine, LLVMValueRef call)
{
    const char *name = callee_name(call);
    if (has_beginning(name, memory_functions)) {
        measure_memory_function(routine, call, name);
        return;
    }
    if (inst_is_intrinsic_call(call))
        return;
    if (!LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
        inst_forget_promises(call);
        keep_library_call(routine->to, call);
        cost_give(routine, call);
        checks_forget(routine);
    } else if (may_synchronise(call)) {
        checks_build_sync(routine, call);
    }
}

/* ---------------------------------------------------------------- Blocks */

static void build_leave(struct measured *routine, LLVMValueRef end)
{
    end = inst_end_of_routine(end);
    cost_give(routine, end);
    LLVMPositionBuilderBefore(routine->to->builder, end);
    LLVMSetCurrentDebugLocation2(routine->to->builder, NULL);
    checks_build_about_slot(routine->to, TRMS_WORDS_LEAVE);
}

static void measure_instruction(struct measured *routine, LLVMValueRef at, LLVMValueRef next)
{
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        measure_load(routine, at, next);
        break;
    case LLVMStore:
        measure_store(routine, at);
        break;
    case LLVMAtomicRMW:
        measure_modification(routine, at);
        break;
    case LLVMAtomicCmpXchg:
        measure_comparison(routine, at, next);
        break;
    case LLVMFence:
        checks_build_sync(routine, at);
        break;
    case LLVMCall:
    case LLVMInvoke:
        measure_call(routine, at);
        break;
    case LLVMRet:
        build_leave(routine, at);
        break;
    case LLVMResume:
        cost_give(routine, at);
        break;
    default:
        break;
    }
}

static LLVMValueRef first_place(LLVMBasicBlockRef block, bool *is_pad)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMOpcode code = LLVMGetInstructionOpcode(at);
        *is_pad |= code == LLVMLandingPad;
        if (code != LLVMPHI && code != LLVMLandingPad && code != LLVMAlloca)
            return at;
    }
    return at;
}

/* Measures a block. `instructions` has space for all instructions of the block. Returns the block
 * that now contains the end of the original block. */
static LLVMBasicBlockRef measure_block(struct measured *routine, const struct piece *piece,
                                       struct values *instructions)
{
    LLVMBasicBlockRef block = piece->began;
    const struct measuring *to = routine->to;
    routine->form = piece->form;
    routine->is_in_loop = piece->is_in_loop;
    bool is_pad = false, is_entry = block == LLVMGetEntryBasicBlock(routine->function);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block), at = first_place(block, &is_pad);
    instructions->count = 0;
    for (LLVMValueRef i = at; i; i = LLVMGetNextInstruction(i))
        vector_push(instructions, i);
    LLVMPositionBuilderBefore(to->builder, at);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    if (is_entry)
        checks_build_about_slot(to, TRMS_WORDS_ENTER);
    if (is_pad)
        checks_build_about_slot(to, TRMS_WORDS_LAND);
    if (!piece->is_counted && (LLVMGetInstructionOpcode(end) != LLVMUnreachable || at != end))
        cost_count(routine, at, piece->comes_again);
    for (size_t i = 0; i < instructions->count; i++)
        measure_instruction(routine, instructions->at[i],
                            i + 1 < instructions->count ? instructions->at[i + 1] : NULL);
    return LLVMGetInstructionParent(end);
}

/* ---------------------------------------------------------------- Regions without calls */

/* Returns whether a region ends at this instruction. If so, the function that measures the
 * instruction discards the loaded fields. */
static bool ends_region(LLVMValueRef at)
{
    const char *name;
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
    case LLVMStore:
        return LLVMGetVolatile(at) || LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMCallBr:
    case LLVMInvoke:
        return true;
    case LLVMCall:
        name = callee_name(at);
        if (has_beginning(name, memory_functions))
            return becomes_call(at, name) || LLVMConstIntGetZExtValue(LLVMGetOperand(at, 3));
        if (inst_is_intrinsic_call(at))
            return false;
        return !LLVMIsAInlineAsm(LLVMGetCalledValue(at)) || may_synchronise(at);
    default:
        return false;
    }
}

static struct region_block survey_block(const struct piece *piece, size_t number)
{
    LLVMBasicBlockRef block = piece->began;
    struct region_block found = {.block = block, .number = number};
    if (piece->is_bare)
        return found;
    LLVMValueRef at = first_place(block, &found.begins), end = LLVMGetBasicBlockTerminator(block);
    for (; at; at = LLVMGetNextInstruction(at)) {
        LLVMOpcode code = LLVMGetInstructionOpcode(at);
        found.ends |= ends_region(at);
        found.loads.reads |= !found.ends && code == LLVMLoad;
        found.loads.writes |= !found.ends && code == LLVMStore;
    }
    found.ends_at_its_end = ends_region(end);
    return found;
}

/* Saves the loaded fields for later blocks of the current region. */
static void hand_over(struct measured *routine, struct region *region, LLVMValueRef end)
{
    LLVMPositionBuilderBefore(routine->to->builder, end);
    LLVMSetCurrentDebugLocation2(routine->to->builder, NULL);
    checks_load(routine, region->loads);
    region->loaded = routine->loaded;
}

static void measure_regions(struct measured *routine, const struct regions *regions,
                            struct pieces *pieces)
{
    struct values instructions = {0};
    for (size_t i = 0; i < regions->count; i++) {
        const struct region_block *block = &regions->blocks[i];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(block->block);
        routine->loaded = regions->regions[block->in].loaded;
        struct piece *piece = &pieces->at[block->number];
        if (piece->times)
            cost_count_many(routine, end, piece->times);
        piece->ended = piece->is_bare ? LLVMGetInstructionParent(end)
                                      : measure_block(routine, piece, &instructions);
        if (regions_begin_in(regions, i))
            hand_over(routine, &regions->regions[block->out], end);
    }
    vector_free(&instructions);
}

/* ---------------------------------------------------------------- Routines */

/* Moves stack variables to the first block, where their addresses are constant. */
static void gather_variables(const struct measuring *to, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef first = LLVMGetFirstInstruction(entry), next;
    while (LLVMGetInstructionOpcode(first) == LLVMAlloca)
        first = LLVMGetNextInstruction(first);
    for (LLVMValueRef at = first; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (LLVMGetInstructionOpcode(at) != LLVMAlloca || !LLVMIsConstant(LLVMGetOperand(at, 0)))
            continue;
        LLVMInstructionRemoveFromParent(at);
        LLVMPositionBuilderBefore(to->builder, first);
        LLVMInsertIntoBuilder(to->builder, at);
    }
}

static int compare_pieces(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return a->began < b->began ? -1 : a->began > b->began;
}

static int compare_numbers(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Searches the sorted list for the piece that begins with this block; returns NULL if there is
 * none. */
static struct piece *piece_of(const struct pieces *pieces, LLVMBasicBlockRef began)
{
    struct piece wanted = {.began = began};
    return bsearch(&wanted, pieces->at, pieces->count, sizeof wanted, compare_pieces);
}

/* Finds the blocks of loops. Assumes that the blocks of a loop are contiguous, as in optimised
 * code. */
static void find_loops(struct pieces *pieces)
{
    /* for each loop's first block, the number of the loop's last block + 1; 0 for other blocks */
    size_t *last = memory_get_zeroed(pieces->count, sizeof *last), ends = 0;
    qsort(pieces->at, pieces->count, sizeof *pieces->at, compare_pieces);
    for (size_t i = 0; i < pieces->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(pieces->at[i].began);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
            struct piece *next = piece_of(pieces, LLVMGetSuccessor(end, k));
            if (next->number > pieces->at[i].number)
                continue;
            next->comes_again = true;
            if (last[next->number] <= pieces->at[i].number)
                last[next->number] = pieces->at[i].number + 1;
        }
    }
    qsort(pieces->at, pieces->count, sizeof *pieces->at, compare_numbers);
    for (size_t i = 0; i < pieces->count; i++) {
        ends = ends > last[i] ? ends : last[i];
        pieces->at[i].is_in_loop = i < ends;
    }
    free(last);
}

/* Updates the incoming blocks of a phi, because the end of an original block may now be in another
 * block. */
static void update_phi(const struct measuring *to, LLVMValueRef phi, const struct pieces *pieces)
{
    LLVMPositionBuilderBefore(to->builder, phi);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMValueRef updated = LLVMBuildPhi(to->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        const struct piece *found = piece_of(pieces, from);
        LLVMBasicBlockRef end = found ? found->ended : from;
        LLVMAddIncoming(updated, &value, &end, 1);
    }
    LLVMReplaceAllUsesWith(phi, updated);
    LLVMInstructionEraseFromParent(phi);
}

static void update_phis(const struct measuring *to, struct pieces *pieces)
{
    qsort(pieces->at, pieces->count, sizeof *pieces->at, compare_pieces);
    for (size_t i = 0; i < pieces->count; i++) {
        LLVMValueRef at = LLVMGetFirstInstruction(pieces->at[i].began), next;
        for (; at && LLVMGetInstructionOpcode(at) == LLVMPHI; at = next) {
            next = LLVMGetNextInstruction(at);
            update_phi(to, at, pieces);
        }
    }
}

/* Prevents inlining of a function, also by the linker's optimiser. */
static void keep_out_of_line(const struct measuring *to, LLVMValueRef function)
{
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    unsigned never = LLVMGetEnumAttributeKindForName("noinline", strlen("noinline"));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, always);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(to->context, never, 0));
}

/* Splits the first block after its stack variables; the first block then has no terminator. */
static LLVMBasicBlockRef cut_variables(const struct measuring *to, LLVMValueRef function)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMValueRef behind = LLVMGetFirstInstruction(entry);
    struct pieces pieces = {0};
    while (LLVMGetInstructionOpcode(behind) == LLVMAlloca)
        behind = LLVMGetNextInstruction(behind);
    LLVMBasicBlockRef rest = inst_split_block(to->builder, behind);
    vector_push(&pieces, ((struct piece){.began = entry, .ended = rest}));
    for (LLVMBasicBlockRef at = rest; at; at = LLVMGetNextBasicBlock(at))
        vector_push(&pieces, ((struct piece){.began = at, .ended = at}));
    update_phis(to, &pieces);
    vector_free(&pieces);
    return rest;
}

static size_t count_checks(const struct measuring *to, LLVMBasicBlockRef block)
{
    size_t n = 0;
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
        n += (LLVMIsALoadInst(at) || LLVMIsAStoreInst(at)) && !checks_is_marked(to, at);
    return n;
}

static enum checks_form form_of(size_t checks, bool is_in_loop)
{
    if (checks > CHECKS_MOST)
        return CHECKS_CALLS;
    return checks <= (is_in_loop ? WHOLE_MOST_IN_LOOPS : WHOLE_MOST) ? CHECKS_WHOLE : CHECKS_SHORT;
}

static void choose_forms(const struct measuring *to, struct pieces *pieces)
{
    size_t n = 0;
    for (size_t i = 0; i < pieces->count; i++)
        n += count_checks(to, pieces->at[i].began);
    for (size_t i = 0; i < pieces->count; i++)
        pieces->at[i].form = form_of(n, pieces->at[i].is_in_loop);
}

static void measure_blocks(const struct measuring *to, LLVMValueRef function, struct pieces *pieces)
{
    struct measured routine = {.to = to, .function = function};
    struct region_block *blocks = memory_get_zeroed(pieces->count, sizeof *blocks);
    struct regions regions;
    choose_forms(to, pieces);
    cost_start(&routine);
    for (size_t i = 0; i < pieces->count; i++)
        blocks[i] = survey_block(&pieces->at[i], i);
    regions_find(&regions, blocks, pieces->count);
    measure_regions(&routine, &regions, pieces);
    cost_end(&routine);
    update_phis(to, pieces);
    regions_free(&regions);
    free(blocks);
}

/* Hoists range checks out of loops. */
static void take_rows_out(const struct measuring *to, struct pieces *pieces)
{
    rows_blocks made = {0};
    for (size_t i = 0; i < pieces->count; i++)
        rows_take_out(to, pieces->at[i].began, &made);
    for (size_t i = 0; i < made.count; i++) {
        struct piece piece = {.began = made.at[i].block,
                              .number = pieces->count,
                              .is_counted = true,
                              .is_bare = made.at[i].is_bare,
                              .times = made.at[i].times};
        vector_push(pieces, piece);
    }
    vector_free(&made);
}

/* Makes a separate function for the measured version, and returns this function. */
static LLVMValueRef part_versions(const struct measuring *to, LLVMValueRef function)
{
    LLVMValueRef measured = inst_clone_function(function);
    versions_part(to, function, cut_variables(to, function), measured);
    keep_out_of_line(to, function);
    return measured;
}

static void begin_at(const struct measuring *to, LLVMValueRef function, LLVMBasicBlockRef first)
{
    LLVMPositionBuilderAtEnd(to->builder, LLVMGetEntryBasicBlock(function));
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMBuildBr(to->builder, first);
}

/* Measures a routine if clang has marked it with sanitize_thread. */
static void measure_routine(const void *measuring, LLVMValueRef function)
{
    const struct measuring *to = measuring;
    struct pieces pieces = {0};
    if (!inst_has_attribute(function, "sanitize_thread"))
        return;
    bool has_two = to->in_two_versions && versions_are_possible(function);
    bool parts = has_two && versions_can_part(function);
    checks_narrow(to, function);
    checks_mark_known(to, function);
    gather_variables(to, function);
    if (parts)
        function = part_versions(to, function);
    LLVMBasicBlockRef first =
        has_two ? cut_variables(to, function) : LLVMGetFirstBasicBlock(function);
    for (LLVMBasicBlockRef at = first; at; at = LLVMGetNextBasicBlock(at))
        vector_push(&pieces, ((struct piece){.began = at, .number = pieces.count}));
    find_loops(&pieces);
    if (parts)
        begin_at(to, function, first);
    else if (has_two)
        versions_make(to, function, first);
    take_rows_out(to, &pieces);
    measure_blocks(to, function, &pieces);
    keep_out_of_line(to, function);
    vector_free(&pieces);
}

/* ---------------------------------------------------------------- Modules */

static struct measuring start_module(LLVMModuleRef module)
{
    struct measuring to = {.module = module, .context = LLVMGetModuleContext(module)};
    to.builder = LLVMCreateBuilderInContext(to.context);
    to.layout = LLVMGetModuleDataLayout(module);
    to.word = LLVMInt64TypeInContext(to.context);
    to.half = LLVMInt32TypeInContext(to.context);
    to.byte = LLVMInt8TypeInContext(to.context);
    to.pointer = LLVMPointerType(to.byte, 0);
    to.nothing = LLVMVoidTypeInContext(to.context);
    to.ctx = checks_exec_context_variable(&to);
    to.on_arm64 = !inst_is_amd64(module);
    return to;
}

static void measure_module(LLVMModuleRef module, bool in_two_versions)
{
    if (!LLVMGetFirstFunction(module))
        return;
    struct measuring to = start_module(module);
    to.in_two_versions = in_two_versions;
    inst_mark(module, TRMS_WORDS_MARK);
    if (in_two_versions)
        inst_mark(module, TRMS_WORDS_MARK_TWO);
    inst_change_routines(module, measure_routine, &to);
    LLVMDisposeBuilder(to.builder);
}

void inst_measure_inputs(LLVMModuleRef module)
{
    measure_module(module, false);
}

void inst_measure_samples(LLVMModuleRef module)
{
    measure_module(module, true);
}
