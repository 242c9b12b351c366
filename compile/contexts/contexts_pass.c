/* Adds inline code to a module that counts calling contexts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * native/contexts/places.c explains the scheme. The added code in C, where EDGE is the routine's
 * edge in a register:
 *
 *     int f(int x)                             struct edge *e = *aprof_contexts_place;
 *     {                                        if (e->id == f_routine.id && e->node->slot > 0)
 *                                                  e->node->count++, aprof_contexts_calls++;
 *                                              else if (e->id != OFF)
 *                                                  e = enter(&f_routine, return address);
 *         y = g(x);                            aprof_contexts_place = &e->places[0]; y = g(x);
 *         return y + h(x);                     aprof_contexts_place = &e->places[1]; y += h(x);
 *     }                                        aprof_contexts_place = what it was; return y;
 *
 * A tail call also sets the variable aprof_contexts_place. A routine that ends with a tail call
 * cannot restore the variable, so the value that the routine's caller has set is lost.
 *
 * The pass works on optimised bitcode, so inlined code counts as part of its caller.
 */
#include "compile/ir/inst.h"

#include "ground/call_places.h"

#include <llvm-c/Comdat.h>

#include <string.h>

struct counting {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef word, half, byte, pointer, routine, enter_type;
    LLVMValueRef place, calls, enter;
    LLVMCallConv convention; /* of `enter` */
};

/* A routine to which code is added that counts its calls. `edge` is the routine's edge, and `place`
 * is the place from which the routine was called (native/contexts/places.c). */
struct counted {
    LLVMValueRef function, place, edge;
    /* number of all places, and number of places of tail calls; places of tail calls come first */
    unsigned n_places, n_tails;
};

static struct counting start(LLVMModuleRef module)
{
    struct counting to = {.module = module, .context = LLVMGetModuleContext(module)};
    to.builder = LLVMCreateBuilderInContext(to.context);
    to.word = LLVMInt64TypeInContext(to.context);
    to.half = LLVMInt32TypeInContext(to.context);
    to.byte = LLVMInt8TypeInContext(to.context);
    to.pointer = LLVMPointerType(to.byte, 0);
    LLVMTypeRef fields[] = {to.word, to.pointer, to.word, to.word};
    to.routine = LLVMStructTypeInContext(to.context, fields, 4, false);
    LLVMTypeRef parameters[] = {to.pointer, to.pointer};
    to.enter_type = LLVMFunctionType(to.pointer, parameters, 2, false);
    to.place = inst_thread_variable(module, CALL_PLACES_PLACE, to.pointer);
    to.calls = inst_thread_variable(module, CALL_PLACES_CALLS, to.word);
    to.enter = LLVMGetNamedFunction(module, CALL_PLACES_ENTER);
    if (!to.enter)
        to.enter = LLVMAddFunction(module, CALL_PLACES_ENTER, to.enter_type);
    to.convention = inst_is_amd64(module) ? LLVMColdCallConv : LLVMCCallConv;
    LLVMSetFunctionCallConv(to.enter, to.convention);
    inst_add_promise(to.enter,
                     "nonlazybind"); /* with lazy binding, a call of `enter` would change r11 */
    inst_add_promise(to.enter, "nounwind");
    return to;
}

/* ---------------------------------------------------------------- Pieces of code */

static LLVMValueRef address_of(const struct counting *to, LLVMValueRef base, unsigned offset,
                               LLVMTypeRef type)
{
    LLVMValueRef bytes = LLVMConstInt(to->word, offset, false);
    LLVMValueRef moved = LLVMBuildGEP2(to->builder, to->byte, base, &bytes, 1, "");
    return LLVMBuildBitCast(to->builder, moved, LLVMPointerType(type, 0), "");
}

static LLVMValueRef load_at(const struct counting *to, LLVMValueRef base, unsigned offset,
                            LLVMTypeRef type)
{
    return LLVMBuildLoad2(to->builder, type, address_of(to, base, offset, type), "");
}

static void add_one(const struct counting *to, LLVMValueRef address)
{
    LLVMValueRef old = LLVMBuildLoad2(to->builder, to->word, address, "");
    LLVMValueRef one = LLVMConstInt(to->word, 1, false);
    LLVMBuildStore(to->builder, LLVMBuildAdd(to->builder, old, one, ""), address);
}

