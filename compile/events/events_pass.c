/* Adds code to a module that writes events of routines into the ring of their thread.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The code implements Figure 3(a) of paper 001 in the routine itself: one load, one test, one
 * store. The added code in C, at the entry of a routine and at each of its returns:
 *
 *     if (wanted & kinds) {
 *         if (self->idle) {                      no interrupted hook is running
 *             self->idle = 0;
 *             if (!gate && *self->slot <= self->highest) {
 *                 *self->slot++ = event;         the slot was free
 *                 self->idle = 1;
 *             } else {
 *                 self->idle = 1, slow(event);   the report is being written, or the chunk has
 *                                                ended
 *             }
 *         } else {
 *             slow(event);                       a new thread, or one with a shadow stack
 *         }
 *     }
 *
 * The pass works on optimised bitcode, so inlined code counts as part of its caller.
 * native/base/native.h explains the memory order of these loads and stores.
 */
#include "compile/ir/resolvers.h"

#include "ground/event_code.h"

struct event_builder {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef word, half, byte, pointer, slow_type;
    LLVMValueRef self, wanted, gate, slow;
    LLVMCallConv convention; /* of `slow` */
};

static LLVMValueRef variable_of_all(const struct event_builder *to, const char *name)
{
    LLVMValueRef variable = LLVMGetNamedGlobal(to->module, name);
    return variable ? variable : LLVMAddGlobal(to->module, to->half, name);
}

static struct event_builder start(LLVMModuleRef module)
{
    struct event_builder to = {.module = module, .context = LLVMGetModuleContext(module)};
    to.builder = LLVMCreateBuilderInContext(to.context);
    to.word = LLVMInt64TypeInContext(to.context);
    to.half = LLVMInt32TypeInContext(to.context);
    to.byte = LLVMInt8TypeInContext(to.context);
    to.pointer = LLVMPointerType(to.byte, 0);
    to.slow_type = LLVMFunctionType(LLVMVoidTypeInContext(to.context), &to.word, 1, false);
    to.self = inst_thread_variable(module, EVENT_CODE_SELF, to.pointer);
    to.wanted = variable_of_all(&to, EVENT_CODE_WANTED);
    to.gate = variable_of_all(&to, EVENT_CODE_GATE);
    to.slow = LLVMGetNamedFunction(module, EVENT_CODE_TELL);
    if (!to.slow)
        to.slow = LLVMAddFunction(module, EVENT_CODE_TELL, to.slow_type);
    to.convention = inst_is_amd64(module) ? LLVMPreserveMostCallConv : LLVMCCallConv;
    LLVMSetFunctionCallConv(to.slow, to.convention);
    inst_add_promise(to.slow,
                     "nonlazybind"); /* with lazy binding, a call of `slow` would change r10 */
    inst_add_promise(to.slow, "nounwind");
    return to;
}

/* ---------------------------------------------------------------- Pieces of code */

static LLVMValueRef place(const struct event_builder *to, LLVMValueRef self, unsigned offset,
                          LLVMTypeRef type)
{
    LLVMValueRef bytes = LLVMConstInt(to->word, offset, false);
    LLVMValueRef moved = LLVMBuildGEP2(to->builder, to->byte, self, &bytes, 1, "");
    return LLVMBuildBitCast(to->builder, moved, LLVMPointerType(type, 0), "");
}

/* Loads a variable that a signal handler or another thread may change. */
static LLVMValueRef load_anew(const struct event_builder *to, LLVMTypeRef type,
                              LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(to->builder, type, pointer, "");
    LLVMSetVolatile(load, true);
    return load;
}

static void store_released(const struct event_builder *to, LLVMValueRef value, LLVMValueRef pointer,
                           unsigned alignment)
{
    LLVMValueRef store = LLVMBuildStore(to->builder, value, pointer);
    LLVMSetOrdering(store, LLVMAtomicOrderingRelease);
    LLVMSetAlignment(store, alignment);
}

static LLVMBasicBlockRef block_behind(const struct event_builder *to, LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef next = LLVMGetNextBasicBlock(block);
    return next ? LLVMInsertBasicBlockInContext(to->context, next, "")
                : LLVMAppendBasicBlockInContext(to->context, LLVMGetBasicBlockParent(block), "");
}

