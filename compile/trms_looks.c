/* The looks that an access has at its cells' words, and calls where they do not suffice.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is loaded within a look's branches would not be known behind them: so loads of what stays the same
 * within a stretch stand before.
 */
#include "compile/trms_looks.h"

#include "ground/trms_words.h"

#include <string.h>

/* ---------------------------------------------------------------- Pieces of code */

LLVMValueRef looks_number(const struct measuring *to, uint64_t value)
{
    return LLVMConstInt(to->word, value, false);
}

LLVMValueRef looks_strand_variable(const struct measuring *to)
{
    return inst_thread_variable(to->module, TRMS_WORDS_STRAND, to->pointer);
}

LLVMValueRef looks_place(const struct measuring *to, LLVMValueRef base, uint64_t offset,
                         LLVMTypeRef type)
{
    LLVMValueRef bytes = looks_number(to, offset);
    LLVMValueRef moved = LLVMBuildGEP2(to->builder, to->byte, base, &bytes, 1, "");
    return LLVMBuildBitCast(to->builder, moved, LLVMPointerType(type, 0), "");
}

void looks_forget(struct measured *routine)
{
    routine->loaded = (struct loaded){0};
}

LLVMValueRef looks_strand(struct measured *routine)
{
    const struct measuring *to = routine->to;
    if (!routine->loaded.strand)
        routine->loaded.strand = LLVMBuildLoad2(to->builder, to->pointer, to->strand, "");
    return routine->loaded.strand;
}

/* A field of the strand, which is kept in *known for the stretch. */
static LLVMValueRef field_of(struct measured *routine, LLVMValueRef *known, uint64_t offset,
                             LLVMTypeRef type)
{
    const struct measuring *to = routine->to;
    if (!*known)
        *known = LLVMBuildLoad2(to->builder, type,
                                looks_place(to, looks_strand(routine), offset, type), "");
    return *known;
}

/* Whether the module may become part of a shared library. There the linker's first call of a function
 * of the executable would go through code that changes registers; in an executable the calls are
 * direct ones, and no register has to hold where they lead to. */
static bool is_for_libraries(LLVMModuleRef module)
{
    static const char pic[] = "PIC Level", pie[] = "PIE Level";
    return LLVMGetModuleFlag(module, pic, sizeof pic - 1) &&
           !LLVMGetModuleFlag(module, pie, sizeof pie - 1);
}

static LLVMValueRef function_of(const struct measuring *to, const char *name, LLVMTypeRef type,
                                LLVMCallConv convention)
{
    LLVMValueRef function = LLVMGetNamedFunction(to->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(to->module, name, type);
    LLVMSetFunctionCallConv(function, convention);
    if (is_for_libraries(to->module))
        inst_add_promise(function, "nonlazybind");
    inst_add_promise(function, "nounwind");
    return function;
}

static LLVMValueRef build_call_for(const struct measuring *to, const char *name,
                                   LLVMCallConv convention, LLVMTypeRef result,
                                   LLVMValueRef *arguments, unsigned n)
{
    LLVMTypeRef types[2] = {to->word, to->word};
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    LLVMValueRef callee = function_of(to, name, type, convention);
    LLVMValueRef call = LLVMBuildCall2(to->builder, type, callee, arguments, n, "");
    LLVMSetInstructionCallConv(call, convention);
    return call;
}

static void build_call(const struct measuring *to, const char *name, LLVMCallConv convention,
                       LLVMValueRef *arguments, unsigned n)
{
    build_call_for(to, name, convention, to->nothing, arguments, n);
}

#define ORDINARY        LLVMCCallConv
#define KEEPS_REGISTERS LLVMPreserveAllCallConv

/* Looked at in place, if aligned. */
#define WIDEST 64

/* The place of the routine's return address. */
static LLVMValueRef build_slot(const struct measuring *to)
{
    const char *name = "llvm.addressofreturnaddress";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = to->pointer;
    LLVMValueRef asks = LLVMGetIntrinsicDeclaration(to->module, id, &type, 1);
    type = LLVMIntrinsicGetType(to->context, id, &type, 1);
    LLVMValueRef slot = LLVMBuildCall2(to->builder, type, asks, NULL, 0, "");
    return LLVMBuildPtrToInt(to->builder, slot, to->word, "");
}

void looks_build_about_slot(const struct measuring *to, const char *name)
{
    LLVMValueRef slot = build_slot(to);
    build_call(to, name, ORDINARY, &slot, 1);
}

LLVMValueRef looks_build_choice(const struct measuring *to, LLVMValueRef toss)
{
    LLVMValueRef arguments[] = {build_slot(to), LLVMBuildPtrToInt(to->builder, toss, to->word, "")};
    return build_call_for(to, TRMS_WORDS_CHOOSE, ORDINARY, to->half, arguments, 2);
}

/* ---------------------------------------------------------------- Branches */

LLVMBasicBlockRef looks_cut_before(const struct measuring *to, LLVMValueRef next)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(next);
    LLVMBasicBlockRef rest = inst_split_block(to->builder, next);
    LLVMPositionBuilderAtEnd(to->builder, block);
    return rest;
}