static LLVMValueRef bytes_of(const struct counting *to, LLVMValueRef global)
{
    return LLVMConstBitCast(global, to->pointer);
}

/* ---------------------------------------------------------------- Calls */

static bool calls_code(LLVMValueRef instruction)
{
    return inst_is_call(instruction) && !inst_is_intrinsic_call(instruction) &&
           !LLVMIsAInlineAsm(LLVMGetCalledValue(instruction));
}

static bool keeps_frames(LLVMValueRef function)
{
    const char *name = "disable-tail-calls";
    LLVMAttributeRef found = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                                           name, (unsigned)strlen(name));
    unsigned length;
    return found && strncmp(LLVMGetStringAttributeValue(found, &length), "true", 4) == 0;
}

/* Returns whether the code generator ignores the instruction. Between a call and a return, such an
 * instruction does not prevent a tail call. */
static bool is_nothing(LLVMValueRef instruction)
{
    static const char *const names[] = {"llvm.dbg.", "llvm.lifetime.end", "llvm.assume",
                                        "llvm.experimental.noalias", NULL};
    size_t length;
    if (LLVMGetInstructionOpcode(instruction) != LLVMCall || !inst_direct_callee(instruction))
        return false;
    const char *name = LLVMGetValueName2(inst_direct_callee(instruction), &length);
    for (const char *const *beginning = names; *beginning; beginning++)
        if (strncmp(name, *beginning, strlen(*beginning)) == 0)
            return true;
    return false;
}

/* Returns the return instruction if the block has only phis before it; otherwise NULL. */
static LLVMValueRef bare_return(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (at && (LLVMGetInstructionOpcode(at) == LLVMPHI || is_nothing(at)))
        at = LLVMGetNextInstruction(at);
    return at && LLVMGetInstructionOpcode(at) == LLVMRet ? at : NULL;
}

/* Returns whether the return instruction `end` returns `value`, or nothing, when its block is
 * entered from the block `from`. */
static bool returns(LLVMValueRef end, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMValueRef returned = LLVMGetNumOperands(end) ? LLVMGetOperand(end, 0) : value;
    if (returned == value || LLVMGetInstructionParent(end) == from || !LLVMIsAPHINode(returned))
        return returned == value;
    for (unsigned i = 0; i < LLVMCountIncoming(returned); i++)
        if (LLVMGetIncomingBlock(returned, i) == from)
            return LLVMGetIncomingValue(returned, i) == value;
    return false;
}

/* Returns whether the code generator may turn the call into a jump. Such calls have LLVM's marker
 * `tail`, and only a return follows, perhaps in a separate block. */
static bool is_tail_call(LLVMValueRef call)
{
    LLVMValueRef next = LLVMGetNextInstruction(call), value = call;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
    if (LLVMGetInstructionOpcode(call) != LLVMCall || !LLVMIsTailCall(call))
        return false;
    for (; next; next = LLVMGetNextInstruction(next)) {
        if (LLVMGetInstructionOpcode(next) == LLVMBitCast && LLVMGetOperand(next, 0) == value)
            value = next;
        else if (!is_nothing(next))
            break;
    }
    if (LLVMGetInstructionOpcode(next) == LLVMBr && !LLVMIsConditional(next))
        next = bare_return(LLVMGetSuccessor(next, 0));
    return next && LLVMGetInstructionOpcode(next) == LLVMRet && returns(next, value, block);
}

/* Returns whether the block ends with a tail call. No instruction may come between a tail call and
 * its return. */
static bool ends_with_tail_call(LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(block));
    while (at && (LLVMGetInstructionOpcode(at) == LLVMBitCast || is_nothing(at)))
        at = LLVMGetPreviousInstruction(at);
    return at && calls_code(at) && is_tail_call(at);
}

static bool is_to_be_placed(const struct counting *to, LLVMValueRef instruction)
{
    return calls_code(instruction) && LLVMGetCalledValue(instruction) != to->enter;
}

static bool leaves_frame(const struct counted *routine, LLVMValueRef call)
{
    return is_tail_call(call) && !keeps_frames(routine->function);
}

