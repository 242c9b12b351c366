/* Builds inline checks, which test the shadow words of accessed cells, and calls for failed checks.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Worked example: the code that `aprof-instrument trms` makes from a read and a write. In this
 * example, values have names, pointers are opaque, `+` means getelementptr, and expressions are
 * nested.
 *
 *     int f(int *p) { return *p; }
 *
 *     before   %x = load i32, ptr %p
 *
 *     after    %ctx = load ptr, ptr @aprof_trms_exec_context
 *              %shadow = load ptr, %ctx + 24
 *              %mask = load i64, %ctx + 32
 *              %floor = load i32, %ctx + 16
 *              %a = ptrtoint ptr %p
 *              %is_aligned = icmp eq (%a & 3), 0         ; left out if the alignment is known
 *              %m = select %is_aligned, %mask, 0         ; word 0 of a shadow is always 0, so a
 *              %word = load i32, %shadow + (%a & %m)     ; misaligned access takes the slow path
 *              br (icmp uge %word, %floor), %fine, %slow ; !prof: %slow is unlikely
 *     fine:    %x = load i32, ptr %p
 *              ...
 *     slow:    if this is a first read of the latest activation A, and the youngest ancestor B
 *              that has accessed the cell is A's caller or the activation at TRMS_WORDS_FOUND:
 *              store the new word, add 1 to A, subtract 1 from B, br %fine
 *                                                        ; only in the form CHECKS_WHOLE
 *              call preserve_all void @aprof_trms_read_4(%a)
 *              br %fine
 *
 *     void g(int *p) { *p = 1; }
 *
 *     before   store i32 1, ptr %p
 *
 *     after    %stamp = load i32, %ctx + 0               ; %ctx, %shadow, %mask, %a and %m as above
 *              %old = load i32, %shadow + (%a & %m)
 *              store i32 %stamp, %shadow + (%a & %m)
 *              %careful = load volatile i32, %ctx + 40
 *              br (icmp eq (%careful | %a & 3), 0), %fine, %check
 *     fine:    store i32 1, ptr %p
 *              ...
 *     check:   %synced = load volatile i32, %ctx + 44
 *              br (icmp eq ((%old - %synced) & 0x80000003 | %a & 3), 0), %fine, %slow
 *     slow:    call preserve_all void @aprof_trms_write_4(%a)
 *              br %fine
 *
 * Invariants, and the code that may change each value:
 *
 * - If a word is not below the floor, the latest activation has accessed the word's cell. No other
 *   context has written the cell since this access. So a read of this cell changes nothing
 *   (native/trms/shadow/words.h).
 * - %ctx, %shadow, %mask, %floor and %stamp change only in calls and at synchronisation, which end
 *   a region. So these values are loaded before the first check of a region. They are not loaded in
 *   a branch of a check, because a value loaded in only one branch is not available after the
 *   branches.
 * - A signal handler may run between any two instructions. The handler may raise `careful`,
 *   `synced` and the floor of the interrupted context (trms_interrupted), but never lowers these
 *   fields. So the code for a write first stores the word, and then loads `careful` and `synced`
 *   (volatile). A read may use the floor that was loaded before the handler ran. In a program
 *   without data races, only a volatile or atomic access can read what the handler wrote, and each
 *   such access begins a region.
 * - docs/parallel-trms.md has the proofs.
 */
#include "compile/trms/trms_checks.h"

#include "ground/trms_words.h"

#include <string.h>

/* ---------------------------------------------------------------- Pieces of code */

LLVMValueRef checks_number(const struct measuring *to, uint64_t value)
{
    return LLVMConstInt(to->word, value, false);
}

LLVMValueRef checks_exec_context_variable(const struct measuring *to)
{
    return inst_thread_variable(to->module, TRMS_WORDS_EXEC_CONTEXT, to->pointer);
}

LLVMValueRef checks_place(const struct measuring *to, LLVMValueRef base, uint64_t offset,
                          LLVMTypeRef type)
{
    LLVMValueRef bytes = checks_number(to, offset);
    LLVMValueRef moved = LLVMBuildGEP2(to->builder, to->byte, base, &bytes, 1, "");
    return LLVMBuildBitCast(to->builder, moved, LLVMPointerType(type, 0), "");
}

void checks_forget(struct measured *routine)
{
    routine->loaded = (struct loaded){0};
}