static LLVMBasicBlockRef block_before(const struct measuring *to, LLVMBasicBlockRef block)
{
    return LLVMInsertBasicBlockInContext(to->context, block, "");
}

LLVMBasicBlockRef looks_rare_block(const struct measured *routine)
{
    return LLVMAppendBasicBlockInContext(routine->to->context, routine->function, "");
}

/* ---------------------------------------------------------------- Accesses */

/* The word of the cell that has this address. */
static LLVMValueRef build_word(struct measured *routine, LLVMValueRef address)
{
    const struct measuring *to = routine->to;
    LLVMValueRef window =
        field_of(routine, &routine->loaded.window, TRMS_WORDS_WINDOW, to->pointer);
    LLVMValueRef mask = field_of(routine, &routine->loaded.mask, TRMS_WORDS_MASK, to->word);
    LLVMValueRef offset = LLVMBuildAnd(to->builder, address, mask, "");
    LLVMValueRef word = LLVMBuildGEP2(to->builder, to->byte, window, &offset, 1, "");
    return LLVMBuildBitCast(to->builder, word, LLVMPointerType(to->half, 0), "");
}

/* It begins with a cell, or lies in one, as far as the compiler knows. */
static bool is_aligned(const struct looked *access)
{
    return access->alignment >= 4 || access->bytes <= access->alignment;
}

static unsigned words_of(const struct looked *access)
{
    unsigned n = (unsigned)((access->bytes + 3) / 4);
    return is_aligned(access) || access->bytes == 1 ? n : n + 1;
}

/* One of the words: of aligned accesses they follow each other; else the last one is that of the
 * last byte, which may be that before it. */
static LLVMValueRef build_nth_word(struct measured *routine, const struct looked *access,
                                   LLVMValueRef address, LLVMValueRef first, unsigned i)
{
    const struct measuring *to = routine->to;
    uint64_t skipped = 4 * (uint64_t)i;
    if (!i)
        return first;
    if (is_aligned(access))
        return looks_place(to, LLVMBuildBitCast(to->builder, first, to->pointer, ""), skipped,
                           to->half);
    skipped = skipped < access->bytes ? skipped : access->bytes - 1;
    return build_word(routine, LLVMBuildAdd(to->builder, address, looks_number(to, skipped), ""));
}

/* Not aligned, although the compiler believes so; NULL: that makes no difference. */
static LLVMValueRef build_is_astray(const struct measuring *to, const struct looked *access,
                                    LLVMValueRef address)
{
    if (access->bytes == 1 || !is_aligned(access))
        return NULL;
    LLVMValueRef low = looks_number(to, access->bytes == 2 ? 1 : 3);
    return LLVMBuildAnd(to->builder, address, low, "");
}

