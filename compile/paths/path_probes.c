/* Adds probes to a normalised module, as listed in a probes file.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * TABs separate fields of the file. Records identify procedures, edges and blocks by their numbers
 * in the graphs:
 *
 *     aprof-probes 2
 *     identity MODULE PLAN COPY COPIES FLAGS SLOTS INTERVAL
 *     procedure NUMBER NAME TABLE         TABLE: the slot of path 0, or `hash`; probes follow
 *     probe entry|edge|behind|block NUMBER ACTION VALUE
 *     complete ...
 *
 * In each procedure, a register keeps a sum, which the actions of probes change. The actions are
 * executed in the order in which the file lists them:
 *
 *     set V      sum = V
 *     add V      sum += V
 *     mix V      sum = sum * PROBE_MIX_FACTOR + V, modulo 2^64
 *     commit V   counts the path with the number sum + V: counters[TABLE + sum + V]++, or hashed
 *     count S    counters[S]++
 *     start P    a path with the identity P starts; sliced copies decide whether to record it
 *
 * A probe on a block is placed where the block leaves the procedure: before the return, or before
 * the call that does not return. If an edge has probes `edge` and `behind`, they have the same
 * position, and probes `edge` are executed first. Edges after a call of setjmp are an exception:
 * probes `edge` come before the call, because setjmp may return again after the path that led to
 * the call has ended.
 */
#include "compile/paths/path_jobs.h"

#include "paths/counters.h"
#include "compile/paths/path_slice.h"
#include "paths/probes.h"

#include <string.h>

struct instrumenter {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef word, word32, byte;
    /* `shift` is NULL if the program has no lanes (a lane is one thread's set of counters) */
    LLVMValueRef counters, shift, count;
    LLVMTypeRef counters_type, count_type;
    /* function that begins the next interval; NULL if the copy is not sliced */
    LLVMValueRef next_interval;
    LLVMTypeRef next_interval_type;
};

/* The procedure to which probes are added. */
struct target {
    LLVMValueRef function; /* current function; NULL: no function yet */
    uint32_t number;
    bool hashed;
    uint64_t slot;
    LLVMValueRef sum;        /* stack variable that a pass moves to a register */
    LLVMValueRef entry;      /* first instruction after the stack variables */
    LLVMValueRef last_place; /* position of the last probe on an edge; further probes follow it */
    uint64_t last_edge;
    struct inst_places places;
    /* blocks and edges of the version without probes, if the copy is sliced */
    struct inst_places silent;
    struct inst_versions versions;
};

/* ---------------------------------------------------------------- Code */

static LLVMValueRef constant(const struct instrumenter *to, int64_t value)
{
    return LLVMConstInt(to->word, (unsigned long long)value, true);
}

/* Builds the address of a counter; if the program has lanes, the counter is in this thread's
 * lane. */
static LLVMValueRef build_counter(const struct instrumenter *to, LLVMValueRef index)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef base = LLVMConstBitCast(to->counters, LLVMPointerType(to->word, 0));
    if (to->shift) {
        LLVMValueRef bytes = LLVMConstBitCast(to->counters, LLVMPointerType(to->byte, 0));
        LLVMValueRef shift = LLVMBuildLoad2(b, to->word, to->shift, "");
        LLVMValueRef moved = LLVMBuildGEP2(b, to->byte, bytes, &shift, 1, "");
        base = LLVMBuildBitCast(b, moved, LLVMPointerType(to->word, 0), "");
    }
    return LLVMBuildGEP2(b, to->word, base, &index, 1, "");
}

static LLVMValueRef constant_counter(const struct instrumenter *to, uint64_t slot)
{
    LLVMValueRef index = constant(to, (int64_t)slot);
    LLVMValueRef base = LLVMConstBitCast(to->counters, LLVMPointerType(to->word, 0));
    return LLVMConstGEP2(to->word, base, &index, 1);
}

static void build_count(const struct instrumenter *to, LLVMValueRef index)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef counter = build_counter(to, index);
    LLVMValueRef old = LLVMBuildLoad2(b, to->word, counter, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, old, constant(to, 1), ""), counter);
}

static void build_commit(const struct instrumenter *to, const struct target *target, int64_t value)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef sum = LLVMBuildLoad2(b, to->word, target->sum, "");
    if (!target->hashed) {
        build_count(to, LLVMBuildAdd(b, sum, constant(to, value + (int64_t)target->slot), ""));
        return;
    }
    LLVMValueRef arguments[] = {LLVMConstInt(to->word32, target->number, false),
                                LLVMBuildAdd(b, sum, constant(to, value), "")};
    LLVMValueRef call = LLVMBuildCall2(b, to->count_type, to->count, arguments, 2, "");
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", strlen("nounwind"));
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(to->context, nounwind, 0));
}

