/* Handles addresses of labels in routines with two versions.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An interpreter's loop may jump to addresses from a table of labels. An example in C, with the
 * copy of the code:
 *
 *     static void *const places[] = {&&add, &&end};      ... copied[] = {&&add2, &&end2};
 *     goto *places[*code];                               goto *copied[*code];
 *     add: ...   end: ...                                add2: ...   end2: ...
 *
 * Invariant: a label's address is never used in the other version of the routine. Copying is
 * possible if addresses come only from constants and from constant tables of the routine, and flow
 * directly into computed jumps. The routine keeps one version if an address is stored, passed,
 * returned, compared or kept in a variable (generated code, or no optimisation).
 */
#include "compile/trms/trms_labels.h"

#include <string.h>

/* ---------------------------------------------------------------- What holds an address */

/* Returns the position of the value in the sorted set, or the position for its insertion. */
static size_t place_of(const label_values *values, LLVMValueRef value)
{
    size_t low = 0, high = values->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (values->at[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has(const label_values *values, LLVMValueRef value)
{
    size_t place = place_of(values, value);
    return place < values->count && values->at[place] == value;
}

static void add(label_values *values, label_values *fresh, LLVMValueRef value)
{
    size_t place = place_of(values, value);
    if (place < values->count && values->at[place] == value)
        return;
    vector_push(values, value);
    memmove(&values->at[place + 1], &values->at[place],
            (values->count - 1 - place) * sizeof *values->at);
    values->at[place] = value;
    vector_push(fresh, value);
}

/* Returns whether the expression has a form that occurs in tables of differences between labels. */
static bool is_known_expression(LLVMValueRef expression)
{
    switch (LLVMGetConstOpcode(expression)) {
    case LLVMBitCast:
    case LLVMPtrToInt:
    case LLVMTrunc:
    case LLVMSub:
    case LLVMGetElementPtr:
        return true;
    default:
        return false;
    }
}

static bool is_own_table(LLVMValueRef variable)
{
    LLVMLinkage linkage = LLVMGetLinkage(variable);
    return LLVMIsGlobalConstant(variable) && !LLVMIsThreadLocal(variable) &&
           (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage);
}

/* Returns whether the instruction only passes on an address, or a difference of addresses. The
 * caller follows the uses of the result. */
static bool passes_on(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMPHI:
    case LLVMSelect:
    case LLVMBitCast:
    case LLVMGetElementPtr:
    case LLVMSExt:
        return true;
    case LLVMLoad:
        return !LLVMGetVolatile(instruction);
    default:
        return false;
    }
}

static bool is_of(LLVMValueRef function, LLVMValueRef instruction)
{
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) == function;
}

/* Returns whether only the routine can use an address that `user` contains or receives. */
static bool may_have(LLVMValueRef function, LLVMValueRef user)
{
    if (LLVMIsAInstruction(user))
        return is_of(function, user) && passes_on(user);
    if (LLVMIsAConstantExpr(user))
        return is_known_expression(user);
    return LLVMIsAConstantArray(user) || (LLVMIsAGlobalVariable(user) && is_own_table(user));
}

static bool is_computed_jump(LLVMValueRef user)
{
    return LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == LLVMIndirectBr;
}

static void find_labels(LLVMValueRef function, label_values *values, label_values *fresh)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
        for (; use; use = LLVMGetNextUse(use))
            if (LLVMIsABlockAddress(LLVMGetUser(use)))
                add(values, fresh, LLVMGetUser(use));
    }
}

bool labels_find(LLVMValueRef function, label_values *values)
{
    label_values fresh = {0};
    bool stays = true;
    find_labels(function, values, &fresh);
    while (stays && fresh.count) {
        LLVMUseRef use = LLVMGetFirstUse(fresh.at[--fresh.count]);
        for (; use && stays; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (is_computed_jump(user))
                continue;
            stays = may_have(function, user);
            if (stays)
                add(values, &fresh, user);
        }
    }
    vector_free(&fresh);
    return stays;
}