void looks_build_call(const struct measuring *to, const char *name, const struct looked *access,
                      LLVMValueRef address)
{
    LLVMValueRef arguments[] = {address, looks_number(to, access->bytes)};
    build_call(to, name, KEEPS_REGISTERS, arguments, 2);
}

/* What an access calls if its words do not suffice. */
static void build_slowly(const struct measuring *to, const struct looked *access, bool writes,
                         LLVMValueRef address)
{
    static const struct {
        uint64_t bytes;
        const char *names[2];
    } functions[] = {{1, {TRMS_WORDS_READ_1, TRMS_WORDS_WRITE_1}},
                     {2, {TRMS_WORDS_READ_2, TRMS_WORDS_WRITE_2}},
                     {4, {TRMS_WORDS_READ_4, TRMS_WORDS_WRITE_4}},
                     {8, {TRMS_WORDS_READ_8, TRMS_WORDS_WRITE_8}},
                     {16, {TRMS_WORDS_READ_16, TRMS_WORDS_WRITE_16}}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].bytes == access->bytes && is_aligned(access)) {
            build_call(to, functions[i].names[writes], KEEPS_REGISTERS, &address, 1);
            return;
        }
    looks_build_call(to, writes ? TRMS_WORDS_WRITE : TRMS_WORDS_READ, access, address);
}

void looks_load(struct measured *routine, struct loads loads)
{
    const struct measuring *to = routine->to;
    if (!loads.reads && !loads.writes)
        return;
    field_of(routine, &routine->loaded.window, TRMS_WORDS_WINDOW, to->pointer);
    field_of(routine, &routine->loaded.mask, TRMS_WORDS_MASK, to->word);
    if (loads.reads)
        field_of(routine, &routine->loaded.floor, TRMS_WORDS_FLOOR, to->half);
    if (loads.writes)
        field_of(routine, &routine->loaded.stamp, TRMS_WORDS_STAMP, to->half);
}

LLVMValueRef looks_start(const struct measuring *to, const struct looked *access, LLVMValueRef next)
{
    LLVMPositionBuilderBefore(to->builder, next);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    return LLVMBuildPtrToInt(to->builder, access->pointer, to->word, "");
}

/* One value in each of the words. */
static LLVMValueRef build_many(const struct measuring *to, LLVMValueRef value, unsigned n)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef zero = LLVMConstInt(to->half, 0, false);
    LLVMTypeRef many = LLVMVectorType(to->half, n);
    LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetUndef(many), value, zero, "");
    return LLVMBuildShuffleVector(b, first, LLVMGetUndef(many), LLVMConstNull(many), "");
}

static LLVMValueRef build_first_of(const struct measuring *to, LLVMValueRef word, unsigned n)
{
    LLVMTypeRef many = LLVMVectorType(to->half, n);
    return LLVMBuildBitCast(to->builder, word, LLVMPointerType(many, 0), "");
}

static LLVMValueRef load_many(const struct measuring *to, LLVMValueRef first, unsigned n)
{
    LLVMTypeRef many = LLVMVectorType(to->half, n);
    LLVMValueRef words = LLVMBuildLoad2(to->builder, many, build_first_of(to, first, n), "");
    LLVMSetAlignment(words, 4);
    return words;
}

/* All four words at once: is none of them old? */
static LLVMValueRef build_four_are_fine(struct measured *routine, LLVMValueRef first)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMTypeRef bits = LLVMIntTypeInContext(to->context, 4);
    LLVMValueRef words = load_many(to, first, 4);
    LLVMValueRef floors = build_many(to, routine->loaded.floor, 4);
    LLVMValueRef old = LLVMBuildICmp(b, LLVMIntULT, words, floors, "");
    old = LLVMBuildBitCast(b, old, bits, "");
    return LLVMBuildICmp(b, LLVMIntEQ, old, LLVMConstInt(bits, 0, false), "");
}