static void build_action(const struct instrumenter *to, const struct target *target,
                         enum probe_action action, int64_t value)
{
    LLVMBuilderRef b = to->builder;
    LLVMValueRef sum;
    switch (action) {
    case PROBE_SET:
        LLVMBuildStore(b, constant(to, value), target->sum);
        break;
    case PROBE_ADD:
        sum = LLVMBuildLoad2(b, to->word, target->sum, "");
        LLVMBuildStore(b, LLVMBuildAdd(b, sum, constant(to, value), ""), target->sum);
        break;
    case PROBE_MIX:
        sum = LLVMBuildLoad2(b, to->word, target->sum, "");
        sum = LLVMBuildMul(b, sum, constant(to, (int64_t)PROBE_MIX_FACTOR), "");
        LLVMBuildStore(b, LLVMBuildAdd(b, sum, constant(to, value), ""), target->sum);
        break;
    case PROBE_COMMIT:
        build_commit(to, target, value);
        break;
    case PROBE_COUNT:
        build_count(to, constant(to, value));
        break;
    case PROBE_START: /* add_start adds the start of a path, because the start ends the block */
        break;
    }
}

/* ---------------------------------------------------------------- Places */

static LLVMValueRef first_behind_pads(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMGetInstructionOpcode(at) == LLVMPHI ||
           LLVMGetInstructionOpcode(at) == LLVMLandingPad)
        at = LLVMGetNextInstruction(at);
    return at;
}

static LLVMValueRef place_on_edge(const struct inst_edge *edge)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(edge->from);
    if (LLVMGetNumSuccessors(last) == 1)
        return last;
    return first_behind_pads(edge->to);
}

static bool is_real_call(LLVMValueRef instruction)
{
    return inst_is_call(instruction) && !inst_is_intrinsic_call(instruction);
}

/* Returns the instruction before which probes for a return are inserted: the return itself, or the
 * tail call directly before the return. */
static LLVMValueRef place_of_return(LLVMValueRef last)
{
    LLVMValueRef at = LLVMGetPreviousInstruction(last);
    while (at && (LLVMGetInstructionOpcode(at) == LLVMBitCast ||
                  (inst_is_call(at) && inst_is_intrinsic_call(at))))
        at = LLVMGetPreviousInstruction(at);
    return at && LLVMGetInstructionOpcode(at) == LLVMCall && LLVMIsTailCall(at) ? at : last;
}

/* For a block without successors, returns the position before the last call, which does not
 * return. */
static LLVMValueRef place_of_end(LLVMValueRef last)
{
    LLVMValueRef at = LLVMGetPreviousInstruction(last);
    while (at && !is_real_call(at))
        at = LLVMGetPreviousInstruction(at);
    return at ? at : last;
}

/* Returns the instruction at which the block leaves the procedure. */
static LLVMValueRef place_of_leaving(LLVMBasicBlockRef block)
{
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetInstructionOpcode(last) == LLVMRet)
        return place_of_return(last);
    return LLVMGetInstructionOpcode(last) == LLVMUnreachable ? place_of_end(last) : last;
}

/* Probes are inserted before an instruction. All probes of an edge are inserted before the same
 * instruction, which is determined for the first probe. It cannot be determined again: inserted
 * code would be the first in the block. */
static LLVMValueRef place_of_edge(struct target *target, uint64_t number, bool behind)
{
    if (number >= target->places.edges.count)
        return NULL;
    const struct inst_edge *edge = &target->places.edges.at[number];
    LLVMValueRef call = inst_cut_call(edge->from);
    if (call && !behind)
        return call;
    if (number != target->last_edge)
        target->last_place = place_on_edge(edge);
    target->last_edge = number;
    return target->last_place;
}

static LLVMValueRef place_of(struct target *target, enum probe_place place, uint64_t number)
{
    switch (place) {
    case PROBE_ENTRY:
        return target->entry;
    case PROBE_EDGE:
    case PROBE_BEHIND:
        return place_of_edge(target, number, place == PROBE_BEHIND);
    case PROBE_BLOCK:
        if (number >= target->places.blocks.count)
            return NULL;
        return place_of_leaving(target->places.blocks.at[number]);
    }
    return NULL;
}

/* ---------------------------------------------------------------- Procedures */

static void list_places(struct target *target)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(target->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        unsigned count = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
        vector_push(&target->places.blocks, block);
        for (unsigned i = 0; i < count; i++) {
            struct inst_edge edge = {block, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i),
                                     i};
            vector_push(&target->places.edges, edge);
        }
    }
}