LLVMValueRef checks_exec_context(struct measured *routine)
{
    const struct measuring *to = routine->to;
    if (!routine->loaded.ctx)
        routine->loaded.ctx = LLVMBuildLoad2(to->builder, to->pointer, to->ctx, "");
    return routine->loaded.ctx;
}

/* Returns a field of the execution context, and stores it in *known for the rest of the region. */
static LLVMValueRef field_of(struct measured *routine, LLVMValueRef *known, uint64_t offset,
                             LLVMTypeRef type)
{
    const struct measuring *to = routine->to;
    if (!*known)
        *known = LLVMBuildLoad2(to->builder, type,
                                checks_place(to, checks_exec_context(routine), offset, type), "");
    return *known;
}

/* Returns whether the module may become part of a shared library. Calls from a library to functions
 * of the executable may run the dynamic linker, which changes registers (lazy binding). Calls
 * within an executable are direct, and need no register for their targets. */
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
    LLVMTypeRef types[CHECKS_ROW_ARGUMENTS] = {to->word, to->word, to->word, to->word};
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

#define ORDINARY LLVMCCallConv

/* Returns the calling convention of slow paths, which change no register. For arm64, LLVM 14 has no
 * calling convention that keeps all registers. */
static LLVMCallConv keeping_registers(const struct measuring *to)
{
    return to->on_arm64 ? ORDINARY : LLVMPreserveAllCallConv;
}

/* Builds the address of the return address, which identifies an activation. On arm64, builds the
 * address of the word below the stack pointer at the routine's entry. Each call of the runtime gets
 * its own call of the intrinsic, so that the address occupies no register between calls of the
 * runtime. */
static LLVMValueRef build_slot(const struct measuring *to, const char *function)
{
    static const char user[] = "aprof.for";
    const char *name = to->on_arm64 ? "llvm.sponentry" : "llvm.addressofreturnaddress";
    LLVMAttributeRef unlike = LLVMCreateStringAttribute(to->context, user, sizeof user - 1,
                                                        function, (unsigned)strlen(function));
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = to->pointer;
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(to->module, id, &type, 1);
    type = LLVMIntrinsicGetType(to->context, id, &type, 1);
    LLVMValueRef slot = LLVMBuildCall2(to->builder, type, intrinsic, NULL, 0, "");
    LLVMAddCallSiteAttribute(slot, LLVMAttributeFunctionIndex, unlike);
    slot = LLVMBuildPtrToInt(to->builder, slot, to->word, "");
    return to->on_arm64 ? LLVMBuildSub(to->builder, slot, checks_number(to, 8), "") : slot;
}

static LLVMValueRef build_return_address(const struct measuring *to)
{
    static const char name[] = "llvm.returnaddress";
    LLVMTypeRef type = LLVMFunctionType(to->pointer, (LLVMTypeRef[]){to->half}, 1, false);
    LLVMValueRef intrinsic = LLVMGetNamedFunction(to->module, name);
    if (!intrinsic)
        intrinsic = LLVMAddFunction(to->module, name, type);
    LLVMValueRef zero = LLVMConstInt(to->half, 0, false);
    LLVMValueRef address = LLVMBuildCall2(to->builder, type, intrinsic, &zero, 1, "");
    return LLVMBuildPtrToInt(to->builder, address, to->word, "");
}

/* Builds the arguments that identify an activation. On arm64, the slot does not contain the return
 * address, which is passed as the second argument. Returns the number of arguments. */
static unsigned build_slot_arguments(const struct measuring *to, const char *function,
                                     LLVMValueRef *arguments)
{
    arguments[0] = build_slot(to, function);
    if (to->on_arm64)
        arguments[1] = build_return_address(to);
    return to->on_arm64 ? 2 : 1;
}

void checks_build_about_slot(const struct measuring *to, const char *name)
{
    LLVMValueRef arguments[2];
    build_call(to, name, ORDINARY, arguments, build_slot_arguments(to, name, arguments));
}

void checks_build_row(const struct measuring *to, const char *name, LLVMValueRef *arguments)
{
    build_call(to, name, ORDINARY, arguments, CHECKS_ROW_ARGUMENTS);
}