static void build_place(const struct counting *to, const struct counted *routine, LLVMValueRef call,
                        unsigned number)
{
    LLVMPositionBuilderBefore(to->builder, call);
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    inst_forget_promises(call);
    LLVMValueRef bytes = LLVMConstInt(to->word, CALL_PLACES_EDGE_PLACES + 8 * number, false);
    LLVMBuildStore(to->builder, LLVMBuildGEP2(to->builder, to->byte, routine->edge, &bytes, 1, ""),
                   to->place);
}

/* If `tails` is true, adds code that sets the place before each tail call; otherwise, adds such
 * code for all other calls. `number` places are already in use; the function returns the new
 * number. If the routine has more than `most` calls, the remaining calls share the last place. */
static unsigned build_places(const struct counting *to, const struct counted *routine, bool tails,
                             unsigned number, unsigned most)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(routine->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at))
            if (is_to_be_placed(to, at) && leaves_frame(routine, at) == tails) {
                build_place(to, routine, at, number < most ? number : most - 1);
                number += number < most;
            }
    }
    return number;
}

static void build_back(const struct counting *to, const struct counted *routine,
                       LLVMBasicBlockRef block)
{
    LLVMPositionBuilderBefore(to->builder, LLVMGetBasicBlockTerminator(block));
    LLVMSetCurrentDebugLocation2(to->builder, NULL);
    LLVMBuildStore(to->builder, routine->place, to->place);
}

/* For a return in a separate block `end`: if a predecessor of the block ends with a tail call,
 * restores the place in the other predecessors, and not in `end`. So the tail call stays a tail
 * call. Returns false if this is impossible, or if no predecessor ends with a tail call. */
static bool build_back_before(const struct counting *to, const struct counted *routine,
                              LLVMBasicBlockRef end)
{
    bool any = false;
    LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(end));
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef jump = LLVMGetUser(use);
        if (!LLVMIsATerminatorInst(jump) || LLVMGetInstructionOpcode(jump) == LLVMInvoke)
            return false;
        any |= ends_with_tail_call(LLVMGetInstructionParent(jump));
    }
    for (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(end)); any && use; use = LLVMGetNextUse(use)) {
        LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(use));
        if (!ends_with_tail_call(from))
            build_back(to, routine, from);
    }
    return any;
}

/* Restores the place at each return, because the caller may be a library that calls further
 * routines without setting a place. */
static void build_returns(const struct counting *to, const struct counted *routine)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(routine->function);
    bool jumps = !keeps_frames(routine->function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(block)) != LLVMRet)
            continue;
        if (jumps && (ends_with_tail_call(block) ||
                      (bare_return(block) && build_back_before(to, routine, block))))
            continue;
        build_back(to, routine, block);
    }
}

/* ---------------------------------------------------------------- The entry */

/* Makes the struct { id, address, number of places, number of tail calls }; the numbers are set at
 * the end, when they are known. The struct is in the routine's section group, because the linker
 * may choose another copy of the routine. */
static LLVMValueRef make_routine(const struct counting *to, LLVMValueRef function)
{
    LLVMValueRef routine = LLVMAddGlobal(to->module, to->routine, "aprof.routine");
    LLVMSetLinkage(routine, LLVMPrivateLinkage);
    if (LLVMGetComdat(function))
        LLVMSetComdat(routine, LLVMGetComdat(function));
    return routine;
}

static void finish_routine(const struct counting *to, const struct counted *of,
                           LLVMValueRef routine)
{
    LLVMValueRef fields[] = {
        LLVMConstInt(to->word, CALL_PLACES_UNKNOWN, false), bytes_of(to, of->function),
        LLVMConstInt(to->word, of->n_places, false), LLVMConstInt(to->word, of->n_tails, false)};
    LLVMSetInitializer(routine, LLVMConstStructInContext(to->context, fields, 4, false));
}

static LLVMBasicBlockRef block_before(const struct counting *to, LLVMBasicBlockRef block)
{
    return LLVMInsertBasicBlockInContext(to->context, block, "");
}