static LLVMValueRef build_field(struct measured *routine, LLVMTypeRef type, uint64_t offset)
{
    const struct measuring *to = routine->to;
    return LLVMBuildLoad2(to->builder, type, looks_place(to, looks_strand(routine), offset, type),
                          "");
}

static void build_add(const struct measuring *to, LLVMValueRef base, uint64_t offset, int64_t n)
{
    LLVMValueRef at = looks_place(to, base, offset, to->word);
    LLVMValueRef old = LLVMBuildLoad2(to->builder, to->word, at, "");
    LLVMValueRef sum = LLVMBuildAdd(to->builder, old, looks_number(to, (uint64_t)n), "");
    LLVMBuildStore(to->builder, sum, at);
}

/* The words of a read, some of which are below the floor: if they are alike, and none below `near`,
 * the cells are new to this activation, and to no other one. */
static void build_nearly_known(struct measured *routine, LLVMValueRef first, unsigned n,
                               LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef counts = looks_rare_block(routine), slow = looks_rare_block(routine);
    LLVMValueRef word = LLVMBuildLoad2(b, to->half, first, "");
    LLVMValueRef near = build_field(routine, to->half, TRMS_WORDS_NEAR);
    LLVMValueRef is_near = LLVMBuildICmp(b, LLVMIntUGE, word, near, "");
    if (n > 1) {
        LLVMTypeRef bits = LLVMIntTypeInContext(to->context, 32 * n);
        LLVMValueRef words = LLVMBuildBitCast(b, load_many(to, first, n), bits, "");
        LLVMValueRef alike = LLVMBuildBitCast(b, build_many(to, word, n), bits, "");
        alike = LLVMBuildICmp(b, LLVMIntEQ, words, alike, "");
        is_near = LLVMBuildAnd(b, is_near, alike, "");
    }
    inst_build_likely(b, is_near, counts, slow);
    LLVMPositionBuilderAtEnd(b, counts);
    LLVMValueRef state = LLVMBuildAnd(b, word, LLVMConstInt(to->half, TRMS_WORDS_STATE, false), "");
    LLVMValueRef now = build_field(routine, to->half, TRMS_WORDS_STAMP);
    now = LLVMBuildOr(b, now, state, "");
    LLVMValueRef store = LLVMBuildStore(b, n > 1 ? build_many(to, now, n) : now,
                                        n > 1 ? build_first_of(to, first, n) : first);
    LLVMSetAlignment(store, 4);
    LLVMValueRef activation = build_field(routine, to->pointer, TRMS_WORDS_ACTIVATION);
    build_add(to, activation, TRMS_WORDS_RMS, (int64_t)n);
    build_add(to, activation, (uint64_t)TRMS_WORDS_RMS_OF_CALLER, -(int64_t)n);
    LLVMBuildBr(b, rest);
    LLVMPositionBuilderAtEnd(b, slow);
}

/* Looks at the words, from where the builder is. */
static void build_looks(struct measured *routine, const struct looked *access, LLVMValueRef address,
                        LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef slow = looks_rare_block(routine);
    LLVMValueRef first = build_word(routine, address);
    unsigned n = words_of(access), alike = is_aligned(access) ? n : 0;
    if (alike == 4) {
        inst_build_likely(b, build_four_are_fine(routine, first), rest, slow);
        n = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = build_nth_word(routine, access, address, first, i);
        LLVMValueRef word = LLVMBuildLoad2(b, to->half, at, "");
        LLVMBasicBlockRef fine = i + 1 < n ? block_before(to, rest) : rest;
        inst_build_likely(b, LLVMBuildICmp(b, LLVMIntUGE, word, routine->loaded.floor, ""), fine,
                          slow);
        LLVMPositionBuilderAtEnd(b, fine);
    }
    LLVMPositionBuilderAtEnd(b, slow);
    if (alike && !(alike & (alike - 1)))
        build_nearly_known(routine, first, alike, rest);
    build_slowly(to, access, false, address);
    LLVMBuildBr(b, rest);
}

