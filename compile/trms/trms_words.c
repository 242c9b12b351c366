/* Builds the words of an access's cells in the direct-mapped shadow, and the test of alignment.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     p->x += p->y * a[i - 1];      words of p and a + i, once each, at constant distances from
 *                                   them:
 *                                       ctx->direct_shadow + (p & mask of p) + 8
 *
 * The compiler assumes that a pointer is aligned to its type. If a pointer is misaligned,
 * consecutive words are not the words of the accessed cells. Adding whole cells to a pointer does
 * not change its alignment, so one test suffices for a whole array or structure. The test yields a
 * mask, which is 0 if the pointer is misaligned. The words at the masked address then belong to no
 * cell (direct_shadow_places.h) and are always 0. So a read at a misaligned address fails its check
 * and calls the runtime. A write at a misaligned address first changes the words at the masked
 * address, and the runtime then restores their zeros.
 */
#include "compile/trms/trms_checks.h"

#include "ground/trms_words.h"

/* Maximum number of steps that are followed back to a pointer's origin. */
#define MOST_STEPS 64

/* ---------------------------------------------------------------- Where pointers come from */

static bool is_step(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static bool is_cast(LLVMValueRef value)
{
    if (!LLVMIsABitCastInst(value) &&
        !(LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMBitCast))
        return false;
    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(value, 0))) == LLVMPointerTypeKind;
}

uint64_t checks_unit_of(const struct measuring *to, LLVMTypeRef *type, LLVMValueRef index,
                        bool is_first)
{
    LLVMTypeKind kind = LLVMGetTypeKind(*type);
    if (is_first)
        return LLVMABISizeOfType(to->layout, *type);
    if (kind == LLVMStructTypeKind) {
        unsigned number = (unsigned)LLVMConstIntGetZExtValue(index);
        uint64_t offset = LLVMOffsetOfElement(to->layout, *type, number);
        *type = LLVMStructGetTypeAtIndex(*type, number);
        return offset;
    }
    *type = LLVMGetElementType(*type);
    return LLVMABISizeOfType(to->layout, *type);
}

/* Returns the constant part of the distance that a getelementptr adds to a pointer. *varies becomes
 * a mask of the bits that the variable part may change: a lowest bit and all higher bits. */
static int64_t distance_of(const struct measuring *to, LLVMValueRef step, uint64_t *varies)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(step);
    int64_t distance = 0;
    *varies = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(step); i++) {
        LLVMValueRef index = LLVMGetOperand(step, i);
        bool is_field = i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind;
        uint64_t unit = checks_unit_of(to, &type, index, i == 1);
        if (is_field)
            distance += (int64_t)unit;
        else if (LLVMIsAConstantInt(index))
            distance += LLVMConstIntGetSExtValue(index) * (int64_t)unit;
        else
            *varies |= unit;
    }
    return distance;
}

LLVMValueRef checks_find_base(const struct measuring *to, LLVMValueRef pointer, int64_t *offset)
{
    *offset = 0;
    for (;;) {
        uint64_t varies = 0;
        int64_t distance = is_step(pointer) ? distance_of(to, pointer, &varies) : 0;
        if (varies || (!is_step(pointer) && !is_cast(pointer)))
            return pointer;
        *offset += distance;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

/* Returns the pointer from which `pointer` was computed by steps of multiples of `unit` bytes. */
static LLVMValueRef find_start(const struct measuring *to, LLVMValueRef pointer, uint64_t unit)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        uint64_t varies = 0;
        int64_t distance = is_step(pointer) ? distance_of(to, pointer, &varies) : 0;
        if ((varies | (uint64_t)distance) % unit || (!is_step(pointer) && !is_cast(pointer)))
            break;
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer;
}

/* Returns the initial value of a pointer that advances by steps of whole units in a loop. */
static LLVMValueRef find_root(const struct measuring *to, LLVMValueRef pointer, uint64_t unit)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        pointer = find_start(to, pointer, unit);
        if (!LLVMIsAPHINode(pointer) || LLVMCountIncoming(pointer) != 2)
            break;
        LLVMValueRef first = LLVMGetIncomingValue(pointer, 0),
                     second = LLVMGetIncomingValue(pointer, 1);
        if (find_start(to, second, unit) == pointer)
            pointer = first;
        else if (find_start(to, first, unit) == pointer)
            pointer = second;
        else
            break;
    }
    return pointer;
}

/* ---------------------------------------------------------------- Words */

bool checks_is_aligned(const struct checked *access)
{
    return access->alignment >= 4 || access->bytes <= access->alignment;
}

static LLVMValueRef build_masked(struct measured *routine, LLVMValueRef address, LLVMValueRef mask)
{
    const struct measuring *to = routine->to;
    LLVMValueRef offset = LLVMBuildAnd(to->builder, address, mask, "");
    return LLVMBuildGEP2(to->builder, to->byte, routine->loaded.direct_shadow, &offset, 1, "");
}

LLVMValueRef checks_build_word(struct measured *routine, LLVMValueRef address)
{
    const struct measuring *to = routine->to;
    LLVMValueRef word = build_masked(routine, address, routine->loaded.mask);
    return LLVMBuildBitCast(to->builder, word, LLVMPointerType(to->half, 0), "");
}

/* Returns whether the pointer's root is a variable that the compiler has aligned to 4 bytes or
 * more. */
static bool is_aligned_variable(LLVMValueRef root)
{
    return (LLVMIsAAllocaInst(root) || LLVMIsAGlobalVariable(root)) && LLVMGetAlignment(root) >= 4;
}

/* Builds the bits of the address that must be 0; NULL if no alignment test is needed. */
static LLVMValueRef build_misaligned(const struct measuring *to, const struct checked *access)
{
    uint64_t unit = access->bytes == 2 ? 2 : 4;
    if (access->bytes == 1 || !checks_is_aligned(access))
        return NULL;
    LLVMValueRef root = find_root(to, access->pointer, unit);
    if (is_aligned_variable(root))
        return NULL;
    LLVMValueRef address = LLVMBuildPtrToInt(to->builder, root, to->word, "");
    return LLVMBuildAnd(to->builder, address, checks_number(to, unit - 1), "");
}

/* Builds the words of an access. The words of a group are addressed relative to one word, which
 * belongs to an address in the middle of the group. */
struct checked_words checks_build_words(struct measured *routine, const struct checked *access)
{
    const struct measuring *to = routine->to;
    const int64_t group = TRMS_WORDS_BELOW + TRMS_WORDS_ABOVE;
    LLVMBuilderRef b = to->builder;
    struct checked_words words = {.misaligned = build_misaligned(to, access)};
    LLVMValueRef base = checks_find_base(to, access->pointer, &words.offset);
    LLVMValueRef mask = routine->loaded.mask, none = checks_number(to, 0);
    int64_t within = ((words.offset + TRMS_WORDS_BELOW) & (group - 4)) - TRMS_WORDS_BELOW;
    if (words.misaligned) {
        LLVMValueRef is_fine = LLVMBuildICmp(b, LLVMIntEQ, words.misaligned, none, "");
        mask = LLVMBuildSelect(b, is_fine, mask, none, "");
    }
    words.base = LLVMBuildPtrToInt(b, base, to->word, "");
    LLVMValueRef middle = words.base;
    if (words.offset != within)
        middle = LLVMBuildAdd(b, middle, checks_number(to, (uint64_t)(words.offset - within)), "");
    words.first = checks_place(to, build_masked(routine, middle, mask), (uint64_t)within, to->half);
    return words;
}