LLVMValueRef checks_build_choice(const struct measuring *to, LLVMValueRef sampling)
{
    LLVMValueRef arguments[3];
    unsigned n = build_slot_arguments(to, TRMS_WORDS_CHOOSE, arguments);
    arguments[n++] = LLVMBuildPtrToInt(to->builder, sampling, to->word, "");
    LLVMCallConv convention = to->on_arm64 ? ORDINARY : LLVMPreserveMostCallConv;
    return build_call_for(to, TRMS_WORDS_CHOOSE, convention, to->half, arguments, n);
}

/* ---------------------------------------------------------------- Branches */

LLVMBasicBlockRef checks_cut_before(const struct measuring *to, LLVMValueRef next)
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

LLVMBasicBlockRef checks_rare_block(const struct measured *routine)
{
    return LLVMAppendBasicBlockInContext(routine->to->context, routine->function, "");
}

/* ---------------------------------------------------------------- Accesses */

static unsigned words_of(const struct checked *access)
{
    unsigned n = (unsigned)((access->bytes + 3) / 4);
    return checks_is_aligned(access) || access->bytes == 1 ? n : n + 1;
}

/* Builds the address at offset `done` of the access. */
static LLVMValueRef build_address(const struct measuring *to, const struct checked_words *words,
                                  uint64_t done)
{
    uint64_t offset = (uint64_t)words->offset + done;
    return LLVMBuildAdd(to->builder, words->base, checks_number(to, offset), "");
}

static LLVMValueRef place_word(const struct measuring *to, LLVMValueRef first, uint64_t bytes)
{
    if (!bytes)
        return first;
    return checks_place(to, LLVMBuildBitCast(to->builder, first, to->pointer, ""), bytes, to->half);
}

/* Builds a pointer to the n-th word of an access. For aligned accesses, words are consecutive. For
 * misaligned accesses, the last word belongs to the cell of the last byte, and may be the same as
 * the previous word. */
static LLVMValueRef build_nth_word(struct measured *routine, const struct checked *access,
                                   const struct checked_words *words, LLVMValueRef first,
                                   unsigned i)
{
    uint64_t skipped = 4 * (uint64_t)i;
    if (!i || checks_is_aligned(access))
        return place_word(routine->to, first, skipped);
    skipped = skipped < access->bytes ? skipped : access->bytes - 1;
    return checks_build_word(routine, build_address(routine->to, words, skipped));
}

void checks_build_call(const struct measuring *to, const char *name, const struct checked *access,
                       LLVMValueRef address)
{
    LLVMValueRef arguments[] = {address, checks_number(to, access->bytes)};
    build_call(to, name, keeping_registers(to), arguments, 2);
}

/* The entry points for aligned accesses of 1, 2, 4, 8 and 16 bytes. The old words of a 16-byte
 * write do not fit in an argument. */
enum entry_point { ENTRY_READ, ENTRY_WRITE, ENTRY_STORED };
static const char *const entry_points[][3] = {
    {TRMS_WORDS_READ_1, TRMS_WORDS_WRITE_1, TRMS_WORDS_STORED_1},
    {TRMS_WORDS_READ_2, TRMS_WORDS_WRITE_2, TRMS_WORDS_STORED_2},
    {TRMS_WORDS_READ_4, TRMS_WORDS_WRITE_4, TRMS_WORDS_STORED_4},
    {TRMS_WORDS_READ_8, TRMS_WORDS_WRITE_8, TRMS_WORDS_STORED_8},
    {TRMS_WORDS_READ_16, TRMS_WORDS_WRITE_16, NULL}};

/* Returns the entry point for a part of an access, or NULL if there is none. */
static const char *entry_point_of(const struct checked *piece, enum entry_point kind)
{
    for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++)
        if (piece->bytes == (uint64_t)1 << i && checks_is_aligned(piece))
            return entry_points[i][kind];
    return NULL;
}

/* Calls the slow path for a part of an access; the called function tests the alignment itself. */
static void build_slowly(const struct measuring *to, const struct checked *piece, bool writes,
                         LLVMValueRef address)
{
    const char *name = entry_point_of(piece, writes ? ENTRY_WRITE : ENTRY_READ);
    if (name)
        build_call(to, name, keeping_registers(to), &address, 1);
    else
        checks_build_call(to, writes ? TRMS_WORDS_WRITE : TRMS_WORDS_READ, piece, address);
}