/* The time into the words of a write, and what they were: one word or vector, or in pieces. */
struct stored {
    LLVMValueRef old[TRMS_WORDS_MOST / 4 + 1];
    unsigned n;     /* pieces */
    unsigned lanes; /* of each */
};

static struct stored build_stores(struct measured *routine, const struct looked *access,
                                  LLVMValueRef address)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef first = build_word(routine, address), at[TRMS_WORDS_MOST / 4 + 1];
    struct stored stored = {.n = words_of(access), .lanes = 1};
    if (stored.n > 1 && is_aligned(access)) {
        LLVMValueRef words = build_first_of(to, first, stored.n);
        stored.old[0] = load_many(to, first, stored.n);
        LLVMValueRef stamps = build_many(to, routine->loaded.stamp, stored.n);
        LLVMSetAlignment(LLVMBuildStore(b, stamps, words), 4);
        stored.lanes = stored.n;
        stored.n = 1;
        return stored;
    }
    for (unsigned i = 0; i < stored.n; i++) {
        at[i] = build_nth_word(routine, access, address, first, i);
        stored.old[i] = LLVMBuildLoad2(b, to->half, at[i], "");
    }
    for (unsigned i = 0; i < stored.n; i++)
        LLVMBuildStore(b, routine->loaded.stamp, at[i]);
    return stored;
}

/* Bits of the words as they were that say that a careful strand must tell of a write; in one number.
 * Looked up here: a signal handler may have raised it. */
static LLVMValueRef build_not_own(struct measured *routine, const struct stored *stored)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef synced = LLVMBuildLoad2(
        b, to->half, looks_place(to, looks_strand(routine), TRMS_WORDS_SYNCED, to->half), "");
    LLVMSetVolatile(synced, true);
    LLVMValueRef mask = LLVMConstInt(to->half, TRMS_WORDS_NOT_OWN, false), all = NULL;
    if (stored->lanes > 1) {
        LLVMValueRef masks[TRMS_WORDS_MOST / 4 + 1];
        for (unsigned i = 0; i < stored->lanes; i++)
            masks[i] = mask;
        LLVMTypeRef bits = LLVMIntTypeInContext(to->context, 32 * stored->lanes);
        all = LLVMBuildSub(b, stored->old[0], build_many(to, synced, stored->lanes), "");
        all = LLVMBuildAnd(b, all, LLVMConstVector(masks, stored->lanes), "");
        return LLVMBuildBitCast(b, all, bits, "");
    }
    for (unsigned i = 0; i < stored->n; i++) {
        LLVMValueRef since = LLVMBuildSub(b, stored->old[i], synced, "");
        all = all ? LLVMBuildOr(b, all, since, "") : since;
    }
    return LLVMBuildAnd(b, all, mask, "");
}

/* Wider accesses than these call. */
static bool is_looked_at(const struct looked *access)
{
    return access->bytes <= (is_aligned(access) ? WIDEST : TRMS_WORDS_MOST);
}

/* What is aligned is looked at in pieces that have functions of their own. */
static struct looked piece_from(const struct looked *access, uint64_t done)
{
    struct looked piece = *access;
    uint64_t bytes = TRMS_WORDS_MOST;
    piece.bytes -= done;
    while (bytes > piece.bytes)
        bytes /= 2;
    if (bytes >= 4 && is_aligned(access))
        piece.bytes = bytes;
    return piece;
}

static LLVMValueRef build_moved(const struct measuring *to, LLVMValueRef address, uint64_t bytes)
{
    return bytes ? LLVMBuildAdd(to->builder, address, looks_number(to, bytes), "") : address;
}