static void slice_target(const struct instrumenter *to, struct target *target)
{
    target->versions = (struct inst_versions){
        .builder = to->builder,
        .left = constant_counter(to, SLICE_LEFT),
        .recording = constant_counter(to, SLICE_RECORDING),
        .word = to->word,
        .next = to->next_interval,
        .next_type = to->next_interval_type,
    };
    inst_versions_make(&target->versions, target->function, &target->places, &target->silent);
    target->entry = LLVMGetFirstInstruction(target->places.blocks.at[0]);
}

static void target_start(const struct instrumenter *to, struct target *target,
                         LLVMValueRef function)
{
    target->function = function;
    target->last_edge = UINT64_MAX;
    target->places.blocks.count = target->places.edges.count = 0;
    target->silent.blocks.count = target->silent.edges.count = 0;
    list_places(target);
    LLVMValueRef at = LLVMGetFirstInstruction(target->places.blocks.at[0]);
    LLVMPositionBuilderBefore(to->builder, at);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    target->sum = LLVMBuildAlloca(to->builder, to->word, "");
    while (LLVMGetInstructionOpcode(at) == LLVMAlloca)
        at = LLVMGetNextInstruction(at);
    target->entry = at;
    if (to->next_interval)
        slice_target(to, target);
}

static void places_free(struct inst_places *places)
{
    vector_free(&places->blocks);
    vector_free(&places->edges);
}

static void target_free(struct target *target)
{
    places_free(&target->places);
    places_free(&target->silent);
}

/* ---------------------------------------------------------------- Starts of paths */

/* Returns a number that almost certainly identifies the position in the program. */
static uint64_t path_start_of(const struct target *target, int64_t value)
{
    return (uint64_t)target->number << 32 | (uint32_t)value;
}

static bool add_start(struct target *target, enum probe_place place, uint64_t number, int64_t value)
{
    uint64_t path_start = path_start_of(target, value);
    if (place == PROBE_ENTRY) {
        inst_versions_enter(&target->versions, &target->places, &target->silent, path_start);
        return true;
    }
    LLVMValueRef at = place_of(target, place, number);
    if (place != PROBE_BEHIND || !at)
        return false;
    inst_versions_check(&target->versions, &target->places, at, &target->silent,
                        place_on_edge(&target->silent.edges.at[number]), path_start);
    return true;
}

/* ---------------------------------------------------------------- The file's records */

static bool take_procedure(const struct instrumenter *to, struct target *target,
                           const struct record_file *file)
{
    uint64_t number;
    if (!record_is(file, "procedure", 3, false) || !record_number(file, 0, UINT32_MAX, &number))
        return false;
    LLVMValueRef function = LLVMGetNamedFunction(to->module, file->fields.at[2]);
    target->hashed = strcmp(file->fields.at[3], "hash") == 0;
    if (!function || !inst_is_defined(function) ||
        (!target->hashed && !record_number(file, 2, UINT32_MAX, &target->slot)))
        return false;
    target->number = (uint32_t)number;
    target_start(to, target, function);
    return true;
}

static int index_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool take_probe(const struct instrumenter *to, struct target *target,
                       const struct record_file *file)
{
    static const char *const places[] = PROBE_PLACE_NAMES, *const actions[] = PROBE_ACTION_NAMES;
    uint64_t number;
    if (!target->function || !record_is(file, "probe", 4, false) ||
        !record_number(file, 1, UINT32_MAX, &number))
        return false;
    int place = index_of(places, file->fields.at[1]);
    int action = index_of(actions, file->fields.at[3]);
    char *end;
    int64_t value = strtoll(file->fields.at[4], &end, 10);
    if (place < 0 || action < 0 || *end || end == file->fields.at[4])
        return false;
    if (action == PROBE_START)
        return to->next_interval && add_start(target, (enum probe_place)place, number, value);
    LLVMValueRef at = place_of(target, (enum probe_place)place, number);
    if (!at)
        return false;
    LLVMPositionBuilderBefore(to->builder, at);
    build_action(to, target, (enum probe_action)action, value);
    return true;
}

/* ---------------------------------------------------------------- Module */

static LLVMValueRef declare_hidden(LLVMModuleRef module, LLVMTypeRef type, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(module, type, name);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    return global;
}