void checks_load(struct measured *routine, struct loads loads)
{
    const struct measuring *to = routine->to;
    if (!loads.reads && !loads.writes)
        return;
    field_of(routine, &routine->loaded.direct_shadow, TRMS_WORDS_DIRECT_SHADOW, to->pointer);
    field_of(routine, &routine->loaded.mask, TRMS_WORDS_MASK, to->word);
    if (loads.reads)
        field_of(routine, &routine->loaded.floor, TRMS_WORDS_FLOOR, to->half);
    if (loads.writes)
        field_of(routine, &routine->loaded.stamp, TRMS_WORDS_STAMP, to->half);
}

static void start_before(const struct measuring *to, LLVMValueRef next)
{
    LLVMPositionBuilderBefore(to->builder, next);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
}

LLVMValueRef checks_start(const struct measuring *to, const struct checked *access,
                          LLVMValueRef next)
{
    start_before(to, next);
    return LLVMBuildPtrToInt(to->builder, access->pointer, to->word, "");
}

/* Builds a vector with the same value in each element. */
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

/* Builds the minimum of the words in a vector; on arm64, this takes one instruction. */
static LLVMValueRef build_least(const struct measuring *to, LLVMValueRef words)
{
    static const char name[] = "llvm.vector.reduce.umin";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMTypeRef type = LLVMTypeOf(words);
    LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(to->module, id, &type, 1);
    type = LLVMIntrinsicGetType(to->context, id, &type, 1);
    return LLVMBuildCall2(to->builder, type, intrinsic, &words, 1, "");
}

/* Compares four words with the floor at once; the result is true if no word is below the floor. */
static LLVMValueRef build_four_are_fine(struct measured *routine, LLVMValueRef first)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    if (to->on_arm64)
        return LLVMBuildICmp(b, LLVMIntUGE, build_least(to, load_many(to, first, 4)),
                             routine->loaded.floor, "");
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
    return LLVMBuildLoad2(to->builder, type,
                          checks_place(to, checks_exec_context(routine), offset, type), "");
}

static void build_add(const struct measuring *to, LLVMValueRef base, uint64_t offset, int64_t n)
{
    LLVMValueRef at = checks_place(to, base, offset, to->word);
    LLVMValueRef old = LLVMBuildLoad2(to->builder, to->word, at, "");
    LLVMValueRef sum = LLVMBuildAdd(to->builder, old, checks_number(to, (uint64_t)n), "");
    LLVMBuildStore(to->builder, sum, at);
}

/* Builds the test whether all n words are equal to `word`. If n is 2, one comparison of the second
 * word is sufficient, and no vector is needed. */
static LLVMValueRef build_are_alike(const struct measuring *to, LLVMValueRef word,
                                    LLVMValueRef first, unsigned n)
{
    LLVMBuilderRef b = to->builder;
    LLVMTypeRef bits = LLVMIntTypeInContext(to->context, 32 * n);
    if (n == 2) {
        LLVMValueRef second = LLVMBuildLoad2(b, to->half, place_word(to, first, 4), "");
        return LLVMBuildICmp(b, LLVMIntEQ, word, second, "");
    }
    LLVMValueRef words = LLVMBuildBitCast(b, load_many(to, first, n), bits, "");
    LLVMValueRef alike = LLVMBuildBitCast(b, build_many(to, word, n), bits, "");
    return LLVMBuildICmp(b, LLVMIntEQ, words, alike, "");
}

static void store_many(const struct measuring *to, LLVMValueRef word, LLVMValueRef first,
                       unsigned n)
{
    LLVMBuilderRef b = to->builder;
    if (n > 2) {
        LLVMValueRef at = build_first_of(to, first, n);
        LLVMSetAlignment(LLVMBuildStore(b, build_many(to, word, n), at), 4);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        LLVMBuildStore(b, word, place_word(to, first, 4 * (uint64_t)i));
}

/* Continues in a new block if the comparison holds. */
static void build_only_if(const struct measuring *to, LLVMIntPredicate compares, LLVMValueRef left,
                          LLVMValueRef right, LLVMBasicBlockRef otherwise)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(to->builder), next;
    next = LLVMAppendBasicBlockInContext(to->context, LLVMGetBasicBlockParent(block), "");
    inst_build_likely(to->builder, LLVMBuildICmp(to->builder, compares, left, right, ""), next,
                      otherwise);
    LLVMPositionBuilderAtEnd(to->builder, next);
}