void looks_build_read(struct measured *routine, const struct looked *access, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef address = looks_start(to, access, next);
    if (!is_looked_at(access)) {
        looks_build_call(to, TRMS_WORDS_READ, access, address);
        return;
    }
    looks_load(routine, (struct loads){.reads = true});
    LLVMValueRef astray = build_is_astray(to, access, address);
    LLVMBasicBlockRef rest = looks_cut_before(to, next);
    if (astray) {
        LLVMBasicBlockRef look = block_before(to, rest), far = looks_rare_block(routine);
        inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, astray, looks_number(to, 0), ""), look,
                          far);
        LLVMPositionBuilderAtEnd(b, far);
        looks_build_call(to, TRMS_WORDS_READ, access, address);
        LLVMBuildBr(b, rest);
        LLVMPositionBuilderAtEnd(b, look);
    }
    for (uint64_t done = 0; done < access->bytes;) {
        struct looked piece = piece_from(access, done);
        LLVMValueRef at = build_moved(to, address, done);
        done += piece.bytes;
        LLVMBasicBlockRef then = done < access->bytes ? block_before(to, rest) : rest;
        build_looks(routine, &piece, at, then);
        LLVMPositionBuilderAtEnd(b, then);
    }
}

/* The words first: a signal handler may come between and make the strand careful. An access that is
 * astray is told of as a whole, with its first piece. */
static void build_write(struct measured *routine, const struct looked *access, LLVMValueRef address,
                        uint64_t done, LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    struct looked piece = piece_from(access, done);
    LLVMValueRef astray = done ? NULL : build_is_astray(to, access, address);
    LLVMValueRef at = build_moved(to, address, done);
    struct stored stored = build_stores(routine, &piece, at);
    LLVMValueRef asks = LLVMBuildLoad2(
        b, to->half, looks_place(to, looks_strand(routine), TRMS_WORDS_CAREFUL, to->half), "");
    LLVMSetVolatile(asks, true);
    if (astray)
        asks = LLVMBuildOr(b, asks, LLVMBuildTrunc(b, astray, to->half, ""), "");
    LLVMBasicBlockRef look = looks_rare_block(routine), slow = looks_rare_block(routine);
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, asks, none, ""), rest, look);
    LLVMPositionBuilderAtEnd(b, look);
    LLVMValueRef tells = build_not_own(routine, &stored);
    if (astray)
        tells =
            LLVMBuildOr(b, tells, LLVMBuildIntCast2(b, astray, LLVMTypeOf(tells), false, ""), "");
    none = LLVMConstNull(LLVMTypeOf(tells));
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, tells, none, ""), rest, slow);
    LLVMPositionBuilderAtEnd(b, slow);
    build_slowly(to, astray ? access : &piece, true, at);
    LLVMBuildBr(b, rest);
}

void looks_build_write(struct measured *routine, const struct looked *access, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMValueRef address = looks_start(to, access, next);
    if (!is_looked_at(access)) {
        looks_build_call(to, TRMS_WORDS_WRITE, access, address);
        return;
    }
    looks_load(routine, (struct loads){.writes = true});
    LLVMBasicBlockRef rest = looks_cut_before(to, next);
    for (uint64_t done = 0; done < access->bytes;) {
        uint64_t end = done + piece_from(access, done).bytes;
        LLVMBasicBlockRef then = end < access->bytes ? block_before(to, rest) : rest;
        build_write(routine, access, address, done, then);
        LLVMPositionBuilderAtEnd(to->builder, then);
        done = end;
    }
}

void looks_build_sync(struct measured *routine, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMPositionBuilderBefore(b, next);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef careful = LLVMBuildLoad2(
        b, to->half, looks_place(to, looks_strand(routine), TRMS_WORDS_CAREFUL, to->half), "");
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    LLVMValueRef alone = LLVMBuildICmp(b, LLVMIntEQ, careful, none, "");
    LLVMBasicBlockRef rest = looks_cut_before(to, next), shared = looks_rare_block(routine);
    inst_build_likely(b, alone, rest, shared);
    LLVMPositionBuilderAtEnd(b, shared);
    build_call(to, TRMS_WORDS_SYNC, ORDINARY, NULL, 0);
    LLVMBuildBr(b, rest);
    looks_forget(routine);
}