/* ---------------------------------------------------------------- The copy's addresses */

struct copying {
    const struct measuring *to;
    const label_values *values;
    const inst_twins *twins;
    inst_twins tables; /* tables that are already copied */
};

static LLVMValueRef copy_of(struct copying *copying, LLVMValueRef constant);

static LLVMValueRef copy_label(const struct copying *copying, LLVMValueRef label)
{
    /* the label's block is the last operand; from LLVM 21 on, the label's function is no operand */
    unsigned last = (unsigned)LLVMGetNumOperands(label) - 1;
    LLVMBasicBlockRef block = LLVMValueAsBasicBlock(LLVMGetOperand(label, last));
    return LLVMBlockAddress(LLVMGetBasicBlockParent(block), inst_block_copy(copying->twins, block));
}

static LLVMValueRef copy_table(struct copying *copying, LLVMValueRef table)
{
    for (size_t i = 0; i < copying->tables.count; i++)
        if (copying->tables.at[i].original == table)
            return copying->tables.at[i].copy;
    LLVMValueRef copy =
        LLVMAddGlobal(copying->to->module, LLVMGlobalGetValueType(table), "aprof_trms_labels");
    vector_push(&copying->tables, ((struct inst_twin){table, copy}));
    LLVMSetLinkage(copy, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(copy, true);
    LLVMSetUnnamedAddress(copy, LLVMGetUnnamedAddress(table));
    LLVMSetAlignment(copy, LLVMGetAlignment(table));
    LLVMSetInitializer(copy, copy_of(copying, LLVMGetInitializer(table)));
    return copy;
}

static LLVMValueRef build_expression(LLVMValueRef like, LLVMValueRef *operands, unsigned count)
{
    switch (LLVMGetConstOpcode(like)) {
    case LLVMBitCast:
        return LLVMConstBitCast(operands[0], LLVMTypeOf(like));
    case LLVMPtrToInt:
        return LLVMConstPtrToInt(operands[0], LLVMTypeOf(like));
    case LLVMTrunc:
        return LLVMConstTrunc(operands[0], LLVMTypeOf(like));
    case LLVMSub:
        return LLVMConstSub(operands[0], operands[1]);
    default:
        return LLVMConstGEP2(LLVMGetGEPSourceElementType(like), operands[0], operands + 1,
                             count - 1);
    }
}

static LLVMValueRef copy_parts(struct copying *copying, LLVMValueRef constant)
{
    unsigned count = (unsigned)LLVMGetNumOperands(constant);
    label_values parts = {0};
    for (unsigned i = 0; i < count; i++)
        vector_push(&parts, copy_of(copying, LLVMGetOperand(constant, i)));
    LLVMValueRef copy =
        LLVMIsAConstantArray(constant)
            ? LLVMConstArray(LLVMGetElementType(LLVMTypeOf(constant)), parts.at, count)
            : build_expression(constant, parts.at, count);
    vector_free(&parts);
    return copy;
}

static LLVMValueRef copy_of(struct copying *copying, LLVMValueRef constant)
{
    if (!has(copying->values, constant))
        return constant;
    if (LLVMIsABlockAddress(constant))
        return copy_label(copying, constant);
    return LLVMIsAGlobalVariable(constant) ? copy_table(copying, constant)
                                           : copy_parts(copying, constant);
}

void labels_copy(const struct measuring *to, const label_values *values, const inst_twins *twins)
{
    struct copying copying = {.to = to, .values = values, .twins = twins};
    for (size_t i = 0; values->count && i < twins->count; i++) {
        LLVMValueRef copy = twins->at[i].copy;
        int operands = LLVMIsAInstruction(copy) ? LLVMGetNumOperands(copy) : 0;
        for (int o = 0; o < operands; o++) {
            LLVMValueRef operand = LLVMGetOperand(copy, (unsigned)o);
            if (operand && LLVMIsAConstant(operand) && has(values, operand))
                LLVMSetOperand(copy, (unsigned)o, copy_of(&copying, operand));
        }
    }
    vector_free(&copying.tables);
}