/* Tests the activation that the runtime's latest search found. If this activation has accessed the
 * cells, and no other context has written them later, a read of the cells is a first access for all
 * younger activations. `synced` is loaded after the word, because the end of a signal handler
 * raises `synced`. */
static LLVMValueRef build_found(struct measured *routine, LLVMValueRef word,
                                LLVMValueRef activation, LLVMBasicBlockRef slow)
{
    const struct measuring *to = routine->to;
    LLVMValueRef found = build_field(routine, to->pointer, TRMS_WORDS_FOUND), time;
    time = checks_place(to, found, TRMS_WORDS_BEGUN, to->half);
    build_only_if(to, LLVMIntUGE, word, LLVMBuildLoad2(to->builder, to->half, time, ""), slow);
    time = checks_place(to, found, TRMS_WORDS_BEGUN_NEXT, to->half);
    build_only_if(to, LLVMIntULT, word, LLVMBuildLoad2(to->builder, to->half, time, ""), slow);
    time = build_field(routine, to->half, TRMS_WORDS_SYNCED);
    build_only_if(to, LLVMIntUGE, word, time, slow);
    build_only_if(to, LLVMIntULT, found, activation, slow);
    return found;
}

/* Records n first reads: stores the words, adds n to the latest activation, and subtracts n from
 * `ancestor`. */
static void build_firsts(struct measured *routine, LLVMValueRef word, LLVMValueRef first,
                         unsigned n, LLVMValueRef activation, LLVMValueRef ancestor)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef state = LLVMBuildAnd(b, word, LLVMConstInt(to->half, TRMS_WORDS_STATE, false), "");
    LLVMValueRef now = build_field(routine, to->half, TRMS_WORDS_STAMP);
    store_many(to, LLVMBuildOr(b, now, state, ""), first, n);
    build_add(to, activation, TRMS_WORDS_RMS, (int64_t)n);
    build_add(to, ancestor, TRMS_WORDS_RMS, -(int64_t)n);
}

/* Builds code for a read of cells if the word of at least one cell is below the floor. If all words
 * are equal and not below `near`, the cells are new only to the running activation. Otherwise the
 * runtime determines the activations to which the cells are new. */
static void build_nearly_known(struct measured *routine, LLVMValueRef first, unsigned n,
                               LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef counts = checks_rare_block(routine), farther = checks_rare_block(routine);
    LLVMBasicBlockRef slow = checks_rare_block(routine), from[2];
    LLVMValueRef word = LLVMBuildLoad2(b, to->half, first, ""), ancestors[2];
    /* a volatile load, so that the comparison uses the word in memory and not in a register */
    LLVMSetVolatile(word, true);
    if (n > 1) {
        LLVMBasicBlockRef alike = checks_rare_block(routine);
        inst_build_likely(b, build_are_alike(to, word, first, n), alike, slow);
        LLVMPositionBuilderAtEnd(b, alike);
    }
    LLVMValueRef activation = build_field(routine, to->pointer, TRMS_WORDS_ACTIVATION);
    LLVMValueRef near =
        LLVMBuildLoad2(b, to->half, checks_place(to, activation, TRMS_WORDS_NEAR, to->half), "");
    ancestors[0] = checks_place(to, activation, (uint64_t)TRMS_WORDS_CALLER, to->byte);
    from[0] = LLVMGetInsertBlock(b);
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntUGE, word, near, ""), counts, farther);
    LLVMPositionBuilderAtEnd(b, farther);
    ancestors[1] = build_found(routine, word, activation, slow);
    from[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, counts);
    LLVMPositionBuilderAtEnd(b, counts);
    LLVMValueRef ancestor = LLVMBuildPhi(b, to->pointer, "");
    LLVMAddIncoming(ancestor, ancestors, from, 2);
    build_firsts(routine, word, first, n, activation, ancestor);
    LLVMBuildBr(b, rest);
    LLVMPositionBuilderAtEnd(b, slow);
}