static void define_counters(struct instrumenter *to, uint64_t slots)
{
    const uint64_t page_slots = COUNTERS_PAGE_BYTES / sizeof(uint64_t);
    uint64_t whole_pages = (slots + page_slots - 1) / page_slots * page_slots;
    to->counters_type = LLVMArrayType(to->word, (unsigned)whole_pages);
    to->counters = declare_hidden(to->module, to->counters_type, "aprof_paths_counters");
    LLVMSetInitializer(to->counters, LLVMConstNull(to->counters_type));
    LLVMSetAlignment(to->counters, COUNTERS_PAGE_BYTES);
}

static void define_identity(const struct instrumenter *to, const struct counters_identity *identity)
{
    LLVMValueRef bytes =
        LLVMConstStringInContext(to->context, (const char *)identity, sizeof *identity, true);
    LLVMValueRef global = declare_hidden(to->module, LLVMTypeOf(bytes), "aprof_paths_identity");
    LLVMSetInitializer(global, bytes);
    LLVMSetGlobalConstant(global, true);
    LLVMSetAlignment(global, 8);
}

/* Reads the record `identity`: the identity of the module for which the probes were made, and the
 * program's identity. */
static bool take_identity(struct instrumenter *to, const struct record_file *file,
                          const char *module_identity, struct failure *why)
{
    uint64_t copy, copies, flags, slots, interval;
    struct counters_identity identity = {.magic = COUNTERS_MAGIC};
    if (!record_is(file, "identity", 7, false) || !record_number(file, 2, UINT32_MAX, &copy) ||
        !record_number(file, 3, UINT32_MAX, &copies) || !record_number(file, 4, 15, &flags) ||
        !record_number(file, 5, UINT32_MAX - COUNTERS_PAGE_BYTES, &slots) ||
        !record_number(file, 6, UINT32_MAX, &interval))
        return record_fail(file, "not a program's identity", why);
    if (strcmp(file->fields.at[1], module_identity) != 0)
        return failure_set(
            why, "%s: made for other bitcode (%s, not %s); make the file again from this bitcode",
            file->path, file->fields.at[1], module_identity);
    identity.plan = strtoull(file->fields.at[2], NULL, 16);
    identity.copy = (uint32_t)copy;
    identity.copies = (uint32_t)copies;
    identity.flags = (uint32_t)flags;
    identity.interval = (uint32_t)interval;
    identity.slots = slots;
    define_counters(to, slots);
    define_identity(to, &identity);
    if (flags & COUNTERS_LANES) {
        to->shift = declare_hidden(to->module, to->word, "aprof_paths_lane_shift");
        LLVMSetThreadLocalMode(to->shift, LLVMLocalExecTLSModel);
    }
    if (flags & COUNTERS_SLICED) {
        to->next_interval_type =
            LLVMFunctionType(LLVMVoidTypeInContext(to->context), &to->word, 1, false);
        to->next_interval =
            LLVMAddFunction(to->module, "aprof_paths_next_interval", to->next_interval_type);
        LLVMSetVisibility(to->next_interval, LLVMHiddenVisibility);
    }
    return true;
}

static void instrumenter_start(struct instrumenter *to, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    *to = (struct instrumenter){
        .module = module,
        .context = context,
        .builder = LLVMCreateBuilderInContext(context),
        .word = LLVMInt64TypeInContext(context),
        .word32 = LLVMInt32TypeInContext(context),
        .byte = LLVMInt8TypeInContext(context),
    };
    LLVMTypeRef parameters[] = {to->word32, to->word};
    to->count_type = LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 2, false);
    to->count = LLVMAddFunction(module, "aprof_paths_count", to->count_type);
    LLVMSetVisibility(to->count, LLVMHiddenVisibility);
}

bool inst_add_probes(LLVMModuleRef module, const char *identity, const char *probes_path,
                     struct failure *why)
{
    struct record_file file;
    if (!record_open(&file, probes_path, "aprof-probes", 2, why))
        return false;
    if (LLVMGetNamedGlobal(module, "aprof_paths_counters")) {
        record_close(&file);
        return failure_set(
            why, "%s: the module is already instrumented; start from the original bitcode",
            probes_path);
    }
    struct instrumenter to;
    struct target target = {0};
    instrumenter_start(&to, module);
    bool fine = record_next(&file) || record_fail(&file, "no identity", why);
    fine = fine && take_identity(&to, &file, identity, why);
    while (fine && record_next(&file))
        if (!take_procedure(&to, &target, &file) && !take_probe(&to, &target, &file))
            fine = record_fail(&file, "unexpected record", why);
    target_free(&target);
    LLVMDisposeBuilder(to.builder);
    record_close(&file);
    return fine && inst_run_passes(module, "function(mem2reg,early-cse,simplifycfg)", why);
}
