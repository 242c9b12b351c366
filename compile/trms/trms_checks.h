/* Inline checks: code that records an access if it changes the state of its cells.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * trms_pass.c finds the accesses, trms_checks.c builds the code.
 */
#ifndef COMPILE_TRMS_TRMS_CHECKS_H
#define COMPILE_TRMS_TRMS_CHECKS_H

#include "compile/ir/inst.h"

#include <llvm-c/Target.h>

struct measuring {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef word, half, byte, pointer, nothing;
    LLVMValueRef ctx; /* the thread-local variable */
    bool in_two_versions;
};

/* The execution context, and fields of it; NULL: not loaded yet. */
struct loaded {
    LLVMValueRef ctx, direct_shadow, mask, floor, stamp;
};

/* The kinds of checks that follow, which determine the needed fields. */
struct loads {
    bool reads, writes;
};

/* The part of a check that is compiled into the routine. The code generator takes more than linear
 * time for routines of many blocks. */
enum checks_form {
    CHECKS_WHOLE, /* first reads are counted in place */
    CHECKS_SHORT, /* only the comparison; everything else is a call */
    CHECKS_CALLS  /* each access is a call */
};

/* One routine, while it is rewritten. */
struct measured {
    const struct measuring *to;
    LLVMValueRef function;
    LLVMValueRef blocks;   /* the variable that counts them (trms_cost.c) */
    bool has_blocks;       /* false: it is zero here */
    enum checks_form form; /* in the current block */
    struct loaded loaded;  /* in the current region without calls */
};

/* An access, described by its cells. */
struct checked {
    LLVMValueRef pointer;
    uint64_t bytes;
    unsigned alignment;
};

/* ---------------------------------------------------------------- Regions without calls */

LLVMValueRef checks_exec_context_variable(const struct measuring *to);

/* The execution context, at the builder's position. */
LLVMValueRef checks_exec_context(struct measured *routine);

/* Loads the fields that these checks need and that are not loaded yet, at the builder's
 * position. */
void checks_load(struct measured *routine, struct loads loads);

/* A new region begins: the execution context or its time may have changed. */
void checks_forget(struct measured *routine);

/* ---------------------------------------------------------------- Accesses, in front of `next` */

void checks_build_read(struct measured *routine, const struct checked *access, LLVMValueRef next);
void checks_build_write(struct measured *routine, const struct checked *access, LLVMValueRef next);

/* The shadow words of an access's cells (trms_words.c). */
struct checked_words {
    LLVMValueRef first; /* a pointer to the first word */
    /* Not 0 at run time if the access is misaligned, although the compiler assumes alignment. NULL
     * if the access cannot be misaligned, or if misalignment has no effect. */
    LLVMValueRef misaligned;
    LLVMValueRef base; /* an address, ... */
    int64_t offset;    /* and the distance of the access from it */
};
struct checked_words checks_build_words(struct measured *routine, const struct checked *access);

/* The word of the cell that has this address. */
LLVMValueRef checks_build_word(struct measured *routine, LLVMValueRef address);

/* Whether the access begins with a cell or lies in one cell, according to the compiler. */
bool checks_is_aligned(const struct checked *access);

/* Subtracts constant distances from a pointer. */
LLVMValueRef checks_find_base(const struct measuring *to, LLVMValueRef pointer, int64_t *offset);

/* The size of the unit of an index in a pointer step; `type` becomes the type of the result. The
 * index of a struct member needs no unit. */
uint64_t checks_unit_of(const struct measuring *to, LLVMTypeRef *type, LLVMValueRef index,
                        bool is_first);

/* Replaces loads of 8 bytes of which only 4 are used by loads of 4 bytes (trms_narrow.c). */
void checks_narrow(const struct measuring *to, LLVMValueRef function);

/* The first function marks the accesses of a routine that need no check (trms_known.c). The others
 * mark an access, test for the mark, and test and remove it. */
void checks_mark_known(const struct measuring *to, LLVMValueRef function);
void checks_mark(const struct measuring *to, LLVMValueRef access);
bool checks_is_marked(const struct measuring *to, LLVMValueRef access);
bool checks_is_known(const struct measuring *to, LLVMValueRef access);

/* Before synchronisation; begins a new region. */
void checks_build_sync(struct measured *routine, LLVMValueRef next);

/* The address of an access, as an argument of checks_build_call. */
LLVMValueRef checks_start(const struct measuring *to, const struct checked *access,
                          LLVMValueRef next);
void checks_build_call(const struct measuring *to, const char *name, const struct checked *access,
                       LLVMValueRef address);

/* Calls one of the functions for ranges, at the builder's position. */
enum { CHECKS_ROW_ARGUMENTS = 4 };
void checks_build_row(const struct measuring *to, const char *name, LLVMValueRef *arguments);

/* ---------------------------------------------------------------- Cost (trms_cost.c) */

/* cost_start creates the variable before a routine is rewritten; cost_end initialises it
 * afterwards. The others count a block that begins here and may repeat without a call, or a number
 * of blocks; and add the count to the activation before other code may read it. */
void cost_start(struct measured *routine);
void cost_end(struct measured *routine);
void cost_count(struct measured *routine, LLVMValueRef first, bool comes_again);
void cost_count_many(struct measured *routine, LLVMValueRef first, LLVMValueRef times);
void cost_give(struct measured *routine, LLVMValueRef next);

/* ---------------------------------------------------------------- Pieces */

LLVMValueRef checks_number(const struct measuring *to, uint64_t value);
LLVMValueRef checks_place(const struct measuring *to, LLVMValueRef base, uint64_t offset,
                          LLVMTypeRef type);

/* Calls one of the functions that get the address of the routine's return address. */
void checks_build_about_slot(const struct measuring *to, const char *name);

/* Calls the sampling decision with this state, or NULL; the result is 0 if the activation is not
 * measured. */
LLVMValueRef checks_build_choice(const struct measuring *to, LLVMValueRef sampling);

/* Splits the block: the new one begins with `next`; the old one has no end yet, and the builder is
 * there. */
LLVMBasicBlockRef checks_cut_before(const struct measuring *to, LLVMValueRef next);

/* A new block at the end of the routine, outside of the hot path. */
LLVMBasicBlockRef checks_rare_block(const struct measured *routine);

#endif