/* Checks the words of a part of an access, at the builder's position. */
static void build_checks(struct measured *routine, const struct checked *piece,
                         const struct checked_words *words, uint64_t done, LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef slow = checks_rare_block(routine);
    LLVMValueRef first = place_word(to, words->first, done);
    unsigned n = words_of(piece), alike = checks_is_aligned(piece) ? n : 0;
    if (alike == 4) {
        inst_build_likely(b, build_four_are_fine(routine, first), rest, slow);
        n = 0;
    }
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef at = build_nth_word(routine, piece, words, first, i);
        LLVMValueRef word = LLVMBuildLoad2(b, to->half, at, "");
        LLVMBasicBlockRef fine = i + 1 < n ? block_before(to, rest) : rest;
        inst_build_likely(b, LLVMBuildICmp(b, LLVMIntUGE, word, routine->loaded.floor, ""), fine,
                          slow);
        LLVMPositionBuilderAtEnd(b, fine);
    }
    LLVMPositionBuilderAtEnd(b, slow);
    if (alike && !(alike & (alike - 1)) && routine->form == CHECKS_WHOLE)
        build_nearly_known(routine, first, alike, rest);
    build_slowly(to, piece, false, build_address(to, words, done));
    LLVMBuildBr(b, rest);
}

/* The values that the words of a write had before build_stores stored the time into them. The
 * pieces are one word, one vector of words, or several words. */
struct stored {
    LLVMValueRef old[TRMS_WORDS_MOST / 4 + 1];
    unsigned n;     /* number of pieces */
    unsigned lanes; /* number of elements of each piece */
};

static struct stored build_stores(struct measured *routine, const struct checked *access,
                                  const struct checked_words *words, LLVMValueRef first)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef at[TRMS_WORDS_MOST / 4 + 1];
    struct stored stored = {.n = words_of(access), .lanes = 1};
    if (stored.n > 1 && checks_is_aligned(access)) {
        LLVMValueRef place = build_first_of(to, first, stored.n);
        stored.old[0] = load_many(to, first, stored.n);
        LLVMValueRef stamps = build_many(to, routine->loaded.stamp, stored.n);
        LLVMSetAlignment(LLVMBuildStore(b, stamps, place), 4);
        stored.lanes = stored.n;
        stored.n = 1;
        return stored;
    }
    for (unsigned i = 0; i < stored.n; i++) {
        at[i] = build_nth_word(routine, access, words, first, i);
        stored.old[i] = LLVMBuildLoad2(b, to->half, at[i], "");
    }
    for (unsigned i = 0; i < stored.n; i++)
        LLVMBuildStore(b, routine->loaded.stamp, at[i]);
    return stored;
}

/* Builds a number from the old words. If the number is not 0, a context in shared mode must call
 * the runtime for the write. `synced` is loaded after the words were stored, because a signal
 * handler may have raised `synced`. */
static LLVMValueRef build_not_own(struct measured *routine, const struct stored *stored)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef synced = LLVMBuildLoad2(
        b, to->half, checks_place(to, checks_exec_context(routine), TRMS_WORDS_SYNCED, to->half),
        "");
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

/* Continues in a new block if the runtime must be called for the write. */
static void build_if_not_own(struct measured *routine, const struct stored *stored,
                             LLVMValueRef misaligned, LLVMBasicBlockRef rest)
{
    LLVMBuilderRef b = routine->to->builder;
    LLVMBasicBlockRef slow = checks_rare_block(routine);
    LLVMValueRef not_own = build_not_own(routine, stored);
    if (misaligned)
        not_own = LLVMBuildOr(b, not_own,
                              LLVMBuildIntCast2(b, misaligned, LLVMTypeOf(not_own), false, ""), "");
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(not_own));
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, not_own, none, ""), rest, slow);
    LLVMPositionBuilderAtEnd(b, slow);
}

/* Builds the call of the runtime for the write. */
static void build_stored(const struct measuring *to, const char *function, LLVMValueRef address,
                         const struct stored *stored)
{
    LLVMBuilderRef b = to->builder;
    LLVMTypeRef type = stored->lanes == 2 ? to->word : to->half;
    LLVMValueRef old = LLVMBuildBitCast(b, stored->old[0], type, "");
    LLVMValueRef arguments[] = {address, LLVMBuildZExt(b, old, to->word, "")};
    build_call(to, function, keeping_registers(to), arguments, 2);
}

/* Returns whether an access of this size has an inline check; wider accesses call the runtime. */
static bool is_checked(const struct measured *routine, const struct checked *access)
{
    return routine->form != CHECKS_CALLS &&
           access->bytes <= (checks_is_aligned(access) ? TRMS_WORDS_WIDEST : TRMS_WORDS_MOST);
}