static LLVMValueRef build_is_zero(const struct event_builder *to, LLVMValueRef value)
{
    return LLVMBuildICmp(to->builder, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

/* ---------------------------------------------------------------- Events */

/* Builds the code that tries to write an event, as at the top of this file. If the event cannot be
 * written, the code jumps to the block `no`. */
static void build_try(const struct event_builder *to, LLVMBasicBlockRef at, LLVMBasicBlockRef no,
                      LLVMBasicBlockRef rest, LLVMValueRef event)
{
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef enter = block_behind(to, at), check = block_behind(to, enter);
    LLVMBasicBlockRef put = block_behind(to, check), back = block_behind(to, put);
    LLVMPositionBuilderAtEnd(b, at);
    LLVMValueRef self = LLVMBuildLoad2(b, to->pointer, to->self, "");
    LLVMValueRef idle = place(to, self, EVENT_CODE_IDLE, to->word);
    LLVMValueRef is_idle = LLVMBuildIsNotNull(b, load_anew(to, to->word, idle), "");
    inst_build_likely(b, is_idle, enter, no);
    LLVMPositionBuilderAtEnd(b, enter);
    LLVMSetVolatile(LLVMBuildStore(b, LLVMConstNull(to->word), idle), true);
    LLVMBuildFence(b, LLVMAtomicOrderingSequentiallyConsistent, true, "");
    inst_build_likely(b, build_is_zero(to, load_anew(to, to->half, to->gate)), check, back);
    LLVMPositionBuilderAtEnd(b, check);
    LLVMValueRef where = place(to, self, EVENT_CODE_SLOT, LLVMPointerType(to->word, 0));
    LLVMValueRef slot = LLVMBuildLoad2(b, LLVMPointerType(to->word, 0), where, "");
    LLVMValueRef there = LLVMBuildLoad2(b, to->word, slot, "");
    LLVMSetOrdering(there, LLVMAtomicOrderingAcquire);
    LLVMSetAlignment(there, 8);
    LLVMValueRef highest =
        LLVMBuildLoad2(b, to->word, place(to, self, EVENT_CODE_HIGHEST, to->word), "");
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntULE, there, highest, ""), put, back);
    LLVMPositionBuilderAtEnd(b, put);
    store_released(to, event, slot, 8);
    LLVMValueRef one = LLVMConstInt(to->word, 1, false);
    LLVMBuildStore(b, LLVMBuildGEP2(b, to->word, slot, &one, 1, ""), where);
    store_released(to, one, idle, 8);
    LLVMBuildBr(b, rest);
    LLVMPositionBuilderAtEnd(b, back);
    store_released(to, one, idle, 8);
    LLVMBuildBr(b, no);
}

/* Builds the code that emits an event between two blocks. */
static void build_event(const struct event_builder *to, LLVMValueRef function, unsigned kind,
                        LLVMBasicBlockRef from, LLVMBasicBlockRef rest)
{
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef at = block_behind(to, from);
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(to->context, function, "");
    LLVMPositionBuilderAtEnd(b, from);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef kinds = LLVMConstInt(to->half, 1u << kind | 1u << EVENT_CODE_CALL, false);
    LLVMValueRef wanted = LLVMBuildAnd(b, load_anew(to, to->half, to->wanted), kinds, "");
    LLVMBuildCondBr(b, build_is_zero(to, wanted), rest, at);
    LLVMPositionBuilderAtEnd(b, at);
    LLVMValueRef routine = LLVMBuildPtrToInt(b, function, to->word, "");
    LLVMValueRef bits = LLVMConstInt(to->word, (uint64_t)kind << EVENT_CODE_KIND_SHIFT, false);
    LLVMValueRef event = LLVMBuildOr(b, routine, bits, "");
    build_try(to, at, slow, rest, event);
    LLVMPositionBuilderAtEnd(b, slow);
    LLVMValueRef call = LLVMBuildCall2(b, to->slow_type, to->slow, &event, 1, "");
    LLVMSetInstructionCallConv(call, to->convention);
    LLVMBuildBr(b, rest);
}

/* Adds an event before the return at the end of `block`, which is split. A block that returns has
 * no successor, so no phi needs the new predecessor. */
static void build_leave(const struct event_builder *to, LLVMValueRef function,
                        LLVMBasicBlockRef block)
{
    LLVMValueRef end = inst_end_of_routine(LLVMGetBasicBlockTerminator(block));
    LLVMBasicBlockRef rest = inst_split_block(to->builder, end);
    build_event(to, function, EVENT_CODE_LEAVE, block, rest);
}

static void add_events(const void *event_builder, LLVMValueRef function)
{
    const struct event_builder *to = event_builder;
    if (!inst_remove_hooks(function))
        return;
    LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(function), next;
    for (LLVMBasicBlockRef block = body; block; block = next) {
        next = LLVMGetNextBasicBlock(block);
        if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block)) == LLVMRet)
            build_leave(to, function, block);
    }
    LLVMBasicBlockRef first = inst_make_first_block(to->builder, function);
    build_event(to, function, EVENT_CODE_ENTER, first, body);
}

void inst_add_events(LLVMModuleRef module)
{
    if (!LLVMGetFirstFunction(module))
        return;
    struct event_builder to = start(module);
    inst_mark(module, EVENT_CODE_MARK);
    inst_change_routines(module, add_events, &to);
    LLVMDisposeBuilder(to.builder);
}