static LLVMValueRef build_enter(const struct counting *to, LLVMValueRef routine)
{
    LLVMTypeRef parameters[] = {to->half};
    LLVMTypeRef type = LLVMFunctionType(to->pointer, parameters, 1, false);
    LLVMValueRef intrinsic = LLVMGetNamedFunction(to->module, "llvm.returnaddress");
    if (!intrinsic)
        intrinsic = LLVMAddFunction(to->module, "llvm.returnaddress", type);
    LLVMValueRef zero = LLVMConstInt(to->half, 0, false);
    LLVMValueRef site = LLVMBuildCall2(to->builder, type, intrinsic, &zero, 1, "");
    LLVMValueRef arguments[] = {bytes_of(to, routine), site};
    LLVMValueRef call = LLVMBuildCall2(to->builder, to->enter_type, to->enter, arguments, 2, "");
    LLVMSetInstructionCallConv(call, to->convention);
    return call;
}

/* Builds the blocks of the routine's entry: first -> known -> count -> join -> body, with the
 * branches other -> join and enter -> join. The phi has a separate block, because no debug record
 * may precede a phi. Since LLVM 19, debug records may precede the body's first instruction. */
static void build_entry(const struct counting *to, struct counted *of, LLVMValueRef routine)
{
    LLVMBuilderRef b = to->builder;
    LLVMBasicBlockRef body = LLVMGetEntryBasicBlock(of->function);
    LLVMBasicBlockRef first = inst_make_first_block(b, of->function);
    LLVMBasicBlockRef known = block_before(to, body);
    LLVMBasicBlockRef count = block_before(to, body), other = block_before(to, body);
    LLVMBasicBlockRef enter = block_before(to, body), join = block_before(to, body);
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMPositionBuilderAtEnd(b, first);
    of->place = LLVMBuildLoad2(b, to->pointer, to->place, "");
    LLVMValueRef edge = load_at(to, of->place, 0, to->pointer);
    LLVMValueRef id = load_at(to, edge, CALL_PLACES_EDGE_ID, to->word);
    LLVMValueRef own = load_at(to, bytes_of(to, routine), 0, to->word);
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntEQ, id, own, ""), known, other);
    LLVMPositionBuilderAtEnd(b, known);
    LLVMValueRef node = load_at(to, edge, CALL_PLACES_EDGE_NODE, to->pointer);
    LLVMValueRef slot = load_at(to, node, CALL_PLACES_NODE_SLOT, to->half);
    LLVMValueRef none = LLVMConstInt(to->half, 0, false);
    inst_build_likely(b, LLVMBuildICmp(b, LLVMIntSGT, slot, none, ""), count, enter);
    LLVMPositionBuilderAtEnd(b, count);
    add_one(to, address_of(to, node, CALL_PLACES_NODE_COUNT, to->word));
    add_one(to, to->calls);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, other);
    LLVMValueRef off = LLVMConstInt(to->word, CALL_PLACES_OFF, false);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, id, off, ""), join, enter);
    LLVMPositionBuilderAtEnd(b, enter);
    LLVMValueRef found = build_enter(to, routine);
    LLVMBuildBr(b, join);
    LLVMPositionBuilderAtEnd(b, join);
    of->edge = LLVMBuildPhi(b, to->pointer, "");
    LLVMValueRef edges[] = {edge, edge, found};
    LLVMBasicBlockRef from[] = {count, other, enter};
    LLVMAddIncoming(of->edge, edges, from, 3);
    LLVMBuildBr(b, body);
}

/* ---------------------------------------------------------------- Modules */

static void count_routine(const void *counting, LLVMValueRef function)
{
    const struct counting *to = counting;
    struct counted counted = {.function = function};
    LLVMValueRef routine = make_routine(to, function);
    build_entry(to, &counted, routine);
    counted.n_tails = build_places(to, &counted, true, 0, CALL_PLACES_TAILS_MOST);
    counted.n_places = build_places(to, &counted, false, counted.n_tails, CALL_PLACES_MOST);
    finish_routine(to, &counted, routine);
    if (counted.n_places > counted.n_tails)
        build_returns(to, &counted);
}

/* inst_change_routines skips functions with the attribute no_profile_instrument_function. It also
 * skips naked functions, because they have no stack space. */
void inst_count_contexts(LLVMModuleRef module)
{
    if (!LLVMGetFirstFunction(module))
        return;
    struct counting to = start(module);
    inst_mark(module, CALL_PLACES_MARK);
    inst_change_routines(module, count_routine, &to);
    LLVMDisposeBuilder(to.builder);
}