/* Returns the next part of an access. The runtime has a slow-path function for each size of an
 * aligned part. */
static struct checked piece_from(const struct checked *access, uint64_t done)
{
    struct checked piece = *access;
    uint64_t bytes = TRMS_WORDS_MOST;
    piece.bytes -= done;
    while (bytes > piece.bytes)
        bytes /= 2;
    if (bytes >= 4 && checks_is_aligned(access))
        piece.bytes = bytes;
    return piece;
}

/* The words are stored before `careful` is tested, because a signal handler may switch the context
 * to shared mode between the two steps. In a program with several threads, the context is usually
 * in shared mode, so code in loops compares the old words inline. */
static void build_write(struct measured *routine, const struct checked *piece,
                        const struct checked_words *words, uint64_t done, LLVMBasicBlockRef rest)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMValueRef first = place_word(to, words->first, done), misaligned = words->misaligned;
    struct stored stored = build_stores(routine, piece, words, first);
    LLVMValueRef slow = LLVMBuildLoad2(
        b, to->half, checks_place(to, checks_exec_context(routine), TRMS_WORDS_CAREFUL, to->half),
        "");
    LLVMSetVolatile(slow, true);
    if (misaligned)
        slow = LLVMBuildOr(b, slow, LLVMBuildTrunc(b, misaligned, to->half, ""), "");
    LLVMBasicBlockRef rare = checks_rare_block(routine);
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, slow, none, ""), rest, rare);
    LLVMPositionBuilderAtEnd(b, rare);
    bool compares_in_runtime = routine->form == CHECKS_SHORT && !routine->is_in_loop;
    const char *function = compares_in_runtime ? entry_point_of(piece, ENTRY_STORED) : NULL;
    if (function) {
        build_stored(to, function, build_address(to, words, done), &stored);
    } else {
        build_if_not_own(routine, &stored, misaligned, rest);
        build_slowly(to, piece, true, build_address(to, words, done));
    }
    LLVMBuildBr(b, rest);
}

/* Builds the check of an access part by part, or a call of the runtime. */
static void build_access(struct measured *routine, const struct checked *access, LLVMValueRef next,
                         bool writes)
{
    const struct measuring *to = routine->to;
    start_before(to, next);
    if (!is_checked(routine, access)) {
        checks_build_call(to, writes ? TRMS_WORDS_WRITE : TRMS_WORDS_READ, access,
                          checks_start(to, access, next));
        return;
    }
    checks_load(routine, (struct loads){.reads = !writes, .writes = writes});
    struct checked_words words = checks_build_words(routine, access);
    LLVMBasicBlockRef rest = checks_cut_before(to, next);
    for (uint64_t done = 0; done < access->bytes;) {
        struct checked piece = piece_from(access, done);
        uint64_t end = done + piece.bytes;
        LLVMBasicBlockRef then = end < access->bytes ? block_before(to, rest) : rest;
        if (writes)
            build_write(routine, &piece, &words, done, then);
        else
            build_checks(routine, &piece, &words, done, then);
        LLVMPositionBuilderAtEnd(to->builder, then);
        done = end;
    }
}

void checks_build_read(struct measured *routine, const struct checked *access, LLVMValueRef next)
{
    build_access(routine, access, next, false);
}

void checks_build_write(struct measured *routine, const struct checked *access, LLVMValueRef next)
{
    build_access(routine, access, next, true);
}

void checks_build_sync(struct measured *routine, LLVMValueRef next)
{
    const struct measuring *to = routine->to;
    LLVMBuilderRef b = to->builder;
    LLVMPositionBuilderBefore(b, next);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef careful = LLVMBuildLoad2(
        b, to->half, checks_place(to, checks_exec_context(routine), TRMS_WORDS_CAREFUL, to->half),
        "");
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    LLVMValueRef alone = LLVMBuildICmp(b, LLVMIntEQ, careful, none, "");
    LLVMBasicBlockRef rest = checks_cut_before(to, next), shared = checks_rare_block(routine);
    inst_build_likely(b, alone, rest, shared);
    LLVMPositionBuilderAtEnd(b, shared);
    build_call(to, TRMS_WORDS_SYNC, ORDINARY, NULL, 0);
    LLVMBuildBr(b, rest);
    checks_forget(routine);
}
